// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Which exhibit a visitor stands before, chosen once a second from what is near.
struct ExhibitChoice {
  private(set) var exhibit: BeaconIdentity?
  private var challenger: (identity: BeaconIdentity, ticks: Int)?

  mutating func hear(_ beacons: [RangedBeacon]) {
    let heard = beacons.compactMap { beacon in
      beacon.filteredRSSI.map { (beacon.identity, $0, beacon.distance?.meters ?? .infinity) }
    }
    guard let best = heard.max(by: { $0.1 < $1.1 }), best.2 < 4 else {
      exhibit = nil
      return
    }
    let holder = heard.first { $0.0 == exhibit }
    if holder?.0 == best.0 { challenger = nil; return }
    if let holder, best.1 - holder.1 < 4 { challenger = nil; return }
    let ticks = challenger?.identity == best.0 ? (challenger?.ticks ?? 0) + 1 : 1
    challenger = (best.0, ticks)
    if ticks >= 2 { exhibit = best.0; challenger = nil }
  }
}
