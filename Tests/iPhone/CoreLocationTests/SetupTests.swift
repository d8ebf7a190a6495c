// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
@testable import CoreLocation
import Foundation
import Testing

/// The process's declaration of its source, its user and itself.
@Suite struct SetupTests {
  @Test func `the default is the machine, live, in Core Location's profile`() throws {
    let setup = try SetupReader([:], file: nil).setup()
    guard case .machine = setup.source else {
      Issue.record("\(setup.source)")
      return
    }
    let direct = try SetupReader(["BEACONS_SOURCE": "bluez"], file: nil).setup()
    guard case .bluetooth(adapter: nil) = direct.source else {
      Issue.record("\(direct.source)")
      return
    }
    #expect(setup.configuration.profile == .coreLocation14)
    #expect(setup.state != nil)
    #expect(setup.atEnd == .stay)
  }

  @Test func `variables contain all settings`() throws {
    let setup = try SetupReader(
      [
        "BEACONS_SOURCE": "capture:walk.btsnoop", "BEACONS_SPEED": "10x",
        "BEACONS_PROFILE": "coreLocation12", "BEACONS_STATE": "/tmp/here",
        "BEACONS_AT_END": "stay", "BEACONS_ANSWERS": "none",
      ],
      file: nil
    ).setup()
    guard case .capture(path: "walk.btsnoop", speed: 10) = setup.source else {
      Issue.record("\(setup.source)")
      return
    }
    #expect(setup.configuration.profile == .coreLocation12)
    #expect(setup.state?.directory == "/tmp/here")
    #expect(setup.atEnd == .stay)
    #expect(setup.prompter == nil)
  }

  @Test func `a configuration is read only where BEACONS_CONFIG names it`() throws {
    let file = try Scratch(#"{ profile: "default", set: { "ranging.linger": 21 } }"#)
    var setup = try SetupReader(["BEACONS_CONFIG": file.path], file: nil).setup()
    #expect(setup.configuration.ranging.linger == .seconds(21))
    #expect(setup.configuration.profile == .standard)
    let variables = ["BEACONS_CONFIG": file.path, "BEACONS_PROFILE": "coreLocation13.4"]
    setup = try SetupReader(variables, file: nil).setup()
    #expect(setup.configuration.profile == .coreLocation13_4)
    #expect(setup.configuration.ranging.linger == .seconds(21))
    for none in ["none", ""] {
      setup = try SetupReader(["BEACONS_CONFIG": none], file: nil).setup()
      #expect(setup.configuration.profile == .coreLocation14)
    }
    let faulty = try Scratch(#"{ set: { "ranging.lingr": 21 } }"#)
    let error = #expect(throws: ConfigurationFileError.self) {
      try SetupReader(["BEACONS_CONFIG": faulty.path], file: nil).setup()
    }
    #expect(error?.faults.count == 1 && "\(error?.faults ?? [])".contains("ranging.lingr"))
    #expect(throws: ConfigurationFileError.self) {
      try SetupReader(["BEACONS_CONFIG": "/nowhere/file"], file: nil).setup()
    }
  }

  @Test func `a file is used where variables are not set`() throws {
    let file = try Scratch(#"{ source: "hci1", profile: "coreLocation13.4", state: "none" }"#)
    let setup = try SetupReader(["BEACONS_SOURCE": "hci0"], file: file.path).setup()
    guard case .bluetooth(adapter: "hci0") = setup.source else {
      Issue.record("\(setup.source)")
      return
    }
    #expect(setup.configuration.profile == .coreLocation13_4)
    #expect(setup.state == nil)
  }

  @Test(
    arguments: [
      ("BEACONS_SOURCE", "capture:"), ("BEACONS_SOURCE", "walk.btsnoop"),
      ("BEACONS_SOURCE", "captur:x"), ("BEACONS_SOURCE", "hci"), ("BEACONS_PROFILE", "iOS"),
      ("BEACONS_AT_END", "later"),
      ("BEACONS_ANSWERS", "maybe"), ("BEACONS_ANSWERS", "file:/nowhere"),
    ]
  )
  func `an impossible value is refused by its name`(_ variable: String, _ value: String) throws {
    let reader = try SetupReader([variable: value], file: nil)
    let error = #expect(throws: SetupError.self) { _ = try reader.setup() }
    #expect(error?.description.hasPrefix(variable) == true)
  }

  @Test(arguments: ["hci0", "hci12", "AA:BB:CC:dd:ee:01"])
  func `an adapter has a name or an address`(_ text: String) throws {
    let setup = try SetupReader(["BEACONS_SOURCE": text], file: nil).setup()
    guard case .bluetooth(adapter: text) = setup.source else {
      Issue.record("\(setup.source)")
      return
    }
  }

  @Test func `a file's path without its prefix is recognized`() throws {
    let file = try Scratch("{}")
    let reader = try SetupReader(["BEACONS_SOURCE": file.path], file: nil)
    let error = #expect(throws: SetupError.self) { _ = try reader.setup() }
    #expect(error?.description.hasSuffix("try capture:\(file.path)") == true)
  }

  @Test(arguments: ["bluez", "capture:walk.btsnoop"])
  func `a prompt that nobody can answer says what would`(_ source: String) async throws {
    let app = try App(receiving: "*", granted: .notDetermined)
    let client = try #require(await app.service.opening.value?.client)
    await client.requestAuthorization(.whenInUse)
    let prompt = try #require(await client.snapshot?.prompt)
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let setup = try SetupReader(
      ["BEACONS_SOURCE": source],
      file: nil,
      hasTerminal: false,
      write: { line.yield($0) }
    ).setup()
    #expect(await setup.prompter?.answer(prompt, for: client) == nil)
    line.finish()
    let text = await lines.reduce("") { $0 + $1 }
    #expect(text.contains("BEACONS_ANSWERS to one of ") && text.contains("whileUsing"), "\(text)")
    #expect(text.contains("beaconctl auth set whenInUse") == (source == "bluez"), "\(text)")
  }

  @Test(arguments: ["0", "-1", "fast", "inf", "x"])
  func `a speed is a factor`(_ speed: String) throws {
    let reader = try SetupReader(
      ["BEACONS_SOURCE": "capture:a", "BEACONS_SPEED": speed],
      file: nil
    )
    #expect(throws: SetupError.self) { _ = try reader.setup() }
  }

  @Test func `a prompt gets the first answer that it offers`() async throws {
    let app = try App(receiving: "*", granted: .notDetermined)
    let client = try #require(await app.service.opening.value?.client)
    await client.requestAuthorization(.whenInUse)
    let prompt = try #require(await client.snapshot?.prompt)
    let answers = try PreparedAnswers("allow, once # for a while\nwhileUsing imprecise")
    #expect(await answers.answer(prompt, for: client) == PromptAnswer(.once, precise: false))
    #expect(await (try PreparedAnswers("allow")).answer(prompt, for: client) == nil)
  }

  @Test func `a property list contains the purpose texts`() throws {
    let file = try Scratch(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>NSLocationWhenInUseUsageDescription</key><string>why</string>
        <key>NSLocationAlwaysAndWhenInUseUsageDescription</key><string>always</string>
        <key>NSLocationTemporaryUsageDescriptionDictionary</key>
        <dict><key>b</key><string>2</string><key>a</key><string>1</string></dict>
        <key>NSLocationDefaultAccuracyReduced</key><true/>
        <key>UIBackgroundModes</key><array><string>location</string></array>
      </dict></plist>
      """,
      "Info.plist"
    )
    #expect(
      try ManifestFile(path: file.path).manifest()
        == Manifest(
          whenInUse: "why",
          alwaysAndWhenInUse: "always",
          purposes: [
            Manifest.Purpose(key: "a", text: "1"), Manifest.Purpose(key: "b", text: "2"),
          ],
          defaultAccuracyReduced: true,
          backgroundLocation: true
        )
    )
  }

  @Test func `a JSON5 manifest reads like a property list`() throws {
    let file = try Scratch(#"{ whenInUse: "why", purposes: { a: "1" } } // or not"#, "Info.json5")
    #expect(
      try ManifestFile(path: file.path).manifest()
        == Manifest(whenInUse: "why", purposes: [Manifest.Purpose(key: "a", text: "1")])
    )
  }

  @Test(arguments: ["Info.plist", "Info.json5"])
  func `a damaged file is named`(_ name: String) throws {
    let file = try Scratch("<plist", name)
    let error = #expect(throws: SetupError.self) {
      _ = try ManifestFile(path: file.path).manifest()
    }
    #expect(error?.description.contains(file.path) == true)
  }
}

/// A file for a test, removed with the test.
private final class Scratch {
  let path: String
  private let folder: URL

  init(_ text: String, _ name: String = "CoreLocation.json5") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
