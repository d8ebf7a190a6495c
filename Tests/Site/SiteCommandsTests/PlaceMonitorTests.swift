// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import SiteCommands

/// `monitor --place`, by its command lines.
@Suite struct PlaceMonitorTests {
  private static let program = Program(
    adding: [(.receivers, SiteCommand.command())],
    conditions: [.place]
  )
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private static let payload = "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"

  private func run(_ arguments: [String]) -> CommandRun {
    CommandRun(of: Self.program, arguments)
  }

  /// What a machine of a site recorded: each second three reports of a beacon if it is there.
  ///
  /// - Parameters:
  ///   - receiver: The name of its receiver.
  ///   - seconds: The seconds in which it receives the beacon.
  ///   - length: For how many seconds it records.
  ///   - deafFrom: When it falls deaf; `nil` for never.
  private static func capture(
    _ receiver: String,
    hearing seconds: Range<Int>,
    of length: Int = 120,
    deafFrom: Int? = nil
  ) -> String {
    func time(_ second: Int, _ tenth: Int = 0) -> String {
      let (minute, rest) = (second / 60, second % 60)
      return "2026-05-02T10:0\(minute):\(rest < 10 ? "0" : "")\(rest).\(tenth)00000Z"
    }
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["\#(receiver)"],"redacted":true}"#,
      #"{"v":1,"type":"radio","t":"\#(time(0))","receiver":"\#(receiver)","state":"listening"}"#,
    ]
    for second in 0..<length {
      if second == deafFrom {
        lines.append(
          #"{"v":1,"type":"radio","t":"\#(time(second))","receiver":"\#(receiver)","state":"deaf"}"#
        )
      }
      if seconds.contains(second), deafFrom.map({ second < $0 }) ?? true {
        for tenth in [1, 4, 7] {
          lines.append(
            #"{"v":1,"type":"report","t":"\#(time(second, tenth))","receiver":"\#(receiver)","#
              + #""address":"02:00:00:00:00:01","address_type":"random","event":"ADV_NONCONN_IND","#
              + #""rssi":\#(-60 - second % 4),"ad":"\#(payload)"}"#
          )
        }
      } else {
        lines.append(#"{"v":1,"type":"mark","t":"\#(time(second, 5))"}"#)
      }
    }
    lines.append(#"{"v":1,"type":"end","t":"\#(time(length))"}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  /// A folder with the captures of two machines, and the model of a walk.
  private struct Site {
    let folder: ScratchFolder
    let hall: String
    let cellar: String
    let model: String

    /// Both names of places can be chosen.
    init(hall name: String = "hall") throws {
      folder = try ScratchFolder()
      let walk = PlaceMonitorTests.capture("h", hearing: 0..<60)
      hall = try folder.write(walk, to: "hall.jsonl")
      cellar = try folder.write(
        PlaceMonitorTests.capture("c", hearing: 60..<120),
        to: "cellar.jsonl"
      )
      let quoted = name.replacing("\"", with: "\"\"")
      let labels = try folder.write(
        "start,end,name\n0,60,\"\(quoted)\"\n60,120,cellar\n",
        to: "w.csv"
      )
      model = folder.path("site.json")
      let survey = CommandRun(
        of: PlaceMonitorTests.program,
        ["site", "survey", "--from", hall, "--from", cellar, "--truth", labels, "--write", model]
      )
      #expect(survey.code == .done, "\(survey.errors)")
    }

    var sources: [String] { ["--from", hall, "--from", cellar] }
  }

  /// The events without their explanations and clients.
  private static func events(_ run: CommandRun) -> [String] {
    run.lines.compactMap { line in
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let type = object["type"] as? String, type.hasPrefix("region."),
        let time = object["t"] as? String, let region = object["region"] as? String
      else { return nil }
      let state = object["state"] as? String ?? String(type.dropFirst(7))
      return "\(time.dropFirst(14).prefix(5)) \(region) \(state) \(object["reason"] ?? "")"
    }
  }

  private static let monitor = ["monitor", "--region", "anna=\(uuid)/1/1", "--format", "jsonl"]

  @Test
  func `row O9: a beacon enters a place and leaves it, and a recording replays to the same events`()
    throws
  {
    let site = try Site()
    let recording = site.folder.path("run.jsonl")
    let live = run(
      Self.monitor + site.sources
        + ["--place", "hall", "--model", site.model, "--record", recording]
    )
    #expect(live.code == .done, "\(live.errors)")
    let events = Self.events(live)
    #expect(events.count == 3, "\(live.output)")
    #expect(events.first?.hasSuffix("anna inside cameToPlace") == true)
    #expect(events.dropFirst().first?.hasSuffix("anna exit leftPlace") == true)
    #expect(events.last?.hasSuffix("anna outside leftPlace") == true)
    #expect(
      live.output.contains(#""threshold":"hall","rule":"atOtherPlace","place":"cellar","p":0."#)
    )
    let text = try String(contentsOfFile: recording, encoding: .utf8)
    #expect(text.contains(#""type":"place""#))
    // The recording alone, with the model again, and at a speed.
    for more in [[], ["--model", site.model], ["--speed", "1000x"]] {
      let replay = run(Self.monitor + ["--from", recording, "--place", "hall"] + more)
      #expect(replay.code == .done)
      #expect(replay.output == live.output, "\(more)")
      #expect(replay.errors == "")
    }
    // A recording of the replay has the same lines of places.
    let again = site.folder.path("again.jsonl")
    _ = run(Self.monitor + ["--from", recording, "--place", "hall", "--record", again])
    let places = text.split(separator: "\n").filter { $0.contains(#""type":"place""#) }
    let second = try String(contentsOfFile: again, encoding: .utf8)
    #expect(second.split(separator: "\n").filter { $0.contains(#""type":"place""#) } == places)
  }

  @Test func `a recording with places ranges and scans as the same recording without them`() throws
  {
    let site = try Site()
    let recording = site.folder.path("run.jsonl")
    _ = run(
      Self.monitor + site.sources + [
        "--place", "hall", "--model", site.model, "--record", recording,
      ]
    )
    let text = try String(contentsOfFile: recording, encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.contains(#""type":"place""#) }
    let plain = try site.folder.write(lines.joined(separator: "\n") + "\n", to: "plain.jsonl")
    for command in [["range"], ["scan"], ["monitor", "--region", "a=\(Self.uuid)"]] {
      let with = run(command + ["--from", recording, "--format", "jsonl"])
      let without = run(command + ["--from", plain, "--format", "jsonl"])
      #expect(with.output == without.output, "\(command)")
      #expect(!with.output.isEmpty)
    }
  }

  @Test func `a recording that was cut in pieces replays to the same events`() throws {
    let site = try Site()
    let recording = site.folder.path("run.jsonl")
    let live = run(
      Self.monitor + site.sources + [
        "--place", "hall", "--model", site.model, "--record", recording,
      ]
    )
    let text = try String(contentsOfFile: recording, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    for cut in [1, lines.count / 3, lines.count / 2] {
      let first = try site.folder.write(
        lines.prefix(cut).joined(separator: "\n") + "\n",
        to: "first\(cut).jsonl"
      )
      let rest = try site.folder.write(
        lines.dropFirst(cut).joined(separator: "\n") + "\n",
        to: "rest\(cut).jsonl"
      )
      let replay = run(Self.monitor + ["--from", rest, "--from", first, "--place", "hall"])
      #expect(Self.events(replay) == Self.events(live), "\(cut): \(replay.errors)")
    }
  }

  @Test func `what fuse writes is a recording for monitor`() throws {
    let site = try Site()
    let fused = run(["site", "fuse", "--model", site.model, "--format", "jsonl"] + site.sources)
    let places = try site.folder.write(fused.output, to: "places.jsonl")
    let replay = run(Self.monitor + ["--from", places, "--place", "cellar"])
    let events = Self.events(replay)
    #expect(events.count == 3, "\(replay.output)\(replay.errors)")
    #expect(events.dropFirst().first?.hasSuffix("anna enter cameToPlace") == true)
  }

  @Test func `row O3: a receiver that dies makes a place unknown and nobody leaves`() throws {
    let site = try Site()
    let hall = try site.folder.write(
      Self.capture("h", hearing: 0..<120, deafFrom: 40),
      to: "dying.jsonl"
    )
    let short = try site.folder.write(Self.capture("c", hearing: 0..<0, of: 45), to: "short.jsonl")
    let result = run(
      Self.monitor + ["--from", hall, "--from", short, "--place", "hall", "--model", site.model]
    )
    let events = Self.events(result)
    #expect(!events.contains { $0.contains("exit") || $0.contains("outside") }, "\(events)")
    #expect(events.contains { $0.contains("unknown") }, "\(events)")
  }

  @Test func `several places make a region for each`() throws {
    let site = try Site()
    let result = run(
      Self.monitor + site.sources
        + ["--place", "hall", "--place", "cellar", "--place", "hall", "--model", site.model]
    )
    let events = Self.events(result)
    #expect(events.contains { $0.hasSuffix("anna/hall exit leftPlace") }, "\(events)")
    #expect(events.contains { $0.hasSuffix("anna/cellar enter cameToPlace") })
  }

  @Test
  func `a beacon that is never there is unknown at first, and outside when it would be received`()
    throws
  {
    let site = try Site()
    let result = run(
      ["monitor", "--region", "bert=\(Self.uuid)/9/9", "--place", "hall", "--model", site.model]
        + site.sources + ["--format", "jsonl"]
    )
    #expect(Self.events(result) == ["00:30 bert outside leftPlace"])
  }

  @Test func `a client learns places as far as its grant goes, and no remark says more`() throws {
    let site = try Site()
    let text = #"{ whenInUse: "w", alwaysAndWhenInUse: "a" }"#
    let manifest = try site.folder.write(text, to: "m.json5")
    func limited(_ name: String, _ answers: String, _ words: [String]) throws -> CommandRun {
      let answers = try site.folder.write(answers, to: "\(name).json5")
      return CommandRun(
        of: Self.program,
        Self.monitor + words
          + ["--client", "guide", "--manifest", manifest, "--answers", answers],
        environment: ["XDG_STATE_HOME": site.folder.url.path]
      )
    }
    let recording = site.folder.path("run.jsonl")
    let fused = site.sources + ["--place", "hall", "--model", site.model]
    let permitted = try limited(
      "permitted",
      "[{ at: 5, input: 'answer', choice: 'whileUsing' }]",
      fused + ["--record", recording]
    )
    #expect(permitted.output.contains("leftPlace"), "\(permitted.output)\(permitted.errors)")
    let reduced = try limited(
      "reduced",
      "[{ at: 5, input: 'answer', choice: 'whileUsing' }, { at: 40, input: 'settings', precise: false }]",
      fused
    )
    #expect(reduced.output.contains(#""reason":"accuracy""#), "\(reduced.output)\(reduced.errors)")
    let denied = try limited("denied", "[{ at: 1, input: 'answer', choice: 'dontAllow' }]", fused)
    #expect(!denied.output.contains("cameToPlace"))
    for run in [reduced, denied] {
      #expect(!run.output.contains("leftPlace"))
      #expect(!(run.output + run.errors).contains("cellar"))
    }
    // The operator is told which places there are, a client is not.
    let other = try limited(
      "other",
      "[{ at: 1, input: 'answer', choice: 'dontAllow' }]",
      ["--from", recording, "--place", "attic"]
    )
    #expect(!(other.output + other.errors).contains("cellar"), "\(other.errors)")
    let operators = run(Self.monitor + ["--from", recording, "--place", "attic"])
    #expect(operators.errors.contains("no beacon came to 'attic'; there are places"))
  }

  @Test func `a hostile name of a place is a name, and never reaches a terminal as it is`() throws {
    let name = "x\u{1B}]0;owned\u{07}\"',\\ \u{202E}"
    let site = try Site(hall: name)
    let recording = site.folder.path("run.jsonl")
    let result = run(
      Self.monitor + site.sources + ["--place", name, "--model", site.model, "--record", recording]
    )
    #expect(Self.events(result).contains { $0.hasSuffix("exit leftPlace") }, "\(result.errors)")
    for format in ["jsonl", "table", "csv"] {
      let shown = run(
        ["monitor", "--region", "anna=\(Self.uuid)/1/1", "--format", format, "--from", recording]
          + ["--place", name, "--place", "cellar"]
      )
      #expect(!(shown.output + shown.errors).unicodeScalars.contains("\u{1B}"), "\(format)")
      #expect(shown.output.contains("cellar"))
    }
    let missing = run(Self.monitor + ["--from", recording, "--place", "attic"])
    #expect(!missing.errors.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `what cannot be is said before anything runs`() throws {
    let site = try Site()
    let base = Self.monitor + site.sources
    let unknown = run(base + ["--place", "hal", "--model", site.model])
    #expect(unknown.code == .usage)
    #expect(unknown.errors.contains("'hal'"))
    #expect(unknown.errors.contains("hall"))
    let broken = try site.folder.write("{ places: 7 }", to: "broken.json")
    #expect(run(base + ["--place", "hall", "--model", broken]).code == .badData)
    #expect(run(base + ["--place", "hall", "--model", site.hall]).code == .badData)
    #expect(run(base + ["--place", "hall", "--model", "/nowhere"]).code == .noInput)
    #expect(run(base + ["--model", site.model]).code == .usage)
    #expect(run(base + ["--place", "", "--model", site.model]).code == .usage)
    #expect(run(["monitor", "--place", "hall", "--from", site.hall]).code == .usage)
    #expect(run(Self.monitor + ["--place", "hall"]).code == .usage)
    #expect(
      run(Self.monitor + ["--from", "-", "--place", "hall", "--model", "-"]).code == .usage
    )
    let none = run(base + ["--place", "hall"])
    #expect(none.errors.contains("have no places"))
    #expect(Self.events(none).isEmpty, "\(none.output)")
  }
}
