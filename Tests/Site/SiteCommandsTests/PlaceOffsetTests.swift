// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import Synchronization
import Testing

@testable import SiteCommands

/// Offsets of receivers that differ from their survey are shown, kept, and recorded.
@Suite struct PlaceOffsetTests {
  /// Nothing of it changes.
  private struct Pass: BatchTransform {
    mutating func add(_ batch: ScanBatch, receivers: [String]) -> ScanBatch { batch }
    mutating func finish(receivers: [String]) -> ScanBatch? { nil }
  }

  /// A capture in place of receivers.
  private static let live = AdditionalSource(networkAt: { $0.hasPrefix("live:") }) { address, _ in
    { _ in
      let captures = try CaptureSource(paths: [String(address.dropFirst("live:".count))])
      return AdditionalSource.Connection(TransformedSource(captures, isLive: true, by: Pass()))
    }
  }

  private static let program = program(conditions: [.place])

  private static func program(conditions: [AdditionalCondition]) -> Program {
    Program(
      adding: [(.receivers, SiteCommand.command([live]))],
      sources: [live],
      conditions: conditions
    )
  }

  /// Ten minutes at two receivers, of a beacon that changes its place each minute.
  private static func capture(stronger: Int, offsets: String = "") -> String {
    func time(_ second: Int, _ tenth: Int = 0) -> String {
      let clock = "\(second / 600)\(second / 60 % 10):\(second % 60 / 10)\(second % 10)"
      return "2026-05-02T10:\(clock).\(tenth)00000Z"
    }
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["h","c"],"redacted":true\#(offsets)}"#
    ]
    for receiver in ["h", "c"] {
      lines.append(
        #"{"v":1,"type":"radio","t":"\#(time(0))","receiver":"\#(receiver)","state":"listening"}"#
      )
    }
    for second in 0..<600 {
      for (number, receiver) in ["h", "c"].enumerated() {
        let level = (second / 60 % 2 == number ? -60 : -80) + second * 7 % 5 - 2
        lines.append(
          #"{"v":1,"type":"report","t":"\#(time(second, 3 + number))","receiver":"\#(receiver)","#
            + #""address":"02:00:00:00:00:01","address_type":"random","event":"ADV_NONCONN_IND","#
            + #""rssi":\#(level + (number == 0 ? stronger : 0)),"#
            + #""ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"}"#
        )
      }
    }
    lines.append(#"{"v":1,"type":"end","t":"\#(time(600))"}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  private let folder: ScratchFolder
  private let model: String
  private let shifted: String

  init() throws {
    folder = try ScratchFolder()
    let walk = try folder.write(Self.capture(stronger: 0), to: "walk.jsonl")
    let stays = (0..<10).map { "\($0 * 60),\($0 * 60 + 60),\($0 % 2 == 0 ? "hall" : "cellar")\n" }
    let labels = try folder.write("start,end,name\n" + stays.joined(), to: "walk.csv")
    model = folder.path("site.json")
    shifted = try folder.write(Self.capture(stronger: 6), to: "shifted.jsonl")
    let survey = run("site", "survey", "--from", walk, "--truth", labels, "--write", model)
    #expect(survey.code == .done, "\(survey.errors)")
  }

  private func run(_ arguments: String..., in store: String = "store") -> CommandRun {
    CommandRun(
      of: Self.program,
      arguments,
      environment: ["XDG_STATE_HOME": folder.path(store)]
    )
  }

  private func monitor(
    _ source: String,
    _ more: [String] = [],
    in store: String = "store",
    of program: Program = program
  ) -> CommandRun {
    CommandRun(
      of: program,
      [
        "monitor", "--region", "anna=F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1", "--place", "hall",
        "--model", model, "--from", source, "--format", "jsonl",
      ] + more,
      environment: ["XDG_STATE_HOME": folder.path(store)]
    )
  }

  private func sites(in store: String = "store") -> String? {
    try? String(contentsOfFile: folder.path("\(store)/beacons/sites.json"), encoding: .utf8)
  }

  private static func places(_ lines: [Substring]) -> [Substring] {
    lines.filter { $0.contains(#""type":"place""#) }
  }

  private static let remark =
    "h receives 6 dB more than in the survey; its levels are corrected by that"

  @Test func `row O12: a live run keeps learned offsets, and the next one starts with them`() throws
  {
    let first = monitor("live:" + shifted)
    #expect(first.code == .done && first.errors.contains(Self.remark), "\(first.errors)")
    try #require(sites() != nil)
    let recording = folder.path("run.jsonl")
    let second = monitor("live:" + shifted, ["--record", recording])
    #expect(second.errors.contains(Self.remark))
    let text = try String(contentsOfFile: recording, encoding: .utf8)
    let header = text.prefix { $0 != "\n" }
    #expect(header.contains(#""offsets":{"h":6}"#), "\(header)")
    // A replay has the same events and offsets, whatever the store is.
    for store in ["store", "other"] {
      let again = folder.path("again-\(store).jsonl")
      let replay = monitor(recording, ["--record", again], in: store)
      #expect(replay.output == second.output)
      #expect(replay.errors.contains(Self.remark))
      let lines = try String(contentsOfFile: again, encoding: .utf8).split(separator: "\n")
      #expect(lines.first?.contains(#""offsets":{"h":6}"#) == true)
      #expect(Self.places(lines) == Self.places(text.split(separator: "\n")))
    }
    #expect(sites(in: "other") == nil)
    // So does a part of the recording that `convert` writes.
    let part = folder.path("part.jsonl")
    #expect(run("convert", recording, part, "--since", "10:05").code == .done)
    #expect(try String(contentsOfFile: part, encoding: .utf8).contains(#""offsets":{"h":6}"#))
  }

  @Test func `an offset at the bound is at least so large`() {
    #expect(SiteFiles.remarks(on: ["h": 6]) == [Self.remark])
    let most = SiteFiles.remarks(on: ["h": -12]).first ?? ""
    #expect(
      most.hasPrefix(
        "h receives at least 12 dB less than in the survey; its levels are corrected by 12 dB"
      )
    )
  }

  @Test func `row O12: a replay learns by itself, and keeps nothing`() throws {
    let replay = monitor(shifted)
    #expect(replay.code == .done && replay.errors.contains(Self.remark), "\(replay.errors)")
    #expect(sites() == nil)
    let fuse = run("site", "fuse", "--model", model, "--from", shifted)
    #expect(fuse.errors.contains(Self.remark))
    #expect(sites() == nil)
  }

  @Test func `row O12: fuse keeps and starts with offsets as monitor does`() throws {
    let first = run("site", "fuse", "--model", model, "--from", "live:" + shifted)
    #expect(first.errors.contains(Self.remark), "\(first.errors)")
    let second = run("site", "fuse", "--model", model, "--from", "live:" + shifted)
    #expect(second.output != first.output)
    let recorded = try folder.write(
      Self.capture(stronger: 6, offsets: #","offsets":{"h":6}"#),
      to: "recorded.jsonl"
    )
    let replay = run("site", "fuse", "--model", model, "--from", recorded)
    #expect(replay.lines.count == second.lines.count)
    let different = zip(replay.lines, second.lines).first { $0 != $1 }
    #expect(different == nil)
    #expect(monitor("live:" + shifted).errors.contains(Self.remark))
  }

  @Test func `row O12: the run of a client neither keeps nor shows offsets`() throws {
    #expect(run("auth", "set", "always", "--client", "guide").code == .done)
    let client = monitor("live:" + shifted, ["--client", "guide"])
    #expect(client.code == .done && client.output.contains("anna"), "\(client.errors)")
    #expect(!client.errors.contains("receives"), "\(client.errors)")
    #expect(sites() == nil)
  }

  @Test func `row O12: a page shows changed offsets, unless the run is a client's`() {
    let told = Mutex<[[String: Int]]>([])
    let page = AdditionalCondition(options: []) { _, options in
      options.offsetsChanged = { offsets in told.withLock { $0.append(offsets) } }
    }
    let program = Self.program(conditions: [.place, page])
    #expect(run("auth", "set", "always", "--client", "guide").code == .done)
    #expect(monitor("live:" + shifted, ["--client", "guide"], of: program).code == .done)
    #expect(told.withLock { $0 } == [])
    #expect(monitor(shifted, of: program).code == .done)
    #expect(told.withLock { $0 } == [["h": 6]])
  }

  @Test(arguments: ["5", "18", "1e9", #""6""#, "null"])
  func `row O12: offsets that no run can have learned are not used`(offset: String) throws {
    let hostile = try folder.write(
      Self.capture(stronger: 0, offsets: #","offsets":{"h":\#(offset),"x":6}"#),
      to: "hostile.jsonl"
    )
    let plain = try folder.write(Self.capture(stronger: 0), to: "plain.jsonl")
    let fuse = run("site", "fuse", "--model", model, "--from", hostile)
    if fuse.code == .done {
      #expect(fuse.output == run("site", "fuse", "--model", model, "--from", plain).output)
    }
    #expect(!fuse.errors.contains("receives"), "\(fuse.errors)")
  }
}
