// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconCore

/// Places and the gate: a limited client learns of a place what it learns of a region, and no more (law L3).
@Suite struct PlaceGateTests {
  private static let anna = RegionHarness.beacon(1)
  private static let region = Region("in", .minor(anna), place: "hall")

  private static func batch(_ places: [(Double, BeaconPlace.Position)]) -> ScanBatch {
    var batch = ScanBatch()
    for (second, position) in places {
      batch.append(BeaconPlace(anna, position, hundredths: 97), at: RegionHarness.at(second))
    }
    return batch
  }

  /// What a driver delivers until its source has ended.
  private static func run(_ driver: inout EngineDriver, _ batches: [ScanBatch]) -> [Delivery] {
    var deliveries = driver.drainDeliveries()
    var rest = batches[...]
    while true {
      switch driver.next() {
      case .deliver(let new): deliveries += new
      case .pull:
        if let batch = rest.popFirst() {
          driver.supply(batch)
        } else {
          driver.endSource(.atEnd(performingScheduled: true))
        }
      case .ended: return deliveries
      default: continue
      }
    }
  }

  private static func words(_ deliveries: [Delivery]) -> [String] {
    deliveries.compactMap { delivery in
      switch delivery.event {
      case .regionEntered(_, let reason, _): "enter \(reason.rawValue)"
      case .regionExited(_, let reason, _): "exit \(reason.rawValue)"
      case .regionState(_, let state, _, let reason): "\(state) \(reason.rawValue)"
      default: nil
      }
    }
  }

  private static let walk: [(Double, BeaconPlace.Position)] = [
    (1, .at("kitchen")), (2, .at("hall")), (3, .at("kitchen")), (4, .at("hall")),
  ]

  @Test func `the operator's region follows the places, whatever the batches`() {
    for size in 1...4 {
      var driver = EngineDriver(startingAt: RegionHarness.at(0))
      let client = driver.connect()
      driver.request(.monitor(Self.region), by: client)
      let batches = stride(from: 0, to: 4, by: size).map {
        Self.batch(Array(Self.walk[$0..<min(4, $0 + size)]))
      }
      #expect(
        Self.words(Self.run(&driver, batches)) == [
          "outside leftPlace", "enter cameToPlace", "inside cameToPlace", "exit leftPlace",
          "outside leftPlace", "enter cameToPlace", "inside cameToPlace",
        ]
      )
    }
  }

  @Test func `a denied or approximate client learns no place, and a permitted one does`() {
    func words(
      _ grant: SavedAuthorization.Grant,
      _ accuracy: AccuracyAuthorization = .full
    ) -> [String] {
      var driver = EngineDriver(startingAt: RegionHarness.at(0))
      let saved = SavedClient(
        authorization: SavedAuthorization(grant: grant, accuracy: accuracy),
        regions: [SavedRegion(Self.region, state: .outside, savedAt: RegionHarness.at(0))]
      )
      let manifest = Manifest(whenInUse: "w", alwaysAndWhenInUse: "a")
      let client = driver.connect(manifest, restoring: saved)
      driver.request(.monitor(Self.region), by: client)
      return Self.words(Self.run(&driver, [Self.batch(Self.walk)]))
    }
    #expect(words(.denied).allSatisfy { $0.hasPrefix("unknown") })
    #expect(words(.always, .reduced).allSatisfy { $0.hasPrefix("unknown") })
    #expect(words(.always).contains("enter cameToPlace"))
  }
}
