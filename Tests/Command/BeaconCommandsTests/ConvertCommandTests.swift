// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// `convert`: the contents of a capture survive every format, and addresses do not unless they are asked for.
@Suite struct ConvertCommandTests {
  static func addresses(in text: String) -> Set<String> {
    Set(
      text.matches(of: /"address":"([0-9A-F:]{17})"/).map { String($0.output.1) }
    )
  }

  private static func sightings(_ path: String) -> [String] {
    // The Linux monitor numbers its adapters, so a capture without receivers comes back with one.
    CommandRun(["scan", "--from", path]).lines.map {
      String($0).replacing(/"receiver":("[^"]*"|null)/, with: "\"receiver\":…")
    }
  }

  @Test(arguments: CaptureGoldenTests.captures)
  func `sightings survive the way through every format`(_ capture: String) throws {
    let folder = try ScratchFolder()
    let original = CommandRun.capture(capture)
    let wanted = Self.sightings(original)
    guard CommandRun(["inspect", original]).code == .done else { return }
    var from = original
    for (index, ending) in ["btsnoop", "jsonl", "btsnoop", "pcap", "jsonl"].enumerated() {
      let to = folder.path("\(index).\(ending)")
      let run = CommandRun(["convert", from, to, "-q"])
      #expect(run.code == .done)
      #expect(run.output.isEmpty && run.errors.isEmpty)
      #expect(Self.sightings(to) == wanted, "\(ending)")
      from = to
    }
  }

  @Test func `what our own formats hold comes back byte for byte`() throws {
    let folder = try ScratchFolder()
    let walk = CommandRun.capture("walk.btsnoop")
    _ = CommandRun(["convert", walk, folder.path("a.btsnoop")])
    _ = CommandRun(["convert", folder.path("a.btsnoop"), folder.path("b.jsonl")])
    _ = CommandRun(["convert", folder.path("b.jsonl"), folder.path("c.pcap")])
    _ = CommandRun(["convert", folder.path("c.pcap"), folder.path("d.jsonl")])
    _ = CommandRun(["convert", folder.path("d.jsonl"), folder.path("e.btsnoop")])
    func bytes(_ name: String) throws -> Data {
      try Data(contentsOf: folder.url.appending(path: name))
    }
    #expect(try bytes("d.jsonl") == bytes("b.jsonl"))
    _ = CommandRun(["convert", folder.path("e.btsnoop"), folder.path("f.btsnoop")])
    #expect(try bytes("f.btsnoop") == bytes("e.btsnoop"))
  }

  @Test(arguments: ["jsonl", "btsnoop", "pcap"])
  func `addresses become pseudonyms unless asked for`(_ format: String) throws {
    let folder = try ScratchFolder()
    let capture = CommandRun.capture("h4.btsnoop")
    let plain = folder.path("plain.jsonl")
    _ = CommandRun(["convert", capture, plain, "--include-addresses"])
    let addresses = Self.addresses(in: try String(contentsOfFile: plain, encoding: .utf8))
    #expect(addresses.count >= 5)
    for includes in [false, true] {
      let file = folder.path("\(includes).\(format)")
      _ = CommandRun(["convert", capture, file] + (includes ? ["--include-addresses"] : []))
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
      for address in addresses {
        #expect(Self.holds(bytes, address) == includes, "\(address)")
      }
    }
  }

  /// Whether bytes hold an address as text or as its six octets in either order.
  private static func holds(_ bytes: [UInt8], _ address: String) -> Bool {
    let octets = address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    return [Array(address.utf8), Array(address.lowercased().utf8), octets, octets.reversed()]
      .contains { bytes.firstRange(of: $0) != nil }
  }

  @Test func `pseudonyms distinguish devices as their addresses did`() throws {
    let folder = try ScratchFolder()
    let capture = CommandRun.capture("h4.btsnoop")
    func addressPerLine(_ name: String, _ options: [String]) throws -> [String] {
      _ = CommandRun(["convert", capture, folder.path(name)] + options)
      return try String(contentsOfFile: folder.path(name), encoding: .utf8)
        .matches(of: /"address":"([0-9A-F:]{17})"/).map { String($0.output.1) }
    }
    let real = try addressPerLine("real.jsonl", ["--include-addresses"])
    let pseudonyms = try addressPerLine("redacted.jsonl", [])
    #expect(real.count == pseudonyms.count)
    #expect(Set(zip(real, pseudonyms).map { "\($0) \($1)" }).count == Set(real).count)
    #expect(Set(pseudonyms).count == Set(real).count)
  }

  @Test func `the format is the ending's, or the one that was named`() throws {
    let folder = try ScratchFolder()
    let walk = CommandRun.capture("walk.btsnoop")
    #expect(CommandRun(["convert", walk, folder.path("a.pcap")]).code == .done)
    #expect(CommandRun(["convert", walk, folder.path("b"), "--to", "pcap"]).code == .done)
    let a = try Data(contentsOf: folder.url.appending(path: "a.pcap"))
    #expect(try a == Data(contentsOf: folder.url.appending(path: "b")))
    let unnamed = CommandRun(["convert", walk, folder.path("c.xyz")])
    #expect(unnamed.code == .usage)
    #expect(unnamed.errors.contains("has no ending that names a format"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("c.xyz")))
  }

  @Test(arguments: ["a.CSV", "a.Json", "a.ndjson", "a.NDJSON", "a.JSONL"])
  func `an ending is read in either case, by every command`(_ name: String) throws {
    let folder = try ScratchFolder()
    let walk = CommandRun.capture("walk.btsnoop")
    #expect(CommandRun(["convert", walk, folder.path(name)]).code == .done)
    #expect(CommandRun(["scan", "-f", walk, "-o", folder.path("b" + name)]).code == .done)
  }

  @Test func `a file is never written over itself, by whatever name`() throws {
    let folder = try ScratchFolder()
    let file = folder.path("a.btsnoop")
    try FileManager.default.copyItem(atPath: CommandRun.capture("walk.btsnoop"), toPath: file)
    try FileManager.default.linkItem(atPath: file, toPath: folder.path("hard.btsnoop"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft.btsnoop"),
      withDestinationPath: file
    )
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    for other in [
      file, folder.path("./a.btsnoop"), folder.path("hard.btsnoop"), folder.path("soft.btsnoop"),
    ] {
      let run = CommandRun(["convert", file, other])
      #expect(run.code == .usage)
      #expect(run.errors.contains("cannot be both read and written"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }
  }

  @Test func `anything but a capture leaves the output untouched`() throws {
    let folder = try ScratchFolder()
    let kept = try folder.write("precious", to: "kept.pcap")
    let arguments = ["convert", CommandRun.capture("wrong-magic.bin"), kept]
    #expect(CommandRun(arguments).code == .usage)
    #expect(CommandRun(arguments + ["--force"]).code == .badData)
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "precious")
  }
}
