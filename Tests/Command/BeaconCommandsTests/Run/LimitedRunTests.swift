// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import Testing

@testable import BeaconCommands

/// What a command says on behalf of a client that may know nothing: outputs, what is said on standard error at its most
/// talkative, the summary, and the files it keeps, searched for what was heard.
@Suite struct LimitedRunTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Secret beacons that come and go, and a radio that does too.
  private func capture(_ random: inout SplitMix64) throws -> String {
    var scan = TestScan()
    var second = 0.25
    while second < 400 {
      switch Int.random(in: 0..<60, using: &random) {
      case 0: scan.add(.radio(receiver: 0, .off, TestScan.at(second)))
      case 1, 2: scan.add(.radio(receiver: 0, .listening, TestScan.at(second)))
      case 3: second += 35  // longer than any exit time
      default:
        let beacon = SecretBeacons.beacon(Int.random(in: 0..<3, using: &random))
        scan.report(beacon, SecretBeacons.rssi, at: second)
      }
      second += 0.25
    }
    var writer = CaptureLineWriter(
      CaptureHeader(tool: "test", version: "0", receivers: ["hci0"]),
      redacting: true
    )
    writer.append(scan.batch)
    let path = folder.path("air.jsonl")
    try Data(writer.bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// What persons do that leaves the client limited, in JSON5.
  private func answers(_ random: inout SplitMix64) throws -> String {
    let inputs = [
      "'background'", "'foreground'", "'screenOn'", "'quiet'",
      "'services', on: false", "'services', on: true", "'restriction', on: true",
      "'restriction', on: false", "'settings', precise: false",
    ]
    var entries: [String] = []
    for second in stride(from: 1.0, to: 400, by: 7) {
      let input = inputs.randomElement(using: &random) ?? inputs[0]
      entries.append("{ at: \(second), input: \(input) }")
    }
    return try folder.write("[\(entries.joined(separator: ",\n"))]", to: "answers.json5")
  }

  static let limits = ["set denied", "precise off", "set notDetermined"]

  @Test(arguments: limits, ["monitor", "range"])
  func `nothing received appears in what it shows or stores`(
    _ limit: String,
    _ command: String
  ) throws {
    let environment = ["XDG_STATE_HOME": folder.url.path]
    let manifest = try folder.write("{ whenInUse: 'To guide you.' }", to: "m.json5")
    func auth(_ words: String) {
      _ = CommandRun(
        ["auth"] + words.split(separator: " ").map(String.init) + ["--client", "guide"],
        environment: environment
      )
    }
    for seed in 0..<UInt64(Effort.rounds(4)) {
      var random = SplitMix64(seed: seed)
      let capture = try capture(&random)
      let arguments =
        [
          command, "--from", capture, "-r", "all=\(Self.museum)", "--client", "guide", "--manifest",
          manifest, "--answers", try answers(&random), "-v", "--summary", "--state",
          folder.path("beacons"),
        ] + (command == "range" ? ["-s", Self.museum, "--while-inside", "all"] : [])
      for format in ["jsonl", "json", "csv", "table"] {
        auth("set always")
        auth("precise on")
        auth(limit)
        let run = CommandRun(arguments + ["--format", format], environment: environment)
        #expect(run.code == .done, "\(run.errors)")
        // An open question says all there is to say of a limit.
        let isAsked = limit == "set notDetermined"
        #expect(isAsked || run.errors.contains("beacons and regions are off"))
        #expect(run.errors.contains("\"type\":\"summary\""))
        for (name, text) in [("output", run.output), ("errors", run.errors)] {
          #expect(SecretBeacons.traces(in: text).isEmpty, "\(name), seed \(seed): \(text)")
        }
        let isCountedAsNone = isAsked && run.errors.contains("\"beacons\":0")
        #expect(isCountedAsNone || run.errors.contains("\"beacons\":null"))
      }
      try searchFiles()
    }
    // The same run of one who may know leaves traces everywhere, so the search can find them.
    auth("set always")
    auth("precise on")
    var random = SplitMix64(seed: 1)
    let free = CommandRun(
      [
        command, "--from", try capture(&random), "-r", "all=\(Self.museum)", "--client", "guide",
        "--manifest", manifest, "--format", "jsonl", "--state", folder.path("beacons"),
      ] + (command == "range" ? ["-s", Self.museum] : []),
      environment: environment
    )
    #expect(!SecretBeacons.traces(in: free.output).isEmpty)
    #expect(throws: Leak.self) { try searchFiles() }
  }

  @Test func `counts and faults of a capture are not for a client that may know nothing`() throws {
    let environment = ["XDG_STATE_HOME": folder.url.path]
    let clock = ProjectFiles.fixtures.appending(path: "clocks/back-45.jsonl")
    let path = try folder.write(
      String(contentsOf: clock, encoding: .utf8) + "no record\n",
      to: "air.jsonl"
    )
    func run(_ words: [String]) -> String {
      CommandRun(
        ["monitor", "--from", path, "-r", "all=\(Self.museum)", "-v", "--summary"] + words,
        environment: environment
      ).errors
    }
    let everything = run([])
    _ = CommandRun(["auth", "set", "denied", "--client", "guide"], environment: environment)
    let limited = run(["--client", "guide"])
    for word in ["set back", "malformedRecord", "records"] {
      #expect(everything.contains(word), "\(everything)")
      #expect(!limited.contains(word), "\(limited)")
    }
    #expect(limited.contains(#""late":null"#), "\(limited)")
  }

  private static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private struct Leak: Error {
    let file: String
  }

  /// Searches all that was kept, but for the capture itself.
  private func searchFiles() throws {
    let path = folder.path("beacons")
    for name in try FileManager.default.subpathsOfDirectory(atPath: path)
    where name.hasSuffix(".json") {
      let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
      if !SecretBeacons.traces(in: text).isEmpty { throw Leak(file: name) }
    }
  }
}
