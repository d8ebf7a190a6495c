// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// What a replay says on standard error where less came than was requested.
@Suite struct UnmetRequestTests {
  static let walk = CommandRun.capture("walk.btsnoop")
  static let gallery = CaptureGoldenTests.gallery
  static let absent = "11111111-2222-3333-4444-555555555555"

  @Test(arguments: [["scan"], ["range"]])
  func `a UUID that never came is named beside those that did`(_ command: [String]) {
    let run = CommandRun(command + ["--from", Self.walk, "-s", Self.absent])
    #expect(run.code == .done)
    #expect(run.errors.contains("no beacon of \(Self.absent) was received"), "\(run.errors)")
    #expect(run.errors.contains("this capture has \(Self.gallery): 3 beacons\n"), "\(run.errors)")
  }

  @Test(arguments: [["scan"], ["range"]])
  func `of many constraints a few are named and the others are counted`(_ command: [String]) {
    let many = (1...300).flatMap { ["-s", "\(Self.absent)/9/\($0)"] }
    let run = CommandRun(command + ["--from", Self.walk, "-s", Self.gallery] + many)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 6, "\(run.errors)")
    #expect(lines.last?.hasSuffix("nor was a beacon of 295 other constraints") == true, "\(lines)")
  }

  @Test func `a number that never came is named beside those of its UUID`() {
    let run = CommandRun(["range", "--from", Self.walk, "-s", "\(Self.gallery)/77"])
    #expect(
      run.errors.contains("this capture has \(Self.gallery): 3 beacons (1/1, 1/2, 1/3)\n"),
      "\(run.errors)"
    )
  }

  @Test func `a region whose beacons never came is explained, also beside one that was entered`() {
    let run = CommandRun([
      "monitor", "--from", Self.walk, "-r", "here=\(Self.gallery)", "-r", "there=\(Self.absent)",
    ])
    #expect(run.errors.contains("no beacon of \(Self.absent) was received"), "\(run.errors)")
    #expect(!run.errors.contains("no beacon of \(Self.gallery)"), "\(run.errors)")
  }

  @Test(arguments: [
    ["scan"], ["scan", "-s", gallery], ["range", "-s", gallery], ["range", "-s", "\(gallery)/1"],
    ["monitor", "-r", "museum=\(gallery)"],
  ])
  func `nothing is said where everything came`(_ command: [String]) {
    #expect(CommandRun(command + ["--from", Self.walk]).errors.isEmpty)
  }

  @Test func `a quiet run says nothing, and a client learns nothing of others' beacons`() throws {
    let line = ["range", "--from", Self.walk, "-s", Self.absent]
    #expect(CommandRun(line + ["--quiet"]).errors.isEmpty)
    let folder = try ScratchFolder()
    let state = ["XDG_STATE_HOME": folder.path("state")]
    _ = CommandRun(["auth", "set", "always", "--client", "guest"], environment: state)
    let run = CommandRun(line + ["--client", "guest"], environment: state)
    #expect(!run.errors.contains(Self.gallery), "\(run.errors)")
  }

  @Test func `a capture shorter than a second is said to have nothing to range`() {
    let path = CommandRun.capture("fragments.btsnoop")
    let run = CommandRun(["range", "--from", path, "-s", CaptureGoldenTests.fixture])
    #expect(run.code == .done)
    #expect(run.errors.contains("without a whole second to report on"), "\(run.errors)")
    #expect(!run.output.contains("\"ranged\""))
  }

  @Test func `what standard input held is not read twice`() throws {
    let census = BeaconCensus([])
    #expect(census.text() == "no iBeacon")
    let gallery = try IdentityConstraint(parsing: Self.gallery).uuid
    let one = BeaconIdentity(uuid: gallery, major: 1, minor: 2)
    let absent = try IdentityConstraint(parsing: Self.absent).uuid
    let other = BeaconIdentity(uuid: absent, major: 1, minor: 2)
    #expect(BeaconCensus([one, one]).text() == "\(Self.gallery): 1 beacon")
    #expect(
      BeaconCensus([one, other]).text(lookingFor: .uuid(one.uuid))
        == "\(Self.gallery): 1 beacon (1/2), \(Self.absent): 1 beacon"
    )
    let many = (0..<6).map { BeaconIdentity(uuid: UInt128($0), major: 1, minor: 1) }
    #expect(BeaconCensus(many).text().hasSuffix(", 3 more UUIDs"))
  }
}
