// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A museum with its transmitting beacons, which is the same for every visitor of a day.
package struct RadioSite: Sendable {
  /// The museum.
  package let site: SimulatedSite
  let link: LinkModel
  let reception: ReceptionModel
  /// The difference between each beacon's real and announced power, in dB.
  let offsets: [Double]
  let fields: [BeaconField]
  /// The advertising data of each beacon: the Flags and the iBeacon frame.
  package let payloads: [[UInt8]]
  /// The address of each beacon.
  package let addresses: [DeviceAddress]
  /// The share of packets without a collision: e^(−2a(N − 1)/I), pure ALOHA.
  let clear: Double

  /// Installs the beacons of a museum.
  package init(_ site: SimulatedSite, _ link: LinkModel, _ reception: ReceptionModel, seed: UInt64)
  {
    self.site = site
    var link = link
    if let exponent = site.exponent { link.exponent = exponent }
    self.link = link
    self.reception = reception
    var random = SeededRandom(seed: seed, part: .site)
    offsets = site.exhibits.map { _ in link.beaconDeviation * random.normal() }
    addresses = site.exhibits.map { _ in
      // In a static random address the two highest bits are set.
      DeviceAddress(random.next() & 0xFFFF_FFFF_FFFF | 0xC000_0000_0000, kind: .random)
    }
    fields = site.exhibits.enumerated().map { index, exhibit in
      var random = SeededRandom(seed: seed, part: .shadows, number: index)
      return BeaconField(of: exhibit, in: site, link, random: &random)
    }
    payloads = site.exhibits.map { exhibit in
      let power = Int8(min(max(exhibit.power, -127), -1).rounded())
      return [0x02, 0x01, 0x06]
        + BeaconEncoder.advertisingData(exhibit.identity, measuredPower: power)
    }
    let others = Double(max(0, site.exhibits.count - 1))
    clear = DeterministicMath.exp(
      -2 * reception.packetTime * others / max(reception.interval, 0.02)
    )
  }
}
