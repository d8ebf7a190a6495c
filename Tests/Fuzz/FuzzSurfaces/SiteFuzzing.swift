// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconSites

/// Models and labels of sites from any text: they are refused with a place for each fault, or used.
enum SiteFuzzing {
  static func consume(_ bytes: [UInt8]) {
    do throws(JSON5Faults) {
      // Labels start with the title of their first column, and no model starts with a letter.
      if bytes.first == UInt8(ascii: "s") { try label(bytes) } else { try fuse(bytes) }
    } catch {
      precondition(!error.faults.isEmpty)
      precondition(error.faults.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.message.isEmpty })
    }
  }

  private static func label(_ bytes: [UInt8]) throws(JSON5Faults) {
    let truth = try TruthTable(bytes, startingAt: .earliest)
    let beacon = BeaconIdentity(uuid: 1, major: 1, minor: 1)
    for second in 0..<20 {
      let place = truth.place(of: beacon, at: Timestamp(microseconds: Int64(second) * 1_000_000))
      precondition(place.map(truth.names.indices.contains) ?? true)
    }
  }

  private static func fuse(_ bytes: [UInt8]) throws(JSON5Faults) {
    let model = try SiteModelFile.read(bytes)
    let written = SiteModelFile.bytes(of: model.sorted)
    precondition((try? SiteModelFile.read(written)) == model.sorted, "a model is not read back")
    guard model.places.count <= 20 else { return }
    var fusion = SiteFusion(model)
    for second in 0..<10 {
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      var batch = ScanBatch()
      for receiver in model.receivers.indices.prefix(4) {
        batch.append(
          AdvertisingReport(
            time: time,
            rssi: Int8(truncatingIfNeeded: -40 - second * 7),
            receiver: UInt8(receiver),
            payloadStart: 0,
            payloadCount: 0
          ),
          payload: frame
        )
      }
      for estimate in fusion.add(batch, receivers: model.receivers) {
        precondition((0...1).contains(estimate.probability))
        precondition(estimate.place.map(model.places.indices.contains) ?? true)
      }
    }
  }

  /// The advertising data of an iBeacon.
  private static let frame: [UInt8] =
    [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + [UInt8](repeating: 1, count: 16) + [0, 1, 0, 1, 0xC5]
}
