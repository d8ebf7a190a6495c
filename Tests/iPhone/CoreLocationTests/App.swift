// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
@testable import Beacons
@testable import CoreLocation
import Synchronization

/// A tested program with a timeline that it receives and a user who answers.
final class App: Sendable {
  static let uuid = Timeline.beacon.uuid
  static let manifest = Manifest(
    whenInUse: "To tell you what you stand before.",
    alwaysAndWhenInUse: "To greet you when you come back.",
    purposes: [Manifest.Purpose(key: "ExhibitGuide", text: "To name the painting.")],
    backgroundLocation: true
  )

  let service: LocationService
  private let prompter: ScriptedPrompter
  private let lines: Lines
  private let ends: AsyncStream<Bool>

  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  /// Creates a program.
  ///
  /// - Parameters:
  ///   - text: The timeline, one character for each second.
  ///   - manifest: The program's manifest.
  ///   - status: The status at the start.
  ///   - answers: The user's answers, in order.
  ///   - prompter: The user, if it is not one who gives the answers.
  ///   - state: The folder of the program's state.
  ///   - waits: How the capture waits at its start for the program; `nil` waits for its first request a short time, since other
  ///     tests may keep the process from resting.
  init(
    receiving text: String,
    _ manifest: Manifest = manifest,
    granted status: AuthorizationStatus = .authorizedWhenInUse,
    _ accuracy: AccuracyAuthorization = .full,
    answers: [PromptChoice] = [],
    prompter user: (any Prompter)? = nil,
    state: ClientStore? = nil,
    waits: Waits? = nil
  ) throws {
    let source = try TimelineSource(text)
    let prompter = ScriptedPrompter(answers.map { PromptAnswer($0) })
    self.prompter = prompter
    let saved = SavedClient(authorization: SavedAuthorization(status: status, accuracy: accuracy))
    let configuration = Configuration(.coreLocation14)
    let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
    self.ends = ends
    let lines = Lines()
    self.lines = lines
    let write: @Sendable (String) -> Void = { line in lines.all.withLock { $0.append(line) } }
    let hold =
      waits.map { waits in
        StartHold(
          sleep: { try await waits.sleep($0) },
          expired: { write(LocationService.holdNote) }
        )
      } ?? StartHold(bound: .seconds(2), pause: .milliseconds(20)) {}
    service = LocationService(
      manifest,
      saved: state?.savedClient(of: "app") ?? saved,
      configuration: configuration,
      open: {
        let session = BeaconSession(
          source,
          configuration: configuration,
          prompter: user ?? prompter
        )
        return try await session.openMonitor(
          "app",
          for: manifest,
          unlessKnown: saved,
          keepingStateIn: state,
          isForeground: true
        )
      },
      drive: { try await $0.run(holding: hold) },
      ended: { hasFailed in
        ended.yield(hasFailed)
        ended.finish()
      },
      write: write
    )
  }

  /// The prompts that were shown to the user.
  var prompts: [Prompt] { prompter.prompts }

  /// The warnings shown to the user who runs the program.
  var notes: [String] { lines.all.withLock { $0 } }

  /// Waits until the timeline has ended and everything has been delivered.
  func toEnd() async { for await _ in ends {} }

  /// The constraints that the program ranges, as the engine has them.
  var ranged: Int {
    get async {
      await service.requestQueue.settled()
      guard let client = await service.opening.value?.client else { return 0 }
      return await client.session.rangedConstraints(of: client.id).count
    }
  }
}

/// The waits of a capture at its start, on a clock that a test advances.
final class Waits: Sendable {
  let clock = ManualClock()
  private let waits: AsyncStream<Duration>
  private let wait: AsyncStream<Duration>.Continuation

  init() { (waits, wait) = AsyncStream.makeStream() }

  func sleep(_ duration: Duration) async throws {
    wait.yield(duration)
    try await clock.sleep(for: duration)
  }

  /// Waits until the capture waits for so long.
  func begins(_ duration: Duration) async {
    for await wait in waits where wait == duration { break }
    await clock.sleepers(atLeast: 1)
  }
}
