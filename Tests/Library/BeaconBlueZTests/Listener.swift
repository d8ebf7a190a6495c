// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore

/// Pulls batches from a source until it has received what a test waits for.
struct Listener {
  let source: BlueZSource
  private(set) var inputs: [ScanInput] = []
  private(set) var payloads: [[UInt8]] = []
  private(set) var upTo: [Timestamp] = []

  init(_ source: BlueZSource) {
    self.source = source
  }

  var reports: [AdvertisingReport] {
    inputs.compactMap { if case .report(let report) = $0 { report } else { nil } }
  }

  var radio: [RadioState] {
    inputs.compactMap { if case .radio(_, let state, _) = $0 { state } else { nil } }
  }

  var strengths: [Int8?] { reports.map(\.rssi) }

  mutating func listen(until isEnough: (Listener) -> Bool) async {
    while !isEnough(self), let batch = await source.next(until: source.now + .milliseconds(200)) {
      for input in batch.inputs {
        if case .report(let report) = input { payloads.append(Array(batch.payload(of: report))) }
        inputs.append(input)
      }
      if let time = batch.upTo { upTo.append(time) }
    }
  }
}
