// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import SystemKit
import Testing

@testable import BeaconHistory

@Suite struct HistoryStoreTests {
  /// A folder that goes with the test.
  final class Folder {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "beacons-history-\(UUID().uuidString)").path

    func file(_ name: String) -> String { path + "/" + name }

    var names: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test(arguments: [
    "lock", "history-2026-05.db-journal", "history-2026-05.db-wal", "history-2026-05.db-shm",
    "history-sequence",
  ])
  func `a file of the user in the folder is refused and stays`(_ name: String) throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data("my own\n".utf8).write(to: URL(filePath: folder.file(name)))
    let error = #expect(throws: HistoryError.self) {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.time("2026-05-01T00:00:00Z"))]
      try store.write(&rows)
      try HistoryFolder(path: folder.path).keep(sequence: 5)
    }
    #expect(error == .notOwn(.isNotOwn(path: folder.file(name))))
    #expect(try String(contentsOfFile: folder.file(name), encoding: .utf8) == "my own\n")
  }

  /// A history of a row, and the path of its file.
  private static func written(in folder: Folder) throws -> String {
    let store = try HistoryStore(folder.path)
    var rows = [crossing(time("2026-05-01T00:00:00Z"))]
    try store.write(&rows)
    return folder.file("history-2026-05.db")
  }

  /// SQLite cuts and writes these files, also while it only reads.
  @Test(arguments: ["-journal", "-wal", "-shm"], [true, false])
  func `a further name of a file is never used next to a history`(
    _ ending: String,
    _ isWriting: Bool
  ) throws {
    let folder = Folder()
    let path = try Self.written(in: folder)
    let input = folder.file("input.jsonl")
    try Data().write(to: URL(filePath: input))
    try FileManager.default.linkItem(atPath: input, toPath: path + ending)
    #expect(throws: HistoryError.notOwn(.isNotOwn(path: path + ending))) {
      if isWriting { _ = try MonthFile(writing: path) } else { _ = try HistoryReader.open(path) }
    }
    #expect(try Data(contentsOf: URL(filePath: input)).isEmpty)
  }

  /// At its end such a journal has the name of a file, which SQLite removes after it undid a transaction.
  @Test func `a journal that names another file removes nothing`() throws {
    let folder = Folder()
    let path = try Self.written(in: folder)
    let victim = folder.file("precious")
    try Data("mine".utf8).write(to: URL(filePath: victim))
    func big(_ number: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let pages = try Data(contentsOf: URL(filePath: path)).count / HistorySchema.pageSize
    let head =
      mark + [0, 0, 0, 0, 0, 0, 0, 0] + big(pages) + big(512) + big(HistorySchema.pageSize)
    let name = Array(victim.utf8)
    let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
    let journal =
      head + [UInt8](repeating: 0, count: 512 - head.count)
      + big(0x4000_0000 / HistorySchema.pageSize + 1) + name + big(name.count) + big(sum) + mark
    try Data(journal).write(to: URL(filePath: path + "-journal"))
    #expect(throws: HistoryError.notOwn(.isNotOwn(path: path + "-journal"))) {
      _ = try MonthFile(writing: path)
    }
    #expect(FileManager.default.fileExists(atPath: victim))
  }

  /// Each of them runs an expression for each row, whatever it costs.
  @Test(arguments: [
    "CREATE INDEX ix ON crossing(t + 1)",
    "CREATE TABLE other(t CHECK (length(hex(zeroblob(t))) > 0))",
    "CREATE TRIGGER tr AFTER INSERT ON crossing BEGIN DELETE FROM visit; END",
  ])
  func `a history with a foreign part is not used`(_ statement: String) throws {
    let folder = Folder()
    let path = try Self.written(in: folder)
    try Database(path, .writing).execute(statement)
    for isWriting in [true, false] {
      let error = #expect(throws: HistoryError.self) {
        if isWriting { _ = try MonthFile(writing: path) } else { _ = try HistoryReader.open(path) }
      }
      guard case .damaged(path, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  /// Its owner could cut a file that SQLite has mapped, which ends the process.
  @Test(.enabled(if: geteuid() == 0)) func `of another account's history a copy is read`() throws {
    let (own, folder) = (Folder(), Folder())
    let store = try HistoryStore(own.path)
    var rows = [Self.crossing(Self.time("2026-05-01T00:00:00Z"))]
    try store.write(&rows)
    try FileManager.default.copyItem(atPath: own.path, toPath: folder.path)
    let path = folder.file("history-2026-05.db")
    for name in folder.names { #expect(chown(folder.file(name), 65_534, 65_534) == 0) }
    #expect(Database.isForeign(path) && folder.names.contains("history-2026-05.db-wal"))
    let database = try HistoryReader.open(path)
    for name in folder.names { #expect(truncate(folder.file(name), 0) == 0) }
    #expect(try database.integer("SELECT count(*) FROM crossing") == 1)
  }

  @Test(.enabled(if: geteuid() == 0), arguments: ["link", "link/new"])
  func `no history is written through a link of another account`(_ name: String) throws {
    let folder = Folder()
    let (own, link) = (folder.path + "/own", folder.path + "/link")
    let manager = FileManager.default
    try manager.createDirectory(atPath: own, withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: link, withDestinationPath: own)
    #expect(lchown(link, 65_534, 65_534) == 0)
    let path = folder.path + "/" + name
    let reason = "\(link) is a link of another account (65534)"
    #expect(throws: HistoryError.folder(path: path, reason)) { _ = try HistoryStore(path) }
    #expect(throws: HistoryError.folder(path: path, reason)) {
      _ = try HistoryFolder(path: path).lock()
    }
    #expect(try manager.contentsOfDirectory(atPath: own).isEmpty)
  }

  static func time(_ text: String) -> Timestamp { RFC3339.parse(text) ?? .earliest }

  static func crossing(_ time: Timestamp, _ region: String = "hall") -> HistoryRow {
    .crossing(
      HistoryCrossing(
        time: time,
        client: "guide",
        region: region,
        kind: .enter,
        reason: "heard",
        why: #"{"rule":"firstReport"}"#
      )
    )
  }

  static func minute(_ time: Timestamp, _ minor: UInt16 = 1, reports: Int = 60) -> HistoryMinute {
    HistoryMinute(
      minute: time,
      identity: TestScan.beacon(1, minor),
      receiver: "hci0",
      reports: reports,
      rssiTenths: -705,
      weakest: -80,
      strongest: -60,
      centimeters: 120,
      nearSeconds: 7
    )
  }

  static func crossings(_ path: String, _ selection: HistoryReader.Selection = .init()) throws
    -> [HistoryCrossing]
  {
    var found: [HistoryCrossing] = []
    try HistoryReader(path).crossings(selection) {
      found.append($0)
      return true
    }
    return found
  }

  static func minutes(_ path: String) throws -> [HistoryMinute] {
    var found: [HistoryMinute] = []
    try HistoryReader(path).minutes(HistoryReader.Selection()) {
      found.append($0)
      return true
    }
    return found
  }

  static let may = time("2026-05-31T23:59:00Z")
  static let june = time("2026-06-01T00:00:00Z")

  @Test func `rows are read as they were written, over the end of a month`() throws {
    let folder = Folder()
    let store = try HistoryStore(folder.path)
    let visit = HistoryVisit(entered: Self.may, client: "guide", region: "hall", quality: .whole)
    var ended = visit
    ended.left = Self.june + .seconds(5)
    let state = HistoryReceiverState(time: Self.may, receiver: "hci0", state: .deaf)
    let notice = HistoryNotice(time: Self.june, code: "timeGap", detail: "{}")
    var rows: [HistoryRow] = [
      Self.crossing(Self.may), .visit(visit), .minute(Self.minute(Self.may)), .receiver(state),
      Self.crossing(Self.june), .visit(ended), .minute(Self.minute(Self.june)), .notice(notice),
    ]
    try store.write(&rows)
    #expect(rows.isEmpty)
    #expect(
      folder.names.filter { $0.hasSuffix(".db") } == ["history-2026-05.db", "history-2026-06.db"]
    )
    let crossings = try Self.crossings(folder.path)
    #expect(crossings.map(\.sequence) == [1, 2])
    #expect(crossings.map(\.time) == [Self.may, Self.june])
    #expect(crossings.first?.why == #"{"rule":"firstReport"}"#)
    #expect(try Self.minutes(folder.path) == [Self.minute(Self.may), Self.minute(Self.june)])
    let reader = HistoryReader(folder.path)
    var visits: [HistoryVisit] = []
    try reader.visits(HistoryReader.Selection()) {
      visits.append($0)
      return true
    }
    #expect(visits == [ended])
    var notices: [HistoryNotice] = []
    try reader.notices(HistoryReader.Selection()) {
      notices.append($0)
      return true
    }
    #expect(notices == [notice])
  }

  @Test func `a selection is by time and region`() throws {
    let folder = Folder()
    let store = try HistoryStore(folder.path)
    var rows = (0..<10).map { Self.crossing(Self.june + .seconds($0), $0 % 2 == 0 ? "a" : "b") }
    try store.write(&rows)
    var selection = HistoryReader.Selection()
    selection.since = Self.june + .seconds(2)
    selection.until = Self.june + .seconds(7)
    selection.region = "a"
    #expect(try Self.crossings(folder.path, selection).map(\.sequence) == [3, 5, 7])
  }

  @Test func `a run that starts again continues counting and adds to the same minute`() throws {
    let folder = Folder()
    for _ in 1...2 {
      let store = try HistoryStore(folder.path)
      var rows: [HistoryRow] = [Self.crossing(Self.june), .minute(Self.minute(Self.june))]
      try store.write(&rows)
    }
    #expect(try Self.crossings(folder.path).map(\.sequence) == [1, 2])
    let minutes = try Self.minutes(folder.path)
    #expect(minutes.map(\.reports) == [120])
    #expect(minutes.map(\.rssiTenths) == [-705])
    #expect(minutes.map(\.nearSeconds) == [14])
  }

  @Test func `a run that was killed is reported to have ended with its last row`() throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows: [HistoryRow] = [
        .receiver(HistoryReceiverState(time: Self.june, receiver: "hci0", state: .listening)),
        .minute(Self.minute(Self.june + .seconds(600))),
      ]
      try store.write(&rows)
    }
    #expect(try HistoryWriter(folder.path).finish() == nil)
    let spans = try Self.spans(folder.path)
    #expect(spans.map(\.state.state) == [.listening, .ended])
    #expect(spans.first?.end == Self.june + .seconds(600) + TimeSpan(microseconds: 1))
  }

  static func spans(_ path: String) throws -> [HistoryReader.ReceiverSpan] {
    var spans: [HistoryReader.ReceiverSpan] = []
    try HistoryReader(path).receivers(HistoryReader.Selection()) {
      spans.append($0)
      return true
    }
    return spans
  }

  static func places(_ path: String) throws -> [HistoryPlace] {
    var places: [HistoryPlace] = []
    try HistoryReader(path).places(HistoryReader.Selection()) {
      places.append($0)
      return true
    }
    return places
  }

  static func listening(_ time: Timestamp, _ receiver: String = "hci0") -> HistoryRow {
    .receiver(HistoryReceiverState(time: time, receiver: receiver, state: .listening))
  }

  static func place(
    _ time: Timestamp,
    _ place: String?,
    until left: Timestamp? = nil
  ) -> HistoryPlace {
    HistoryPlace(
      entered: time,
      identity: TestScan.beacon(1, 1),
      state: place == nil ? .unknown : .known,
      place: place,
      percent: place == nil ? 0 : 91,
      left: left
    )
  }

  /// The state began in the file of an earlier month than that in which the run was killed.
  @Test(arguments: [true, false])
  func `a run that was killed in another month than its receivers' states began has ended as well`(
    _ hasEmptyFile: Bool
  ) throws {
    let folder = Folder()
    let last = Self.june + .seconds(600)
    do {
      let store = try HistoryStore(folder.path)
      var rows = [
        Self.listening(Self.may), .place(Self.place(Self.may, "hall")),
        .minute(Self.minute(last)),
      ]
      try store.write(&rows)
    }
    if hasEmptyFile { try Data().write(to: URL(filePath: folder.file("history-2026-07.db"))) }
    let august = Self.time("2026-08-02T00:00:00Z")
    let writer = try HistoryWriter(folder.path)
    #expect(writer.lastTime == last + TimeSpan(microseconds: 1))
    writer.submit([Self.listening(august)])
    #expect(writer.finish() == nil)
    let spans = try Self.spans(folder.path)
    #expect(spans.map(\.state.state) == [.listening, .ended, .listening])
    #expect(spans.map(\.state.time) == [Self.may, last + TimeSpan(microseconds: 1), august])
    #expect(try Self.places(folder.path) == [Self.place(Self.may, "hall", until: last)])
  }

  @Test func `only one process writes`() throws {
    let folder = Folder()
    let store = try HistoryStore(folder.path)
    #expect(throws: HistoryError.self) { try HistoryStore(folder.path) }
    withExtendedLifetime(store) {}
  }

  @Test func `a file of a later version is neither read nor written`() throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.june)]
      try store.write(&rows)
      let database = try Database(folder.file("history-2026-06.db"), .writing)
      try database.execute("PRAGMA user_version=7")
    }
    let before = try Data(contentsOf: URL(filePath: folder.file("history-2026-06.db")))
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june), Self.crossing(Self.may)]
    try store.write(&rows)
    #expect(
      store.takeRemarks() == [.newer(path: folder.file("history-2026-06.db"), version: 7)]
    )
    #expect(throws: HistoryError.newer(path: folder.file("history-2026-06.db"), version: 7)) {
      try Self.crossings(folder.path)
    }
    #expect(try Data(contentsOf: URL(filePath: folder.file("history-2026-06.db"))) == before)
  }

  /// Changes a byte of the header of a file.
  private static func set(_ file: String, _ offset: Int, _ byte: UInt8) throws {
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes[offset] = byte
    try bytes.write(to: URL(filePath: file))
  }

  /// The bytes of the header that define which programs can write and read the file, and the format of its schema.
  @Test(arguments: [(18, 3), (19, 3), (47, 5), (44, 1)] as [(Int, UInt8)])
  func `a file in a later format of SQLite is neither read, written nor purged`(
    _ offset: Int,
    _ byte: UInt8
  ) throws {
    let folder = Folder()
    let file = folder.file("history-2026-06.db")
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.june)]
      try store.write(&rows)
    }
    try Self.set(file, offset, byte)
    let before = try Data(contentsOf: URL(filePath: file))
    let error = HistoryError.unknownFormat(path: file)
    #expect(throws: error) { try Self.crossings(folder.path) }
    #expect(throws: error) {
      try HistoryPurge.removeAll(before: Self.time("2026-08-01T00:00:00Z"), in: folder.path)
    }
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june), Self.crossing(Self.may)]
    try store.write(&rows)
    #expect(store.takeRemarks() == [.unknownFormat(path: file)])
    #expect(try Data(contentsOf: URL(filePath: file)) == before)
  }

  /// With any byte in the header, the file is read, damaged, or of a later version; and the next run continues.
  @Test(.slow, arguments: [0, 3, 5, 0x80, 0xFF] as [UInt8])
  func `a header with another byte is not a separate error`(_ byte: UInt8) throws {
    let folder = Folder()
    let file = folder.file("history-2026-06.db")
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.june), .minute(Self.minute(Self.june))]
      try store.write(&rows)
    }
    let whole = try Data(contentsOf: URL(filePath: file))
    for offset in 0..<100 where whole[offset] != byte {
      try Self.set(file, offset, byte)
      do {
        _ = try Self.crossings(folder.path)
      } catch let error as HistoryError {
        switch error {
        case .damaged, .newer, .unknownFormat: break
        default: Issue.record("byte \(offset): \(error)")
        }
      }
      do {
        let store = try HistoryStore(folder.path)
        var rows = [Self.crossing(Self.june + .seconds(1))]
        try store.write(&rows)
      } catch {
        Issue.record("byte \(offset), writing: \(error)")
      }
      for name in folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
      try whole.write(to: URL(filePath: file))
    }
  }

  @Test(arguments: [
    "DROP TABLE crossing", "ALTER TABLE crossing RENAME COLUMN reports TO heard",
    "ALTER TABLE crossing ADD COLUMN more INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE crossing ADD COLUMN more AS (abs(seq))", "PRAGMA user_version=0",
  ])
  func `a file with other tables is damaged, for a reader and for a writer`(
    _ change: String
  ) throws {
    let folder = Folder()
    let file = folder.file("history-2026-06.db")
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.june)]
      try store.write(&rows)
      try Database(file, .writing).execute(change)
    }
    let found = #expect(throws: HistoryError.self) { try Self.crossings(folder.path) }
    guard case .damaged = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    #expect(FileManager.default.fileExists(atPath: file + ".damaged"))
    #expect(try Self.crossings(folder.path).count == 1)
  }

  @Test(arguments: ["PRAGMA user_version=7", nil])
  func `a purge or a limit removes nothing that this version does not know`(
    _ change: String?
  ) throws {
    let folder = Folder()
    let file = folder.file("history-2026-06.db")
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.may), Self.crossing(Self.june)]
      try store.write(&rows)
      if let change { try Database(file, .writing).execute(change) }
    }
    if change == nil { try Data("somebody's text\n".utf8).write(to: URL(filePath: file)) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    for time in ["2026-06-15T00:00:00Z", "2026-08-01T00:00:00Z"] {
      #expect(throws: HistoryError.self) {
        try HistoryPurge.removeAll(before: Self.time(time), in: folder.path)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
    var limits = HistoryLimits()
    limits.age = .seconds(86_400)
    let store = try HistoryStore(folder.path, limits: limits)
    var rows = [Self.crossing(Self.time("2026-09-01T00:00:00Z"))]
    try store.write(&rows)
    let isThere = ["", ".damaged"].contains { FileManager.default.fileExists(atPath: file + $0) }
    #expect(isThere, "\(store.takeRemarks())")
  }

  @Test func `a purge of a folder without history leaves no trace`() throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    _ = try HistoryPurge.removeAll(before: Self.june, in: folder.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a damaged file is set aside whole, and the history continues`() throws {
    let folder = Folder()
    let file = folder.file("history-2026-06.db")
    do {
      let store = try HistoryStore(folder.path)
      var rows: [HistoryRow] = (0..<400).map {
        .minute(Self.minute(Self.june + .seconds(60 * $0)))
      }
      try store.write(&rows)
    }
    var bytes = try Data(contentsOf: URL(filePath: file))
    #expect(bytes.count > 16_384)
    let noise = Data(repeating: 0xA5, count: 100)
    for page in 1..<bytes.count / HistorySchema.pageSize {
      let start = page * HistorySchema.pageSize
      bytes.replaceSubrange(start..<start + 100, with: noise)
    }
    try bytes.write(to: URL(filePath: file))
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    let remarks = store.takeRemarks()
    #expect(remarks.count == 1)
    #expect(try Data(contentsOf: URL(filePath: file + ".damaged")) == bytes)
    #expect(try Self.crossings(folder.path).count == 1)
  }

  @Test(arguments: ["not a database, but somebody's text\n", ""])
  func `a file that is not a history is not overwritten`(_ text: String) throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let file = folder.file("history-2026-06.db")
    try Data(text.utf8).write(to: URL(filePath: file))
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).count == 1)
    let aside = try? String(contentsOfFile: file + ".damaged", encoding: .utf8)
    #expect(text.isEmpty ? aside == nil : aside == text)
  }

  @Test func `another program's database is set aside, not changed`() throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let file = folder.file("history-2026-06.db")
    do {
      let other = try Database(file, .writing)
      try other.execute("CREATE TABLE crossing(x); INSERT INTO crossing VALUES(1)")
    }
    #expect(throws: HistoryError.self) { try Self.crossings(folder.path) }
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    let aside = try Database(file + ".damaged", .reading)
    #expect(try aside.integer("SELECT x FROM crossing") == 1)
  }

  @Test(arguments: [
    "DROP TABLE crossing; CREATE VIEW crossing AS WITH RECURSIVE c(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM c)"
      + " SELECT seq, 0 t, '' client, '' region, 'enter' kind, '' reason, '' why FROM c",
    "CREATE TRIGGER more AFTER INSERT ON crossing BEGIN DELETE FROM crossing; END",
  ])
  func `a view or a trigger of a file from outside is not run`(_ hostile: String) throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.june)]
      try store.write(&rows)
      let database = try Database(folder.file("history-2026-06.db"), .writing)
      try database.execute(hostile)
    }
    #expect(throws: HistoryError.self) { try Self.crossings(folder.path) }
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).count == 1)
  }

  @Test func `old months go by age and by size, never the one that is written`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.age = .seconds(70 * 86_400)
    let months = ["01", "02", "03", "04", "05"]
    do {
      let store = try HistoryStore(folder.path, limits: limits)
      for month in months {
        var rows = [Self.crossing(Self.time("2026-\(month)-10T12:00:00Z"))]
        try store.write(&rows)
      }
      #expect(store.takeRemarks() == [.removed(month: "2026-01")])
    }
    limits.megabytes = 0
    let store = try HistoryStore(folder.path, limits: limits)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    #expect(folder.names.filter { $0.hasSuffix(".db") } == ["history-2026-06.db"])
  }

  /// A machine without a clock battery may start with any time.
  @Test func `a clock far ahead of the history makes no month old before a day`() throws {
    let folder = Folder()
    let day = TimeSpan.seconds(86_400)
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.may), Self.crossing(Self.june)]
      try store.write(&rows)
    }
    func run(from start: Timestamp, after spans: [TimeSpan]) throws -> [HistoryRemark] {
      let store = try HistoryStore(folder.path, start: start)
      for span in spans {
        var rows = [Self.listening(start + span), .minute(Self.minute(start + span))]
        try store.write(&rows)
      }
      var rows = store.endings
      try store.write(&rows)
      return store.takeRemarks()
    }
    let ahead = Self.june + .seconds(600 * 86_400)
    #expect(try run(from: ahead, after: [.zero, .seconds(4)]) == [.ahead(days: 600)])
    // The rows of that run do not vouch for the clock of the next one, in another month.
    let later = ahead + .seconds(20 * 86_400)
    #expect(try run(from: later, after: [.zero]) == [.ahead(days: 620)])
    #expect(try Self.crossings(folder.path).count == 2)
    let found = try run(
      from: later + .seconds(25 * 86_400),
      after: [.zero, day - .seconds(1), day]
    )
    #expect(found.first == .ahead(days: 645))
    #expect(found.dropFirst() == [.removed(month: "2026-05"), .removed(month: "2026-06")])
  }

  @Test func `a clock far ahead of the history removes no more for size than is too much`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.may), Self.crossing(Self.june)]
      try store.write(&rows)
    }
    let start = Self.june + .seconds(600 * 86_400)
    limits.megabytes = 0
    let store = try HistoryStore(folder.path, limits: limits, start: start)
    var rows: [HistoryRow] = [.minute(Self.minute(start))]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).isEmpty)
  }

  /// A receiver that listened for a day, or rows of more than a month: a device that is switched off at night never listens
  /// for a day.
  @Test(arguments: [true, false])
  func `after a pause the clock is believed once it was right for long`(listens: Bool) throws {
    let folder = Folder()
    func day(_ number: Int64) -> Timestamp { Self.june + .seconds((100 + number) * 86_400) }
    func write(_ rows: [HistoryRow]) throws {
      var rows = rows
      try HistoryStore(folder.path).write(&rows)
    }
    try write([Self.crossing(Self.june)])
    if listens {
      try write([Self.listening(day(0)), Self.crossing(day(1))])
    } else {
      for number in Int64(0)...12 { try write([Self.crossing(day(3 * number))]) }
    }
    var limits = HistoryLimits()
    limits.age = .seconds(86_400)
    let start = day(listens ? 30 : 60)
    let store = try HistoryStore(folder.path, limits: limits, start: start)
    var rows = [Self.crossing(start)]
    try store.write(&rows)
    #expect(store.takeRemarks().first == .removed(month: "2026-06"))
  }

  @Test func `what is purged is no longer in the folder's bytes`() throws {
    let folder = Folder()
    let day = TimeSpan.seconds(86_400)
    do {
      let store = try HistoryStore(folder.path)
      var rows: [HistoryRow] =
        [Self.crossing(Self.may, "old-month"), Self.crossing(Self.june, "secret-room")]
        + (0..<200).map { Self.crossing(Self.june + .seconds($0), "secret-room") }
        + [Self.crossing(Self.june + day, "kept-room")]
      try store.write(&rows)
    }
    let result = try HistoryPurge.removeAll(before: Self.june + day, in: folder.path)
    #expect(result.months == ["2026-05"])
    #expect(result.rows == 201)
    #expect(try Self.crossings(folder.path).map(\.region) == ["kept-room"])
    for name in folder.names {
      let bytes = try Data(contentsOf: URL(filePath: folder.file(name)))
      #expect(bytes.range(of: Data("secret-room".utf8)) == nil, "in \(name)")
    }
  }

  @Test func `a month's file is its owner's alone, whatever the folder allows`() throws {
    let folder = Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755]
    )
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    for name in folder.names where name.hasPrefix("history-") {
      let rights = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(rights[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    withExtendedLifetime(store) {}
  }

  @Test func `the last month that has a name is purged by its rows as well`() throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.time("9999-12-31T10:00:00Z"), "kept-room")]
      try store.write(&rows)
    }
    let time = Self.time("9999-12-31T00:00:00Z")
    let result = try HistoryPurge.removeAll(before: time, in: folder.path)
    #expect(result.months.isEmpty)
    #expect(try Self.crossings(folder.path).map(\.region) == ["kept-room"])
  }

  @Test func `a receiver's state that stays across a purge begins there`() throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows: [HistoryRow] = [
        .receiver(HistoryReceiverState(time: Self.june, receiver: "hci0", state: .listening)),
        Self.crossing(Self.june + .seconds(100)),
      ]
      try store.write(&rows)
    }
    let time = Self.june + .seconds(50)
    _ = try HistoryPurge.removeAll(before: time, in: folder.path)
    var found: [HistoryReader.ReceiverSpan] = []
    try HistoryReader(folder.path).receivers(HistoryReader.Selection()) {
      found.append($0)
      return true
    }
    #expect(found.map(\.state.time) == [time])
    #expect(found.map(\.state.state) == [.listening])
  }

  /// The cut is in the month of the state, in one without a file, and in that of the last row.
  @Test(arguments: ["2026-04-20T00:00:00Z", "2026-05-20T00:00:00Z", "2026-06-20T00:00:00Z"])
  func `what stays across a purge of several months begins at its time`(_ text: String) throws {
    let folder = Folder()
    let (april, last) = (Self.time("2026-04-03T00:00:00Z"), Self.time("2026-06-25T00:00:00Z"))
    do {
      let store = try HistoryStore(folder.path)
      var rows = [
        Self.listening(april), Self.listening(april, "hci1"),
        .receiver(HistoryReceiverState(time: april, receiver: "hci1", state: .ended)),
        .place(Self.place(april, "hall", until: last)), Self.crossing(april),
        .minute(Self.minute(last)),
      ]
      try store.write(&rows)
    }
    let cut = Self.time(text)
    _ = try HistoryPurge.removeAll(before: cut, in: folder.path)
    let spans = try Self.spans(folder.path)
    #expect(spans.map(\.state.time) == [cut])
    #expect(spans.map(\.state.receiver) == ["hci0"])
    #expect(try Self.places(folder.path) == [Self.place(cut, "hall", until: last)])
    #expect(try Self.minutes(folder.path).count == 1)
  }

  @Test func `a state behind which no receiver listened does not last across a purge`() throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.listening(Self.may), Self.crossing(Self.june)]
      try store.write(&rows)
    }
    _ = try HistoryPurge.removeAll(before: Self.june + .seconds(1), in: folder.path)
    #expect(try Self.spans(folder.path).isEmpty)
  }

  @Test(arguments: ["2026-06-20T00:00:00Z", "2026-07-01T00:00:00Z", "2027-01-01T00:00:00Z"])
  func `crossings are counted on after a purge of all of them`(_ cut: String) throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.may), Self.crossing(Self.june)]
      try store.write(&rows)
    }
    _ = try HistoryPurge.removeAll(before: Self.time(cut), in: folder.path)
    #expect(try Self.crossings(folder.path).isEmpty)
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.time("2027-01-02T00:00:00Z"))]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).map(\.sequence) == [3])
  }

  @Test(arguments: ["", "x\n", "-4\n", "99999999999999999999\n", "9223372036854775807\n"])
  func `a number of the next crossing that nobody wrote counts for nothing`(_ text: String) throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: folder.file("history-sequence")))
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).map(\.sequence) == [1])
  }

  @Test func `numbers and times that no program writes do not end the next run`() throws {
    let folder = Folder()
    do {
      let store = try HistoryStore(folder.path)
      var rows = [Self.crossing(Self.june), Self.listening(Self.june)]
      try store.write(&rows)
      let database = try Database(folder.file("history-2026-06.db"), .writing)
      try database.execute(
        """
        UPDATE crossing SET seq = 9223372036854775807, t = 9223372036854775807;
        INSERT INTO minute(minute, beacon, receiver, reports) VALUES(9223372036854775807, 1, 1, 1)
        """
      )
    }
    let writer = try HistoryWriter(folder.path)
    writer.submit([Self.crossing(Self.june + .seconds(5))])
    #expect(writer.finish() == nil)
  }

  @Test func `rows of the future make no month old`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.age = .seconds(70 * 86_400)
    var rows = [Self.crossing(Self.time("2026-01-10T12:00:00Z"))]
    try HistoryStore(folder.path, limits: limits).write(&rows)
    // A replay in March of a capture with a time of 2050, and one in June.
    for (present, months) in [("2026-03-10", 2), ("2026-06-10", 1)] {
      let present = Self.time("\(present)T00:00:00Z")
      let store = try HistoryStore(folder.path, limits: limits, present: present)
      rows = [Self.crossing(Self.time("205\(months)-01-01T00:00:00Z"))]
      try store.write(&rows)
      let left = folder.names.filter { $0 == "history-2026-01.db" }
      #expect(left.count == months - 1, "\(folder.names)")
    }
  }

  @Test func `what stays across the months that the limits remove begins after them`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.age = .seconds(40 * 86_400)
    let store = try HistoryStore(folder.path, limits: limits)
    let march = Self.time("2026-03-10T00:00:00Z")
    var rows = [Self.crossing(march), Self.listening(march), .place(Self.place(march, "hall"))]
    try store.write(&rows)
    for text in ["2026-05-10T00:00:00Z", "2026-06-10T00:00:00Z", "2026-07-10T00:00:00Z"] {
      rows = [.minute(Self.minute(Self.time(text)))]
      try store.write(&rows)
    }
    #expect(store.takeRemarks() == [.removed(month: "2026-03")])
    let cut = Self.time("2026-05-01T00:00:00Z")
    #expect(try Self.spans(folder.path).map(\.state.time) == [cut])
    #expect(try Self.places(folder.path) == [Self.place(cut, "hall")])
    rows = [Self.crossing(Self.time("2026-07-11T00:00:00Z"))]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).map(\.sequence) == [2])
  }

  @Test func `a limit that leaves only the new month forgets neither states nor numbers`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.megabytes = 0
    do {
      let store = try HistoryStore(folder.path, limits: limits)
      var rows = [
        Self.listening(Self.may), Self.crossing(Self.may), .minute(Self.minute(Self.june)),
      ]
      try store.write(&rows)
      #expect(try Self.spans(folder.path).map(\.state.time) == [Self.june])
    }
    let store = try HistoryStore(folder.path, limits: limits)
    var rows = [Self.crossing(Self.june + .seconds(1))]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).map(\.sequence) == [2])
  }

  @Test func `nobody purges what is being written`() throws {
    let folder = Folder()
    let store = try HistoryStore(folder.path)
    #expect(throws: HistoryError.self) {
      try HistoryPurge.removeAll(before: .latest, in: folder.path)
    }
    withExtendedLifetime(store) {}
  }

  @Test func `a reader reads next to the writer`() throws {
    let folder = Folder()
    let store = try HistoryStore(folder.path)
    var rows = [Self.crossing(Self.june)]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).count == 1)
    rows = [Self.crossing(Self.june + .seconds(1))]
    try store.write(&rows)
    #expect(try Self.crossings(folder.path).count == 2)
    #expect(throws: HistoryError.self) { try Self.crossings(folder.path + "-none") }
  }
}

@Suite struct HistoryWriterTests {
  static let june = HistoryStoreTests.june

  @Test func `everything that was submitted is written at the end`() throws {
    let folder = HistoryStoreTests.Folder()
    let writer = try HistoryWriter(folder.path)
    for second in 0..<500 {
      writer.submit([HistoryStoreTests.crossing(Self.june + .seconds(Int64(second)))])
    }
    #expect(writer.finish() == nil)
    #expect(try HistoryStoreTests.crossings(folder.path).count == 500)
    #expect(writer.takeRemarks().isEmpty)
  }

  @Test func `a write that fails is reported once, and is made up for`() throws {
    let folder = HistoryStoreTests.Folder()
    let writer = try HistoryWriter(folder.path, pause: .zero)
    let file = folder.file("history-2026-06.db")
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    for second in 0..<5 {
      writer.submit([HistoryStoreTests.crossing(Self.june + .seconds(Int64(second)))])
      writer.flush()
    }
    #expect(writer.waiting == 5)
    let remarks = writer.takeRemarks()
    #expect(remarks.count == 1)
    try FileManager.default.removeItem(atPath: file)
    writer.flush()
    #expect(writer.takeRemarks() == [.recovered(lost: 0)])
    #expect(writer.finish() == nil)
    #expect(try HistoryStoreTests.crossings(folder.path).count == 5)
  }

  @Test func `an end with rows that could not be written reports it`() throws {
    let folder = HistoryStoreTests.Folder()
    let writer = try HistoryWriter(folder.path, pause: .zero)
    let file = folder.file("history-2026-06.db")
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    writer.submit([HistoryStoreTests.crossing(Self.june)])
    #expect(writer.finish() != nil)
  }

  @Test func `of too many rows the oldest minutes are dropped first, crossings last`() {
    let state = HistoryReceiverState(time: Self.june, receiver: "hci0", state: .deaf)
    var rows: [HistoryRow] = [
      HistoryStoreTests.crossing(Self.june), .minute(HistoryStoreTests.minute(Self.june, 1)),
      .minute(HistoryStoreTests.minute(Self.june, 2)), .receiver(state),
      .minute(HistoryStoreTests.minute(Self.june, 3)),
    ]
    let all = rows
    #expect(HistoryWriter.shorten(&rows, to: 5) == 0)
    #expect(HistoryWriter.shorten(&rows, to: 3) == 2)
    #expect(rows == [all[0], all[3], all[4]])
    #expect(HistoryWriter.shorten(&rows, to: 1) == 2)
    #expect(rows == [all[0]])
    #expect(HistoryWriter.shorten(&rows, to: 0) == 1)
  }
}
