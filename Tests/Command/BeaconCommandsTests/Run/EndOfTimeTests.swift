// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import Testing

/// A run ends, whatever times a capture has (row T9), and whenever the user wants it to.
@Suite(.timeLimit(.minutes(1))) struct EndOfTimeTests {
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  private static let ad = "1AFF4C000215F7826DA64FA24E988024BC5B71E0893E00010002C5"

  private func capture(_ time: String, in folder: ScratchFolder) throws -> String {
    try folder.write(
      #"{"v":1,"type":"report","t":"\#(time)","receiver":"r","address":"02:00:00:00:00:01","#
        + #""address_type":"random","event":"ADV_IND","rssi":-70,"ad":"\#(Self.ad)"}"# + "\n",
      to: "last.jsonl"
    )
  }

  @Test(
    arguments: [
      ["monitor", "-r", "a=\(uuid)"],
      ["range", "-s", uuid, "-r", "a=\(uuid)", "--while-inside", "a"],
    ],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:00Z"]
  )
  func `a drain ends at the end of time`(_ command: [String], _ time: String) throws {
    let folder = try ScratchFolder()
    let path = try capture(time, in: folder)
    for options in [["--drain"], []] {
      let run = CommandRun(command + ["--from", path, "--format", "jsonl"] + options)
      #expect(run.code == .done, "\(run.errors)")
      #expect(run.output.contains(#""region":"a""#))
    }
  }

  @Test func `a drain ends when the user wants it to`() async throws {
    let stop = Stop()
    var options = RunOptions()
    options.regions = [Region("a", .uuid(TestScan.museum))]
    let setup = EngineSetup(options, .monitoring)
    var exits = 0
    let watcher = TestParticipant(deliver: { deliveries in
      exits += deliveries.count { if case .regionExited = $0.event { true } else { false } }
    })
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    scan.report(TestScan.beacon(1, 1), -60, at: 1.5)
    var run = Runner(
      ReaderSource(OneBatch(scan.batch), receiverNames: ["hci0"]),
      setup,
      participants: [RunRequests(setup), watcher, stop]
    ) { stop.isWanted }
    run.drains = true
    let result = try await run.run()
    #expect(result.wasInterrupted)
    #expect(exits == 0)
  }

  private struct OneBatch: ScanReader {
    private var batch: ScanBatch?
    init(_ batch: ScanBatch) { self.batch = batch }
    mutating func next() -> ScanBatch? { batch.take() }
  }

  /// Stops the run when the source has ended.
  private final class Stop: RunParticipant {
    var isWanted = false
    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      if case .sourceEnded = moment { isWanted = true }
    }
  }
}
