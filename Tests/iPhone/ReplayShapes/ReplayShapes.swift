// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons
import CoreLocation
import Synchronization

/// Programs of many shapes over one replay, each of which must get the same events at every speed.
///
/// `ReplayShapes` lists the shapes. `ReplayShapes SHAPE CAPTURE SPEED` runs one and prints the events of each of its loops; CAPTURE
/// is a path or `own`, SPEED a number or `max`.
@main
enum ReplayShapes {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 3, let name = arguments.first else {
      for name
        in (LibraryShape.allCases.map(\.rawValue) + CoreLocationShape.allCases.map(\.rawValue))
      {
        print(name)
      }
      return
    }
    let replay = Replay(capture: arguments[2], speed: Double(arguments[3]))
    if let shape = LibraryShape(rawValue: name) {
      do {
        try await shape.run(replay)
      } catch {
        print("\(error)")
      }
      replay.log.show()
    } else if let shape = CoreLocationShape(rawValue: name) {
      await shape.run(replay)
    } else if let shape = StallShape(rawValue: name) {
      await shape.run(replay)
    }
  }
}

/// The replay of a shape, and the events of its loops.
final class Replay: Sendable {
  let log = Log()
  private let capture: String
  private let speed: Double?

  init(capture: String, speed: Double?) {
    (self.capture, self.speed) = (capture, speed)
  }

  /// Two visits, the second of which ends with the capture.
  private static let own = "---*****---------------*-*-*-*----------*********"

  func source() throws -> any ScanSource {
    let source: any ScanSource =
      capture == "own" ? try TimelineSource(Self.own) : try CaptureSource(path: capture)
    return speed.map { PacedSource(source, speed: $0) } ?? source
  }

  var uuid: UUID {
    UUID(
      uuidString: capture == "own"
        ? "00000000-0000-0000-0000-000000000001" : "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    ) ?? UUID()
  }

  var beacons: IdentityConstraint {
    capture == "own" ? .uuid(1) : .uuid(0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E)
  }

  var hall: Region { Region("hall", beacons, exitTiming: .fixed(.seconds(5))) }

  /// A region that is left and entered more often.
  var room: Region { Region("room", beacons, exitTiming: .fixed(.seconds(3))) }
}

/// The events that loops got, in the order of each loop.
final class Log: Sendable {
  private let lines = Mutex<[String: [String]]>([:])

  func note(_ loop: String, _ line: String) {
    lines.withLock { $0[loop, default: []].append(line) }
  }

  func note(_ loop: String, _ event: RegionEvent) {
    note(loop, "\(event.time) \(event.region) \(event.stateAfter) \(event.isCrossing)")
  }

  func note(_ loop: String, _ tick: RangingTick) {
    note(loop, "\(tick.time) \(tick.beacons.count) \(tick.beacons.first?.rssi ?? 0)")
  }

  func show() {
    for (loop, lines) in lines.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      for line in lines { print(loop, line) }
    }
  }
}

/// Allows everything.
struct Consent: Prompter {
  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    PromptAnswer(.whileUsing)
  }
}

/// Programs that a replay would wait for without end.
enum StallShape: String {
  case stalled, idle, continued

  func run(_ replay: Replay) async {
    do {
      let session = BeaconSession(
        try replay.source(),
        continuesWhenStalled: self == .continued
      )
      let client = try await session.connect()
      let diagnostics = client.diagnostics
      try await session.run(holding: StartHold(stallLimit: 1)) {
        await client.startMonitoring(replay.hall, assuming: .outside)
        if self == .idle { try await Task.sleep(for: .seconds(60)) }
        for await event in client.regionEvents where event.isCrossing {
          // The loop waits for a loop of another task, and the replay for the loop.
          await Task { for await _ in client.regionEvents {} }.value
        }
      }
      for await diagnostic in diagnostics { print("diagnostics", diagnostic) }
    } catch {
      print(error)
    }
  }
}
