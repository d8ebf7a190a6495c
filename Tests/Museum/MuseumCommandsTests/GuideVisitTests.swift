// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCommandLine
import BeaconCore
import BeaconMuseum
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import SystemKit
import Testing

@testable import BeaconCommands
@testable import MuseumCommands

/// The showings and the counts of a run of the guide.
@Suite(.timeLimit(.minutes(1))) struct GuideVisitTests {
  /// A view that compares the guide with another guide, which has answered the same deliveries.
  private final class ComparingView: RunParticipant {
    private let guide: ProgramHost<Guide>
    private var twin: Guide
    private(set) var ticks = 0
    private(set) var differences = 0
    private(set) var changes = 0
    var wantsEnd: Bool { ticks > 120 }

    init(_ guide: ProgramHost<Guide>) {
      self.guide = guide
      twin = guide.program
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins: _ = twin.begin(nil)
      case .delivered(let deliveries): compare(deliveries)
      default: break
      }
    }

    private func compare(_ deliveries: [Delivery]) {
      var isTick = false
      let former = twin.view
      for delivery in deliveries {
        _ = twin.answer(delivery)
        if case .ranged = delivery.event { isTick = true }
      }
      guard isTick else { return }
      ticks += 1
      if former != twin.view { changes += 1 }
      if guide.program.view != twin.view { differences += 1 }
    }
  }

  /// The setup of a guide whose visitor allows location after a second.
  static func setup(_ folder: ScratchFolder, _ more: String...) throws -> GuideSetup {
    let answers = try folder.write(
      "[{ at: 1, input: 'answer', choice: 'whileUsing' }]",
      to: "answers.json5"
    )
    let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path
    let line = ["museum", "guide", "--plan", plan, "--answers", answers, "--summary"] + more
    guard case .run(_, let arguments) = try Program.withMuseum.parse(line) else {
      throw CommandFailure(.software, "no command")
    }
    let schema = ConfigurationSchema([.engine, .receivers, .authorization, .guide])
    return try GuideSetup(arguments, from: ConfigurationPlaces(schema))
  }

  @Test func `a view shows the guide as it is after its answer to a tick`() async throws {
    let folder = try ScratchFolder()
    let setup = try Self.setup(folder, "--simulate", "7")
    let guide = setup.program()
    let view = ComparingView(guide)
    let io = CommandIO(
      output: MemorySink(),
      errors: MemorySink(),
      environment: ["XDG_STATE_HOME": folder.path("state")],
      clock: FastClock(),
      isInterrupted: { view.wantsEnd }
    )
    let visit = GuideVisitRun(setup, guide, format: nil, views: [view], io: io)
    _ = try await setup.source.run(visit, setup.plan, speed: 1, io)
    #expect(view.ticks > 120 && view.changes > 0)
    #expect(view.differences == 0)
  }

  /// A source that ends when the visitor has answered: before that the guide may count nothing.
  private actor DroppingSource: ScanSource {
    let receiverNames = ["hci0"]
    let drops: Tally<DropReason>
    private var batches = [
      ScanBatch(inputs: [.mark(TestScan.at(0))]), ScanBatch(inputs: [.mark(TestScan.at(2))]),
    ]
    init(_ drops: Tally<DropReason>) { self.drops = drops }
    var now: Timestamp { TestScan.start }
    func next(until time: Timestamp?) -> ScanBatch? {
      batches.isEmpty ? nil : batches.removeFirst()
    }
  }

  @Test func `the guide's summary counts all that its source dropped`() async throws {
    let folder = try ScratchFolder()
    let setup = try Self.setup(folder)
    let errors = MemorySink()
    let io = CommandIO(
      output: MemorySink(),
      errors: errors,
      environment: ["XDG_STATE_HOME": folder.path("state")],
      clock: FastClock()
    )
    var drops = Tally<DropReason>()
    drops.count(.sourceOverflow, times: 1)
    drops.count(.addressEvicted, times: 3)
    let visit = GuideVisitRun(setup, setup.program(), format: nil, io: io)
    _ = try await visit.play(DroppingSource(drops), speed: nil)
    #expect(errors.text.contains("\"addressEvicted\":3"), "\(errors.text)")
  }

  @Test(arguments: [["museum", "plan", "new"], ["museum"]])
  func `without the kernel's capability a command exits with 77`(_ command: [String]) throws {
    let folder = try ScratchFolder()
    let answers = try folder.write("[]", to: "answers.json5")
    let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path
    let more = command.count == 1 ? ["--plan", plan, "--answers", answers] : []
    let run = CommandRun(
      of: .withMuseum,
      command + more + ["--via", "kernel"],
      environment: ["XDG_STATE_HOME": folder.path("state")],
      openKernelChannel: { () throws(BlueZUnavailable) -> MonitorSocket in
        throw .kernelNotPermitted(program: "beaconctl")
      }
    )
    #expect(run.code == .notPermitted, "\(run.errors)")
  }
}
