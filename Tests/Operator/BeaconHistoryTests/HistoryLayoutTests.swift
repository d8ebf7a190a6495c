// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconHistory

/// The contents of a history's files.
@Suite struct HistoryLayoutTests {
  typealias Folder = HistoryStoreTests.Folder

  static let name = "history-2026-05.db"
  static let may = HistoryStoreTests.may

  /// The crossing of a delivery with an explanation, as a run keeps it.
  static func crossing(_ why: Explanation) throws -> HistoryCrossing {
    let delivery = Delivery(
      ofService: .regionEntered("hall", .received, why),
      to: .theOperator,
      at: may
    )
    guard case .crossing(let crossing)? = HistoryEvent(delivery, client: "guide") else {
      throw HistoryError.failed(path: "", "no crossing")
    }
    return crossing
  }

  static func threshold(
    _ rule: Explanation.Rule,
    _ random: inout SplitMix64
  ) -> Explanation.Threshold {
    switch rule {
    case .firstReport, .enoughReports: .reports(Int.random(in: 1...9, using: &random))
    case .enterWithin, .leaveBeyond: .distance(meters: .random(in: 0...100, using: &random))
    case .fixedExit, .learnedExit, .unlearnedExit, .silentAfterUnknown: .silence(span(&random))
    case .atPlace, .atOtherPlace, .nowhere: .place("Salle \"verte\"")
    }
  }

  static func span(_ random: inout SplitMix64) -> TimeSpan {
    TimeSpan(microseconds: .random(in: 0...90_000_000, using: &random))
  }

  /// An explanation with the values that an engine may know or not.
  static func explanation(
    _ rule: Explanation.Rule,
    _ random: inout SplitMix64
  ) -> Explanation {
    func some<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    let (interval, gap) = (span(&random), span(&random))
    let meters = Double.random(in: 0...10_000, using: &random)
    var why = Explanation(
      identity: some(TestScan.beacon(1, .random(in: 0 ... .max, using: &random))),
      reports: .random(in: 0...1_000_000, using: &random),
      rssi: some(.random(in: .min ... .max, using: &random)),
      power: some(.random(in: .min ... .max, using: &random)),
      distance: some(meters),
      interval: some(interval),
      gap: some(gap),
      threshold: threshold(rule, &random),
      rule: rule
    )
    if case .place = why.threshold {
      why.place = some("Gemälde 1")
      why.probability = some(.random(in: 0...1, using: &random))
    }
    return why
  }

  /// An explanation of a first report.
  static func simple(_ identity: BeaconIdentity?) -> Explanation {
    Explanation(identity: identity, reports: 1, threshold: .reports(1), rule: .firstReport)
  }

  @Test(arguments: Explanation.Rule.allCases)
  func `an explanation is read as it was written, and takes no text`(
    _ rule: Explanation.Rule
  ) throws {
    let folder = Folder()
    var random = SplitMix64(seed: 7)
    let written = try (0..<100).map { number in
      var crossing = try Self.crossing(Self.explanation(rule, &random))
      crossing.sequence = number + 1
      return crossing
    }
    let store = try HistoryStore(folder.path)
    var rows = written.map(HistoryRow.crossing)
    try store.write(&rows)
    #expect(try HistoryStoreTests.crossings(folder.path) == written)
    let database = try Database(folder.file(Self.name), .reading)
    #expect(try database.integer("SELECT count(*) FROM crossing WHERE why IS NOT NULL") == 0)
    #expect(try database.integer("SELECT count(*) FROM crossing_type") == 1)
  }

  @Test(arguments: [
    #"{"rule":"firstReport"}"#, "null", "", "{", #""text""#,
    #"{"identity":null,"reports":1,"rssi":null,"power":null,"distance":null,"interval":null,"gap":null,"threshold":"a","#
      + #""rule":"firstReport"}"#,
    #"{"identity":null,"reports":1,"rssi":null,"power":null,"distance":1e300,"interval":null,"gap":null,"threshold":1,"#
      + #""rule":"firstReport"}"#,
    #"{"identity":null,"reports":1,"rssi":null,"power":null,"distance":1.234,"interval":null,"gap":null,"threshold":1,"#
      + #""rule":"firstReport"}"#,
    #"{"identity":null,"reports":1,"rssi":null,"power":null,"distance":null,"interval":null,"gap":null,"threshold":1,"#
      + #""rule":"firstReport","more":1}"#,
    #"{"reports":1,"identity":null,"rssi":null,"power":null,"distance":null,"interval":null,"gap":null,"threshold":1,"#
      + #""rule":"firstReport"}"#,
  ])
  func `another text is kept as it is`(_ why: String) throws {
    let folder = Folder()
    var crossing = try Self.crossing(Self.simple(nil))
    crossing.why = why
    let store = try HistoryStore(folder.path)
    var rows = [HistoryRow.crossing(crossing)]
    try store.write(&rows)
    #expect(try HistoryStoreTests.crossings(folder.path).map(\.why) == [why])
  }

  @Test func `a crossing takes less than 60 bytes of a file`() throws {
    let folder = Folder()
    var random = SplitMix64(seed: 1)
    let store = try HistoryStore(folder.path)
    func size(after count: Int) throws -> Int {
      var rows: [HistoryRow] = []
      for _ in 0..<count {
        let rule = Explanation.Rule.allCases[Int.random(in: 0..<8, using: &random)]
        var why = Self.explanation(rule, &random)
        why.identity = TestScan.beacon(1, .random(in: 0..<40, using: &random))
        rows.append(.crossing(try Self.crossing(why)))
      }
      try store.write(&rows)
      let database = try Database(folder.file(Self.name), .reading)
      return try Int(database.integer("PRAGMA page_count") ?? 0) * HistorySchema.pageSize
    }
    let first = try size(after: 1000)
    let second = try size(after: 1000)
    #expect(second - first < 60_000)
    #expect(second > first)
  }

  @Test func `a purge forgets the beacons and regions that no row names`() throws {
    let folder = Folder()
    let start = HistoryStoreTests.time("2026-05-20T00:00:00Z")
    var old = try Self.crossing(Self.simple(TestScan.beacon(9, 9)))
    (old.time, old.region) = (start, "secret-room")
    var kept = old
    (kept.time, kept.region) = (start + .seconds(60), "kept-room")
    do {
      let store = try HistoryStore(folder.path)
      var rows = [HistoryRow.crossing(old), .crossing(kept)]
      try store.write(&rows)
    }
    let time = start + .seconds(30)
    let result = try HistoryPurge.removeAll(before: time, in: folder.path)
    #expect(result.rows >= 1)
    let crossings = try HistoryStoreTests.crossings(folder.path)
    #expect(crossings.map(\.region) == ["kept-room"])
    #expect(crossings.first?.why == old.why)
    for name in folder.names {
      let bytes = try Data(contentsOf: URL(filePath: folder.file(name)))
      #expect(bytes.range(of: Data("secret-room".utf8)) == nil, "in \(name)")
    }
    let database = try Database(folder.file(Self.name), .reading)
    #expect(try database.integer("SELECT count(*) FROM beacon") == 1)
  }

  // MARK: Files from outside, and failures

  @Test func `what a transaction that failed had numbered is numbered again`() throws {
    let folder = Folder()
    var store: HistoryStore? = try HistoryStore(folder.path)
    var rows = [HistoryStoreTests.crossing(Self.may)]
    try store?.write(&rows)
    store = nil
    let database = try Database(folder.file(Self.name), .writing)
    let file = MonthFile(database)
    let row = HistoryRow.crossing(try Self.crossing(Self.simple(TestScan.beacon(1, 1))))
    var sequence = 2
    try database.execute("BEGIN")
    try file.write(row, sequence: &sequence)
    try database.execute("ROLLBACK")
    file.forgetNumbers()
    sequence = 2
    try file.write(row, sequence: &sequence)
    let crossings = try HistoryStoreTests.crossings(folder.path)
    #expect(crossings.map(\.region) == ["hall", "hall"])
    #expect(crossings.last?.why.contains("\(TestScan.beacon(1, 1))") == true)
  }

  @Test(arguments: Explanation.Rule.allCases + [nil])
  func `numbers that no program writes are read or left out`(_ rule: Explanation.Rule?) throws {
    let folder = Folder()
    var store: HistoryStore? = try HistoryStore(folder.path)
    var rows = [HistoryStoreTests.crossing(Self.may)]
    try store?.write(&rows)
    store = nil
    let database = try Database(folder.file(Self.name), .writing)
    try database.execute(
      """
      INSERT INTO crossing_type VALUES(9, 'a', 'b', 'exit', 'c', '\(rule?.rawValue ?? "other")');
      INSERT INTO beacon VALUES(9, 'no UUID', 70000, -1)
      """
    )
    let values = [
      "9223372036854775807", "-9223372036854775807 - 1", "1e300", "'text'", "x'00'", "NULL",
    ]
    for (number, value) in values.enumerated() {
      let all = Array(repeating: value, count: 9).joined(separator: ",")
      try database.execute(
        "INSERT INTO crossing VALUES(\(number + 10), \(number), 9, 9, \(all), NULL)"
      )
    }
    // A type that is not there.
    try database.execute("INSERT INTO crossing(seq, t, type) VALUES(99, 0, 8)")
    let found = try HistoryStoreTests.crossings(folder.path)
    #expect(found.count == (rule == nil ? 1 : values.count))
    #expect(found.allSatisfy { (try? JSON5.parse($0.why)) != nil })
  }
}
