// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import CoreLocation
import Synchronization

/// Ranges a capture's beacons with our own API or with Apple's, and prints how many were ranged: `native FILE`, `room
/// FILE`, or `keeping FILE` with a delegate that keeps each tick until the next, like one that fills a list.
@main
enum CoreLocationBench {
  static let uuid = UUID(uuidString: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E") ?? UUID()
  static let manifest = Manifest(whenInUse: "To be measured.")

  static func main() {
    let words = CommandLine.arguments
    switch words.count == 3 ? words[1] : "" {
    case "native": rangeNatively(words[2])
    case "room": rangeThroughTheRoom(words[2], Delegate())
    case "keeping": rangeThroughTheRoom(words[2], KeepingDelegate())
    default:
      FileHandle.standardError.write(
        Data("usage: CoreLocationBench native|room|keeping FILE\n".utf8)
      )
      exit(64)
    }
  }

  /// Ranges with a task on the main actor, where an iPhone's program has its callbacks too.
  private static func rangeNatively(_ path: String) {
    Task { @MainActor in
      do {
        let session = BeaconSession(
          try CaptureSource(path: path),
          configuration: Configuration(.coreLocation14)
        )
        let client = try await session.connect(manifest, granted: .authorizedWhenInUse)
        var count = Count()
        try await session.run {
          for await tick in client.ranging(
            satisfying: .uuid(0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E)
          ) {
            count.add(tick.beacons.count, tick.beacons.first?.distance?.meters ?? -1)
          }
        }
        count.tell()
        exit(0)
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
      }
    }
    RunLoop.main.run()
  }

  private static func rangeThroughTheRoom(_ path: String, _ delegate: Delegate) {
    var setup = LocationSetup(.capture(path: path))
    setup.manifest = manifest
    setup.prompter = Consent()
    setup.atEnd = .exit
    CoreLocationProcess.use(setup)
    let manager = CLLocationManager()
    manager.delegate = delegate
    manager.requestWhenInUseAuthorization()
    manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
    atexit { Delegate.count.withLock { $0.tell() } }
    withExtendedLifetime((delegate, manager)) { RunLoop.main.run() }
  }
}

/// The results, so that a fast wrong result is detected.
struct Count: Sendable {
  private var ticks = 0
  private var beacons = 0
  private var meters = 0.0

  mutating func add(_ beacons: Int, _ nearest: Double) {
    ticks += 1
    self.beacons += beacons
    meters += nearest
  }

  func tell() { print("ticks \(ticks) beacons \(beacons) meters \(meters)") }
}

/// A prompter that allows every request.
struct Consent: Prompter {
  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    PromptAnswer(.whileUsing)
  }
}

class Delegate: NSObject, CLLocationManagerDelegate {
  static let count = Mutex(Count())

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    Self.count.withLock { $0.add(beacons.count, beacons.first?.accuracy ?? -1) }
  }
}

final class KeepingDelegate: Delegate {
  private var beacons: [CLBeacon] = []

  override func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    self.beacons = beacons
    super.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
  }
}
