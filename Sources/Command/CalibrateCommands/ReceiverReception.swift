// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore

/// What receivers receive of beacons that stand at known distances, as they report it: nothing is added.
package struct ReceiverReception: CalibrationListener {
  /// A beacon of known place.
  package struct Beacon {
    /// Its name.
    package let identity: BeaconIdentity
    /// How far away it is in meters.
    package let meters: Double
    /// Its reports.
    package fileprivate(set) var receiving: CalibrationReception
  }

  /// The beacons, in the order they were named.
  package private(set) var beacons: [Beacon]
  /// The receiver that is meant; `nil` for all.
  private let receiver: String?

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - places: The beacons and their distances in meters.
  ///   - receiver: The name of the receiver that is meant; `nil` for all.
  package init(_ places: [(identity: BeaconIdentity, meters: Double)], receiver: String?) {
    self.receiver = receiver
    beacons = places.map {
      Beacon(
        identity: $0.identity,
        meters: $0.meters,
        receiving: CalibrationReception(at: $0.meters, calibration: Calibration())
      )
    }
  }

  package mutating func add(_ sighting: Sighting) {
    for index in beacons.indices where beacons[index].identity == sighting.identity {
      beacons[index].receiving.add(sighting)
    }
  }

  package func isEnough(_ samples: Int, receivers: [String]) -> Bool {
    let meant = receivers.indices.filter {
      receiver == nil ? receives($0) : receivers[$0] == receiver
    }
    return !meant.isEmpty
      && meant.allSatisfy { number in
        beacons.allSatisfy { $0.receiving.session(of: number).count >= samples }
      }
  }

  /// Whether a receiver received any of the beacons.
  package func receives(_ receiver: Int) -> Bool {
    beacons.contains { $0.receiving.session(of: receiver).count > 0 }
  }

  package func progress(towards samples: Int) -> String {
    let counts = beacons.map { "\(min(samples, $0.receiving.best?.session.count ?? 0))" }
    return "\(counts.joined(separator: ", ")) of \(samples) samples"
  }
}
