// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import CommandTestSupport
import SystemKit
import Testing

/// What happens while a replay waits for a time to come, or for its user.
@Suite(.timeLimit(.minutes(1))) struct PacedRunTests {
  /// Notes what happens in a run, and what its user does at a wait.
  private final class Notes: RunParticipant {
    enum Note: Equatable {
      case passed(Timestamp), performed, received, waited
    }

    private(set) var notes: [Note] = []
    private let acts: (Int) -> Bool
    private var waits = 0
    /// How often the run still has to wait for its user.
    private var open = 0
    private let prompts: Int

    init(prompts: Int = 0, acts: @escaping (Int) -> Bool = { _ in false }) {
      self.prompts = prompts
      self.acts = acts
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins:
        let client = run.driver?.connect(Manifest(whenInUse: "To guide you."))
        run.client = client
        run.engine.request(.authorize(.whenInUse), by: client)
        open = prompts
        if open > 0 { run.waitForUser() }
      case .received: notes.append(.received)
      case .recordedAction: notes.append(.performed)
      case .willWait(let time):
        notes.append(.passed(time))
        waits += 1
        if acts(waits) { run.perform(.settings(authorization: .never)) }
      case .user:
        notes.append(.waited)
        open -= 1
        if open > 0 { run.waitForUser() }
      default: break
      }
    }
  }

  private struct OneBatch: ScanReader {
    var batch: ScanBatch?
    mutating func next() -> ScanBatch? { batch.take() }
  }

  private static func run(_ notes: Notes, speed: Double? = 2) throws {
    var scan = TestScan()
    for time in [0.0, 2.0] { scan.report(TestScan.beacon(1, 1), -60, at: time) }
    let source = ReaderSource(OneBatch(batch: scan.inOrder), receiverNames: ["hci0"])
    let result = RunThread.run { () -> (any Error)? in
      var run = Runner(
        source,
        EngineSetup(RunOptions(), nil),
        participants: [notes]
      )
      run.pace = speed.map { ($0, FastClock()) }
      do {
        _ = try await run.run()
        return nil
      } catch {
        return error
      }
    }
    if let error = result ?? nil { throw error }
  }

  @Test func `time passes on the timeline while a replay waits`() throws {
    let notes = Notes()
    try Self.run(notes)
    #expect(
      notes.notes == [
        .received, .passed(TestScan.at(0)), .passed(TestScan.at(1)), .received, .received,
      ]
    )
  }

  @Test func `what a user does is performed before the wait goes on`() throws {
    let notes = Notes { $0 == 1 }
    try Self.run(notes)
    #expect(
      notes.notes == [
        .received, .passed(TestScan.at(0)), .performed, .passed(TestScan.at(0)),
        .passed(TestScan.at(1)), .received, .received,
      ]
    )
  }

  @Test func `a run does not go on before its user has answered`() throws {
    let notes = Notes(prompts: 2)
    try Self.run(notes, speed: nil)
    let start = Notes.Note.passed(TestScan.at(0))
    #expect(notes.notes == [start, .waited, start, .waited, .received, .received])
  }
}
