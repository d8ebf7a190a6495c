// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
import Synchronization
import Testing

@testable import SystemKit

/// Opening outputs: no file of the user is overwritten by accident.
@Suite struct OutputFilesTests {
  private final class ScratchFolder {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "beacons-outputs-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to name: String) throws -> String {
      try Data(text.utf8).write(to: url.appending(path: name))
      return path(name)
    }

    func text(_ name: String) throws -> String {
      try String(contentsOfFile: path(name), encoding: .utf8)
    }

    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  // MARK: Files of other accounts

  @Test(
    .enabled(if: geteuid() == 0),
    arguments: [OutputFiles.Existing.setAside, .whole, .continued]
  )
  func `a file that another account prepared is not written`(
    _ existing: OutputFiles.Existing
  ) throws {
    let prepared = try folder.write("", to: "prepared")
    #expect(chown(prepared, 65_534, 65_534) == 0 && chmod(prepared, 0o666) == 0)
    let refusal = OutputRefusal.isForeign(path: prepared, owner: 65_534, canReplace: true)
    let files = OutputFiles()
    #expect(throws: refusal) { try files.announce(prepared, existing) }
    #expect(throws: refusal) { try files.open(prepared, existing) }
    #expect(throws: refusal) { try files.write(bytes("new"), to: prepared) }
    // If it is to be replaced, the new file is this account's.
    guard existing != .continued else { return }
    let file = try OutputFiles(replacing: true).open(prepared, existing, mode: 0o600)
    try file.write(bytes("new"))
    try file.commit()
    let status = try #require(FileStatus(prepared))
    #expect(status.owner == 0 && status.mode & 0o077 == 0)
    #expect(try folder.text("prepared") == "new")
  }

  @Test(.enabled(if: geteuid() == 0)) func `neither is its link or its pipe`() throws {
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
    #expect(lchown(link, 65_534, 65_534) == 0)
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o666) == 0 && chown(pipe, 65_534, 65_534) == 0)
    for path in [link, pipe] {
      let files = OutputFiles(replacing: true)
      #expect(throws: OutputRefusal.isForeign(path: path, owner: 65_534)) { try files.open(path) }
      // `--force` replaces neither.
      for files in [files, OutputFiles()] {
        let refusal = #expect(throws: OutputRefusal.self) { try files.announce(path) }
        #expect(refusal?.description.hasSuffix("the output; name another file") ?? false)
      }
    }
    #expect(try !folder.names.contains("target"))
    // An edit is refused, also with `--force`.
    let edited = try folder.write("a", to: "edited")
    let alias = folder.path("alias")
    try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: "edited")
    #expect(chown(edited, 65_534, 65_534) == 0)
    for path in [edited, alias, link] {
      let files = OutputFiles(replacing: true)
      let refusal = OutputRefusal.isOfAnother(path: path, owner: 65_534)
      #expect(throws: refusal) { try files.edit(path) { _ in bytes("b") } }
      #expect(throws: refusal) { try files.write(bytes("b"), to: path, editing: true) }
      #expect(throws: refusal) { try files.replace(path, keepingFormerWith: bytes("b")) }
      #expect(throws: refusal) { try files.exchangeFormer(of: path) { _ in } }
    }
    #expect(try folder.text("edited") == "a" && FileStatus(edited)?.owner == 65_534)
  }

  /// A folder with a link to a folder of the user, `own`, and what leads through it.
  @Test(
    .enabled(if: geteuid() == 0),
    arguments: [
      "d/link/file", "d/link/sub/file", "own-link/file", "d/../d/link/new/deep/file", "d/link",
    ]
  )
  func `nothing is written through a link of another account`(_ name: String) throws {
    let manager = FileManager.default
    for path in ["own/sub", "d"] {
      try manager.createDirectory(atPath: folder.path(path), withIntermediateDirectories: true)
    }
    let link = folder.path("d/link")
    try manager.createSymbolicLink(atPath: link, withDestinationPath: "../own")
    try manager.createSymbolicLink(atPath: folder.path("own-link"), withDestinationPath: link)
    #expect(chown(folder.path("d"), 65_534, 65_534) == 0 && lchown(link, 65_534, 65_534) == 0)
    let path = folder.path(name)
    let files = OutputFiles(replacing: true)
    if name != "d/link" {
      #expect(throws: OutputRefusal.self) { try files.announce(path) }
      #expect(throws: OutputRefusal.self) { try files.open(path) }
      #expect(throws: OutputRefusal.self) { try files.write(bytes("a"), to: path) }
      #expect(throws: OutputRefusal.self) { try files.edit(path) { _ in bytes("a") } }
      #expect(throws: OutputRefusal.self) { try files.replace(path, keepingFormerWith: bytes("a")) }
      #expect(throws: SystemError.self) { try FileDescriptor.createFolders(for: path) }
    }
    for makesParents in [true, false] {
      #expect(throws: OutputRefusal.self) {
        try files.announceFolder(path, makingParents: makesParents)
      }
    }
    #expect(
      Folder.distrust(path)?.hasSuffix("/d/link is a link of another account (65534)") ?? false
    )
    #expect(try Folder.names(in: folder.path("own")) == ["sub"])
    #expect(try Folder.names(in: folder.path("own/sub")).isEmpty)
    // The user's own links are followed, and so are root's.
    #expect(lchown(link, 0, 0) == 0)
    #expect(ForeignLink(on: path) == nil)
  }

  @Test func `links that lead to each other end`() throws {
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: folder.path("a"), withDestinationPath: "b")
    try manager.createSymbolicLink(atPath: folder.path("b"), withDestinationPath: "a/x")
    #expect(ForeignLink(on: folder.path("a/file")) == nil)
  }

  // MARK: Inputs and other outputs

  @Test(arguments: ["in", "./in", "hard", "soft", "sub/../in"], [false, true])
  func `an input is never written, under any name`(_ name: String, _ replaces: Bool) throws {
    let input = try folder.write("precious", to: "in")
    try FileManager.default.linkItem(atPath: input, toPath: folder.path("hard"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"),
      withDestinationPath: "in"
    )
    try FileManager.default.createDirectory(
      atPath: folder.path("sub"),
      withIntermediateDirectories: true
    )
    let files = OutputFiles(replacing: replaces)
    try files.addInput(input)
    let output = folder.url.path + "/" + name
    #expect(throws: OutputRefusal.isInput(path: output, input: input)) {
      _ = try files.open(output)
    }
    #expect(throws: OutputRefusal.isInput(path: output, input: input)) {
      try files.write(bytes("page"), to: output)
    }
    #expect(throws: OutputRefusal.isInput(path: output, input: input)) {
      _ = try files.open(output, .continued, appending: true)
    }
    #expect(try folder.text("in") == "precious")
  }

  /// How a shell opens a descriptor: `<`, `<>`, `>>`.
  private static let openings: [Int32] = [O_RDONLY, O_RDWR, O_WRONLY | O_APPEND, O_RDWR | O_APPEND]

  @Test(arguments: openings, [false, true])
  func `an input is never written through a descriptor, whatever its name`(
    _ flags: Int32,
    _ replaces: Bool
  ) throws {
    let input = try folder.write("precious", to: "in")
    let number = open(input, flags)
    try #require(number > 2)
    defer { close(number) }
    let link = folder.path("link")
    let process = ProcessInfo.processInfo.processIdentifier
    let names = [
      "/dev/fd/\(number)", "/proc/self/fd/\(number)", "/proc/\(process)/fd/\(number)",
      "/dev/fd/./\(number)", "/proc/thread-self/fd/\(number)", link,
    ]
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: names[0])
    for name in names {
      for named in [input, names[0]] {
        let files = OutputFiles(replacing: replaces)
        try files.addInput(named)
        let refusal = OutputRefusal.isInput(path: name, input: named)
        #expect(throws: refusal) { try files.check(name) }
        for existing in [OutputFiles.Existing.setAside, .whole, .continued] {
          #expect(throws: refusal) { try files.announce(name, existing) }
          #expect(throws: refusal) { _ = try files.open(name, existing, appending: true) }
        }
        #expect(throws: refusal) { try files.write(bytes("page"), to: name) }
      }
    }
    #expect(try folder.text("in") == "precious")
    #expect(try folder.names == ["in", "link"])
  }

  @Test func `what is an output is no input, in whatever order they come`() throws {
    let path = try folder.write("old", to: "out")
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("hard"))
    let number = open(path, O_WRONLY | O_APPEND)
    defer { close(number) }
    let hard = folder.path("hard")
    for output in [path, "/dev/fd/\(number)"] {
      let announced = OutputFiles(replacing: true)
      try announced.announce(output)
      #expect(throws: OutputRefusal.isInput(path: output, input: hard)) {
        try announced.addInput(hard)
      }
      let opened = OutputFiles(replacing: true)
      _ = try opened.open(output)
      #expect(throws: OutputRefusal.isInput(path: output, input: hard)) {
        try opened.addInput(hard)
      }
    }
  }

  @Test func `two descriptors of a file, or one and its path, are one output`() throws {
    let path = folder.path("out")
    let numbers = (0..<2).map { _ in open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
    defer { numbers.forEach { close($0) } }
    let names = numbers.map { "/dev/fd/\($0)" }
    for (first, second) in [(names[0], names[1]), (names[0], path), (path, names[0])] {
      let announced = OutputFiles(replacing: true)
      try announced.announce(first)
      #expect(throws: OutputRefusal.isOutput(path: second, other: first)) {
        try announced.announce(second)
      }
      let opened = OutputFiles(replacing: true)
      try opened.open(first).write(bytes("first"))
      #expect(throws: OutputRefusal.isOutput(path: second, other: first)) {
        _ = try opened.open(second)
      }
    }
  }

  @Test func `a descriptor replaces no content, unless that is requested`() throws {
    let path = try folder.write("mine", to: "out")
    let before = open(path, O_RDWR)
    let after = open(path, O_WRONLY | O_APPEND)
    defer { [before, after].forEach { close($0) } }
    let name = "/dev/fd/\(before)"
    #expect(throws: OutputRefusal.exists(path: name)) { try OutputFiles().announce(name) }
    #expect(throws: OutputRefusal.exists(path: name)) {
      _ = try OutputFiles().open(name, .continued)
    }
    #expect(throws: OutputRefusal.exists(path: name)) {
      try OutputFiles().write(bytes("new"), to: name)
    }
    try OutputFiles().open("/dev/fd/\(after)").write(bytes(" and more"))
    #expect(try folder.text("out") == "mine and more")
    lseek(before, 0, SEEK_END)
    try OutputFiles().write(bytes("."), to: name)
    #expect(try folder.text("out") == "mine and more.")
    lseek(before, 5, SEEK_SET)
    #expect(throws: OutputRefusal.exists(path: name)) { try OutputFiles().announce(name) }
    try OutputFiles(replacing: true).announce(name)
    try OutputFiles(replacing: true).open(name).write(bytes("or"))
    #expect(try folder.text("out") == "mine or")
  }

  // MARK: Permissions

  @Test(arguments: [(0o600, true), (0o640, true), (0o400, true), (0o644, false), (0o604, true)])
  func `a new file gives no more rights than a private input`(
    _ mode: Int,
    _ isPrivate: Bool
  ) throws {
    let input = try folder.write("precious", to: "in")
    _ = try folder.write("precious", to: "public")
    _ = try folder.write("mine", to: "old")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("dangling"),
      withDestinationPath: "target"
    )
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: input)
    for name in ["public", "old"] {
      try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path(name))
    }
    let files = OutputFiles(replacing: true)
    try files.addInput(folder.path("public"))
    try files.addInput(input)
    try files.open(folder.path("opened")).commit()
    try files.open(folder.path("kept"), .whole).commit()
    try files.open(folder.path("dangling")).commit()
    try files.write(bytes("page"), to: folder.path("whole"))
    try files.edit(folder.path("edited")) { $0 + bytes("a") }
    _ = try files.open(folder.path("mode"), mode: 0o640)
    // A file that exists keeps its permissions; what is not complete is for its owner alone.
    let replacing = try files.open(folder.path("old"), .whole)
    #expect(FileStatus(folder.path("old.new"))?.mode == 0o600)
    try replacing.write(bytes("new"))
    try replacing.commit()
    // What the mask of the process leaves of a mode.
    try Data().write(to: folder.url.appending(path: "usual"))
    for name in ["opened", "kept", "target", "whole", "edited"] {
      let mode = FileStatus(folder.path(name))?.mode
      #expect(mode == (isPrivate ? 0o600 : FileStatus(folder.path("usual"))?.mode), "\(name)")
    }
    #expect(FileStatus(folder.path("mode"))?.mode == 0o640)
    #expect(FileStatus(folder.path("old"))?.mode == 0o644)
  }

  @Test func `a file made of one in a private folder is private outside that folder`() throws {
    let manager = FileManager.default
    let closed = folder.url.appending(path: "closed")
    try manager.createDirectory(at: closed, withIntermediateDirectories: true)
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(""))
    let input = try folder.write("precious", to: "closed/in")
    try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: input)
    try manager.setAttributes([.posixPermissions: 0o750], ofItemAtPath: closed.path)
    let files = OutputFiles()
    try files.addInput(input)
    try files.open(folder.path("out")).commit()
    try files.open(folder.path("closed/out")).commit()
    try Data().write(to: folder.url.appending(path: "usual"))
    #expect(FileStatus(folder.path("out"))?.mode == 0o600)
    #expect(FileStatus(folder.path("closed/out"))?.mode == FileStatus(folder.path("usual"))?.mode)
  }

  @Test func `a replaced file keeps its access list and its attributes`() throws {
    let path = try folder.write("mine", to: "old")
    // The owner and root may read and write, the group may not: the mode shows the mask.
    func entry(_ tag: UInt16, _ rights: UInt16, _ id: UInt32 = .max) -> [UInt8] {
      [UInt8(tag), 0, UInt8(rights), 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
    }
    let list =
      [2, 0, 0, 0] + entry(1, 6) + entry(2, 6, 0) + entry(4, 0) + entry(16, 6) + entry(32, 0)
    let descriptor = open(path, O_WRONLY)
    defer { close(descriptor) }
    // Some file systems lack these.
    guard ExtendedAttributes.put(list, "system.posix_acl_access", descriptor),
      ExtendedAttributes.put(bytes("a"), "user.origin", descriptor)
    else { return }
    let files = OutputFiles(replacing: true)
    try files.edit(path) { $0 + bytes("a") }
    #expect(ExtendedAttributes.value("system.posix_acl_access", of: path) == list)
    #expect(ExtendedAttributes.value("user.origin", of: path) == bytes("a"))
    #expect(FileStatus(path)?.mode == 0o660)
    let new = OutputFiles()
    try new.addInput(path)
    try new.open(folder.path("made")).commit()
    #expect(FileStatus(folder.path("made"))?.mode == 0o600)
  }

  @Test func `files that a run keeps, and those in a folder that it reads, can be private as well`()
    throws
  {
    let kept = try folder.write("a", to: "state")
    #expect(chmod(kept, 0o644) == 0)
    for mode: mode_t in [0o644, 0o600] {
      #expect(chmod(kept, mode) == 0)
      let (one, all) = (OutputFiles(), OutputFiles())
      one.addKept(kept)
      one.addKept(folder.path("missing"))
      try all.addInput(folder.url.path)
      for (index, files) in [one, all].enumerated() {
        let path = folder.path("\(index)-\(mode)")
        try files.write(bytes("new"), to: path)
        #expect((FileStatus(path)?.mode == 0o600) == (mode == 0o600))
        #expect(unlink(path) == 0)
      }
    }
    // It may be written as well.
    let files = OutputFiles()
    files.addKept(kept)
    try files.check(kept, keepingContent: true)
  }

  @Test func `what a pipe brings is private`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    let files = OutputFiles()
    try files.addInput("/dev/fd/\(ends[0])")
    try files.write(bytes("page"), to: folder.path("out"))
    #expect(FileStatus(folder.path("out"))?.mode == 0o600)
  }

  @Test(arguments: [false, true])
  func `a file gets only one output`(_ replaces: Bool) throws {
    let files = OutputFiles(replacing: replaces)
    let path = folder.path("out")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"),
      withDestinationPath: "out"
    )
    let first = try files.open(path)
    try first.write(bytes("first"))
    #expect(throws: OutputRefusal.isOutput(path: path, other: path)) { _ = try files.open(path) }
    let soft = folder.path("soft")
    #expect(throws: OutputRefusal.isOutput(path: soft, other: path)) {
      try files.write(bytes("second"), to: soft)
    }
    #expect(try folder.text("out") == "first")
  }

  @Test func `a file that was replaced cannot be another output`() throws {
    let files = OutputFiles(replacing: true)
    let path = try folder.write("old", to: "out")
    let first = try files.open(path, .whole)
    try first.write(bytes("first"))
    try first.commit()
    #expect(throws: OutputRefusal.isOutput(path: path, other: path)) { _ = try files.open(path) }
    #expect(try folder.text("out") == "first")
  }

  @Test func `a file that was written whole cannot be another output`() throws {
    let files = OutputFiles(replacing: true)
    try files.write(bytes("page"), to: folder.path("out"))
    #expect(throws: OutputRefusal.self) { try files.write(bytes("table"), to: folder.path("out")) }
    #expect(try folder.text("out") == "page")
  }

  // MARK: Announced outputs

  @Test func `two outputs that are announced never share a file`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("loop"),
      withDestinationPath: folder.url.path
    )
    let files = OutputFiles(replacing: true)
    let path = folder.path("out")
    try files.announce(path)
    for other in [path, folder.url.path + "/loop/out", folder.url.path + "/./out"] {
      #expect(throws: OutputRefusal.isOutput(path: other, other: path)) {
        try files.announce(other, .whole)
      }
    }
    let old = try folder.write("old", to: "old")
    try FileManager.default.linkItem(atPath: old, toPath: folder.path("hard"))
    try files.announce(old)
    #expect(throws: OutputRefusal.isOutput(path: folder.path("hard"), other: old)) {
      try files.announce(folder.path("hard"))
    }
    // What is announced is opened, and what is no regular file may be announced twice.
    try files.open(path).write(bytes("new"))
    try files.announce("/dev/null")
    try files.announce("/dev/null")
    #expect(try folder.names == ["hard", "loop", "old", "out"])
  }

  @Test(arguments: ["new", "new-2", "old", "old-17"])
  func `another output gets no name with which an output is written`(_ ending: String) throws {
    let (path, taken) = (folder.path("out"), folder.path("out.\(ending)"))
    for (first, second) in [(path, taken), (taken, path)] {
      let files = OutputFiles(replacing: true)
      try files.announce(first, .whole)
      let refusal = #expect(throws: OutputRefusal.self) { try files.announce(second) }
      let words =
        "'\(taken)' is a name with which the output '\(path)' is written; name another file"
      #expect(refusal?.description == words)
    }
    let files = OutputFiles(replacing: true)
    for name in ["out", "out.newer", "out.new-", "out.new-x", "out.old.1", "out-new", "outer.new"] {
      try files.announce(folder.path(name))
    }
  }

  @Test func `an output in a folder that is missing, or that is a file, is refused`() throws {
    let files = OutputFiles()
    let file = try folder.write("mine", to: "file")
    let missing = folder.path("no")
    #expect(throws: OutputRefusal.noFolder(path: missing + "/x", folder: missing)) {
      try files.announce(missing + "/x")
    }
    #expect(throws: OutputRefusal.noFolder(path: "no/such/x", folder: "no/such")) {
      try files.announce("no/such/x", .whole)
    }
    #expect(throws: OutputRefusal.isFolder(path: folder.url.path)) {
      try files.announce(folder.url.path)
    }
    #expect(throws: OutputRefusal.isNoFolder(path: file + "/x", file: file)) {
      try files.announce(file + "/x")
    }
    #expect(try folder.names == ["file"])
  }

  @Test func `a folder of the run is a folder, and its files are nobody else's`() throws {
    let file = try folder.write("mine", to: "file")
    let files = OutputFiles()
    #expect(throws: OutputRefusal.isNoFolder(path: file, file: file)) {
      try files.announceFolder(file, makingParents: true)
    }
    #expect(throws: OutputRefusal.isNoFolder(path: file + "/a/b", file: file)) {
      try files.announceFolder(file + "/a/b", makingParents: true)
    }
    let deep = folder.path("a/b")
    #expect(throws: OutputRefusal.noFolder(path: deep, folder: folder.path("a"))) {
      try files.announceFolder(deep, makingParents: false)
    }
    try files.announceFolder(deep, makingParents: true)
    let kept = folder.path("h")
    try files.announceFolder(kept + "/", makingParents: false) { $0.hasPrefix("history-") }
    #expect(throws: OutputRefusal.isOutput(path: kept, other: kept + "/")) {
      try files.announce(kept)
    }
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
    try files.announce(kept + "/air.jsonl")
    let month = kept + "/history-2026-05.db"
    #expect(throws: OutputRefusal.isInFolder(path: month, folder: kept + "/")) {
      try files.announce(month)
    }
    let others = OutputFiles()
    try others.announce(month)
    #expect(throws: OutputRefusal.isInFolder(path: month, folder: kept)) {
      try others.announceFolder(kept, makingParents: false) { $0.hasPrefix("history-") }
    }
  }

  // MARK: Existing files

  @Test func `an existing file stays unless replacing is requested`() throws {
    let path = try folder.write("mine", to: "out")
    let files = OutputFiles()
    #expect(throws: OutputRefusal.exists(path: path)) { try files.check(path) }
    #expect(throws: OutputRefusal.exists(path: path)) { _ = try files.open(path) }
    #expect(throws: OutputRefusal.exists(path: path)) {
      _ = try files.open(path, .whole)
    }
    #expect(throws: OutputRefusal.exists(path: path)) { try files.write(bytes("new"), to: path) }
    #expect(try folder.text("out") == "mine")
    let output = try OutputFiles(replacing: true).open(path)
    try output.write(bytes("new"))
    #expect(try folder.text("out") == "new")
    try output.commit()
    #expect(try folder.names == ["out"])
  }

  @Test func `a file to which somebody records is not replaced, even on request`() throws {
    let path = try folder.write("recorded", to: "out")
    let begunBefore = try OutputFiles(replacing: true).open(path, .whole)
    var recorder = try FileLock(of: path)
    #expect(recorder != nil)
    #expect(try FileLock(of: path) == nil)
    let refusal = OutputRefusal.isRecorded(path: path)
    let files = OutputFiles(replacing: true)
    #expect(throws: refusal) { try files.announce(path) }
    #expect(throws: refusal) { _ = try files.open(path) }
    #expect(throws: refusal) { _ = try files.open(path, .whole) }
    #expect(throws: refusal) { try files.write(bytes("new"), to: path) }
    try begunBefore.write(bytes("new"))
    #expect(throws: refusal) { try begunBefore.commit() }
    #expect(try folder.text("out") == "recorded")
    recorder = nil
    try files.write(bytes("new"), to: path)
    #expect(try folder.text("out") == "new")
  }

  @Test func `an empty file is written, and a message says what to do about another`() throws {
    let path = try folder.write("", to: "out")
    try OutputFiles().open(path).write(bytes("new"))
    #expect(try folder.text("out") == "new")
    #expect("\(OutputRefusal.exists(path: "out"))".contains("--force"))
  }

  @Test func `a file that is not regular is written directly`() throws {
    let files = OutputFiles()
    for _ in 1...2 {
      try files.open("/dev/null").write(bytes("new"))
      try files.write(bytes("new"), to: "/dev/null")
    }
    #expect(throws: Never.self) { try files.check("/dev/stdout") }
  }

  // MARK: Replacing

  @Test func `the old content stays until the new is complete`() throws {
    let path = try folder.write("old", to: "out")
    var output: OutputFile? = try OutputFiles(replacing: true).open(path, .whole)
    try output?.write(bytes("half"))
    #expect(try folder.text("out") == "old")
    output = nil
    #expect(try folder.names == ["out"])
    output = try OutputFiles(replacing: true).open(path, .whole)
    try output?.write(bytes("whole"))
    try output?.commit()
    #expect(try folder.text("out") == "whole")
    #expect(try folder.names == ["out"])
  }

  @Test func `the old content of a file that readers follow stays next to it until the end`() throws
  {
    let path = try folder.write("old", to: "out")
    _ = try folder.write("mine", to: "out.old")
    #expect(chmod(path, 0o640) == 0)
    var output: OutputFile? = try OutputFiles(replacing: true).open(path)
    try output?.write(bytes("half"))
    output = nil
    #expect(try folder.text("out") == "half" && FileStatus(path)?.mode == 0o640)
    #expect(try folder.text("out.old-2") == "old")
    output = try OutputFiles(replacing: true).open(path)
    #expect(try folder.text("out.old-3") == "half")
    try output?.write(bytes("whole"))
    try output?.commit()
    #expect(try folder.names == ["out", "out.old", "out.old-2"])
    #expect(try folder.text("out") == "whole" && folder.text("out.old") == "mine")
  }

  @Test func `a file with several names is changed in place, and only by a complete output`() throws
  {
    let path = try folder.write("old and long", to: "out")
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("hard"))
    for content in ["new", "new and much longer", ""] {
      let old = try folder.text("hard")
      var output: OutputFile? = try OutputFiles(replacing: true).open(path, .whole)
      try output?.write(bytes("half of the new content"))
      #expect(try folder.text("hard") == old)
      output = nil
      #expect(try folder.text("hard") == old)
      output = try OutputFiles(replacing: true).open(path, .whole)
      try output?.write(bytes(content))
      try output?.commit()
      #expect(try folder.text("hard") == content)
      #expect(try folder.names == ["hard", "out"] && FileStatus(path)?.links == 2)
    }
  }

  @Test func `a file is the same on another device that shows it with its number and times`() throws
  {
    var seen = stat()
    #expect(try stat(folder.write("old", to: "out"), &seen) == 0)
    let file = FileStatus(seen)
    seen.st_dev += 1
    #expect(file.isSame(as: FileStatus(seen)))
    seen.st_ctim.tv_nsec ^= 1
    #expect(!file.isSame(as: FileStatus(seen)))
    seen.st_ctim.tv_nsec ^= 1
    seen.st_size += 1
    #expect(!file.isSame(as: FileStatus(seen)))
  }

  @Test func `a replaced file keeps its permissions, and a link stays a link`() throws {
    let path = try folder.write("old", to: "out")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"),
      withDestinationPath: "out"
    )
    try OutputFiles().write(bytes("new"), to: folder.path("soft"), editing: true)
    #expect(try folder.text("out") == "new")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("soft")) == "out"
    )
    #expect(FileStatus(path)?.mode == 0o640)
    let whole = try OutputFiles(replacing: true).open(folder.path("soft"), .whole)
    try whole.write(bytes("whole"))
    try whole.commit()
    #expect(try folder.text("out") == "whole")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("soft")) == "out"
    )
  }

  @Test func `every name of a file keeps its content`() throws {
    let path = try folder.write("old", to: "out")
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("hard"))
    try OutputFiles().write(bytes("new"), to: path, editing: true)
    #expect(try folder.text("hard") == "new")
    #expect(FileStatus(path)?.links == 2)
  }

  @Test func `a draft or a link with the name of the new file is not changed`() throws {
    let path = try folder.write("old", to: "out")
    let victim = try folder.write("victim", to: "victim")
    _ = try folder.write("draft", to: "out.new")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("out.new-2"),
      withDestinationPath: victim
    )
    try OutputFiles().write(bytes("new"), to: path, editing: true)
    #expect(try folder.text("out") == "new")
    #expect(try folder.text("out.new") == "draft")
    #expect(try folder.text("victim") == "victim")
    #expect(try folder.names == ["out", "out.new", "out.new-2", "victim"])
  }

  @Test(.enabled(if: disk != nil, "there is no disk in /dev"), arguments: [false, true])
  func `a disk is never written`(_ replaces: Bool) throws {
    let path = try #require(Self.disk)
    // Only what touches no file is called: where this fails, it must not cost a disk.
    let files = OutputFiles(replacing: replaces)
    #expect(throws: OutputRefusal.isDisk(path: path)) { try files.check(path) }
    for existing in [OutputFiles.Existing.setAside, .whole, .continued] {
      #expect(throws: OutputRefusal.isDisk(path: path)) { try files.announce(path, existing) }
    }
  }

  private static let disk = try? Folder.names(in: "/dev").map { "/dev/\($0)" }.sorted()
    .first { FileStatus($0)?.isDisk ?? false }

  // MARK: Changes

  @Test func `changes that programs make at the same time are all made`() throws {
    let path = try folder.write("", to: "shared")
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        try OutputFiles().edit(path) { $0 + Array("\(number)\n".utf8) }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    let lines = try folder.text("shared").split(separator: "\n")
    #expect(lines.sorted() == (0..<8).map { "\($0)" })
    #expect(try folder.names == ["shared"])
  }

  @Test func `a change makes a file, and only what differs is written`() throws {
    let path = folder.path("new")
    try OutputFiles().edit(path) { $0 + bytes("a") }
    let identity = FileStatus(path)?.identity
    try OutputFiles().edit(path) { $0 }
    #expect(FileStatus(path)?.identity == identity)
    #expect(throws: CancellationError.self) {
      try OutputFiles().edit(path) { _ in throw CancellationError() }
    }
    #expect(try folder.text("new") == "a")
  }

  // MARK: Whole files

  @Test func `a file beyond the limit is reported as too large`() throws {
    let path = folder.path("large")
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try FileHandle(forWritingAtPath: path)?.truncate(atOffset: UInt64(WholeFile.limit) + 1)
    let error = #expect(throws: SystemError.self) { _ = try WholeFile.read(path) }
    #expect(error?.description == "cannot read \(path): it is larger than 16 MiB")
  }
}
