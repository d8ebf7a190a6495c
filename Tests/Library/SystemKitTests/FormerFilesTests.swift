// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import Testing

@testable import SystemKit

/// Files that are replaced while their former contents stay.
@Suite struct FormerFilesTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "beacons-former-\(UUID().uuidString)")
  private var path: String { folder.appending(path: "house.json").path }
  private let files = OutputFiles()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func replace(_ text: String) throws -> String? {
    try files.replace(path, keepingFormerWith: Array(text.utf8))
  }

  private func exchange() throws -> String? { try files.exchangeFormer(of: path) { _ in } }

  /// The files of the folder with their contents.
  private var contents: [String: String] {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
      )
    }
  }

  @Test func `each former content stays, and the last one comes back and goes again`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try replace("one") == nil)
    #expect(try exchange() == nil, "nothing was replaced yet")
    #expect(chmod(path, 0o640) == 0)
    #expect(try replace("two") == path + ".1")
    #expect(try replace("three") == path + ".2")
    #expect(FileStatus(path + ".1")?.mode == 0o640 && FileStatus(path)?.mode == 0o640)
    let all = ["house.json": "three", "house.json.1": "one", "house.json.2": "two"]
    #expect(try contents == all)
    #expect(try exchange() == path + ".3")
    #expect(
      try contents == ["house.json": "two", "house.json.1": "one", "house.json.3": "three"]
    )
    #expect(try exchange() == path + ".4")
    #expect(
      try contents == ["house.json": "three", "house.json.1": "one", "house.json.4": "two"]
    )
    #expect(try files.keep(Array("new".utf8), nextTo: path) == path + ".5")
    #expect(try exchange() == path + ".6")
    #expect(try contents["house.json"] == "new" && contents["house.json.6"] == "three")
  }

  @Test func `files of the user with such names are left, and a refused one stays`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["house.json.7", "house.json.x", "house.json.08", "house.json.1.bak"] {
      try Data("mine".utf8).write(to: folder.appending(path: name))
    }
    #expect(try replace("one") == nil)
    #expect(try replace("two") == path + ".8")
    for name in ["house.json.7", "house.json.x", "house.json.08", "house.json.1.bak"] {
      #expect(try contents[name] == "mine")
    }
    let before = try contents
    #expect(throws: CancellationError.self) {
      try files.exchangeFormer(of: path) { _ in throw CancellationError() }
    }
    #expect(try contents == before)
  }

  @Test func `only files of surveys are former contents, whatever the numbers of others`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try replace("one")
    #expect(try replace("two") == path + ".1")
    for number in ["9223372036854775807", "1000000000"] {
      try Data("mine".utf8).write(to: URL(filePath: path + "." + number))
    }
    #expect(symlink("elsewhere.json", path + ".2") == 0)
    #expect(mkfifo(path + ".3", 0o600) == 0)
    #expect(mkdir(path + ".4", 0o700) == 0)
    if geteuid() == 0 {
      try Data("theirs".utf8).write(to: URL(filePath: path + ".5"))
      #expect(chown(path + ".5", 65_534, 65_534) == 0)
    }
    // The next free name, as the exchange needs one.
    #expect(try exchange() == path + (geteuid() == 0 ? ".6" : ".5"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
    #expect(FileStatus(withoutFollowing: path)?.isRegular == true)
    #expect(FileStatus(path)?.isForeign == false)
  }

  @Test func `after a kill between two steps the next exchange still finds the former content`()
    throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try replace("one")
    _ = try replace("two")
    // It was kept, and the process ended before it was replaced.
    try Data("two".utf8).write(to: folder.appending(path: "house.json.2"))
    #expect(try exchange() == path + ".3")
    #expect(
      try contents == [
        "house.json": "one", "house.json.2": "two", "house.json.3": "two",
      ]
    )
  }

  @Test func `of a link the target is replaced, and its former contents lie there`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.appending(path: "models")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try Data("one".utf8).write(to: target.appending(path: "real.json"))
    #expect(symlink("models/real.json", path) == 0)
    let former = try replace("two")
    #expect(former?.hasSuffix("models/real.json.1") == true)
    #expect(FileStatus(withoutFollowing: path)?.isLink == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "two")
  }
}
