// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

/// Several captures are several receivers that come and go, in whatever order the captures are named.
@Suite struct MergingReaderTests {
  /// A capture of given batches.
  final class Script: MergedCapture {
    let label: String
    let receiverNames: [String]
    let header: CaptureHeader?
    var lastHeader: CaptureHeader? { header }
    var end: Timestamp?
    var format: CaptureFormat?
    private var batches: [ScanBatch]

    init(
      _ label: String,
      receivers: [String] = ["hci0"],
      header: CaptureHeader? = nil,
      _ batches: [ScanBatch]
    ) {
      (self.label, receiverNames, self.batches) = (label, receivers, batches)
      self.header = header
    }

    func next() -> ScanBatch? { batches.isEmpty ? nil : batches.removeFirst() }
    func drainUserActionLines() -> [UserActionLine] { [] }
    func holdEndStates() {}
    func drainEndStates() -> [ScanInput] { [] }
  }

  /// A batch of reports, each of a payload of one byte.
  static func batch(_ reports: (Double, UInt8)..., receiver: UInt8 = 0) -> ScanBatch {
    var batch = ScanBatch()
    for (seconds, byte) in reports {
      batch.append(
        AdvertisingReport(
          time: TestScan.at(seconds),
          rssi: -60,
          receiver: receiver,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: [byte]
      )
    }
    return batch
  }

  static func mark(_ seconds: Double) -> ScanBatch {
    ScanBatch(inputs: [.mark(TestScan.at(seconds))])
  }

  static func radio(_ state: RadioState, _ seconds: Double) -> ScanBatch {
    ScanBatch(inputs: [.radio(receiver: 0, state, TestScan.at(seconds))])
  }

  /// What a reader gives: times in seconds, payloads, receivers and states.
  static func read(_ captures: [Script]) throws -> (inputs: [String], names: [String]) {
    var reader = try MergingReader(captures.map { ($0.label, $0) })
    var inputs: [String] = []
    while let batch = try reader.next() {
      for input in batch.inputs {
        let time = (input.time - TestScan.start).seconds
        switch input {
        case .report(let report):
          inputs.append("\(time) \(batch.payload(of: report)[...].first ?? 0) \(report.receiver)")
        case .radio(let receiver, let state, _): inputs.append("\(time) \(state) \(receiver)")
        case .level, .mark, .notice, .place: inputs.append("\(time)")
        }
      }
    }
    return (inputs, reader.receiverNames)
  }

  @Test func `two captures become one in order of time`() throws {
    let first = { Script("a", [Self.batch((1, 1), (3, 3)), Self.batch((5, 5), (50, 50))]) }
    let second = {
      Script(
        "b",
        receivers: ["hci1"],
        [Self.batch((2, 2)), Self.batch((4, 4)), Self.batch((6, 6), (60, 60))]
      )
    }
    let expected = [
      "1.0 1 0", "2.0 2 1", "3.0 3 0", "4.0 4 1", "5.0 5 0", "6.0 6 1", "50.0 50 0", "50.0 gone 0",
      "60.0 60 1",
    ]
    for captures in [[first(), second()], [second(), first()]] {
      let (inputs, names) = try Self.read(captures)
      #expect(inputs == expected)
      #expect(names == ["hci0", "hci1"])
    }
  }

  @Test func `a capture keeps the order of its own inputs`() throws {
    let late = { Script("a", [Self.batch((1, 1), (5, 5)), Self.batch((3.5, 2), (20, 20))]) }
    #expect(try Self.read([late()]).inputs == ["1.0 1 0", "5.0 5 0", "3.5 2 0", "20.0 20 0"])
    let other = { Script("b", receivers: ["hci1"], [Self.batch((3, 3), (21, 21))]) }
    let expected = [
      "1.0 1 0", "3.0 3 1", "5.0 5 0", "3.5 2 0", "20.0 20 0", "20.0 gone 0", "21.0 21 1",
    ]
    #expect(try Self.read([late(), other()]).inputs == expected)
    #expect(try Self.read([other(), late()]).inputs == expected)
  }

  @Test func `at one time the capture that starts first comes first`() throws {
    let first = { Script("a", [Self.batch((0.5, 0), (1, 1), (1, 2))]) }
    let second = { Script("b", receivers: ["x"], [Self.batch((1, 3), (1, 4), (2, 5))]) }
    let third = { Script("c", receivers: ["y"], [Self.batch((1, 6), (2, 7))]) }
    let expected = try Self.read([first(), second(), third()]).inputs
    #expect(expected.prefix(4) == ["0.5 0 0", "1.0 1 0", "1.0 2 0", "1.0 gone 0"])
    for captures in [
      [first(), third(), second()], [second(), first(), third()], [second(), third(), first()],
      [third(), first(), second()], [third(), second(), first()],
    ] { #expect(try Self.read(captures).inputs == expected) }
  }

  @Test func `receivers with the same name are distinguished by their captures`() throws {
    let first = Script("a", [Self.batch((1, 1), (9, 9))])
    let second = Script("b", [Self.batch((2, 2), (9, 8))])
    let (inputs, names) = try Self.read([second, first])
    #expect(inputs == ["1.0 1 0", "2.0 2 1", "9.0 9 0", "9.0 gone 0", "9.0 8 1"])
    #expect(names == ["hci0", "b:hci0"])
    let unnamed = [
      Script("a", receivers: [], [Self.batch((1, 1), (9, 9))]),
      Script("b", receivers: [], [Self.batch((2, 2), (9, 8))]),
    ]
    #expect(try Self.read(unnamed).names == ["", "b"])
  }

  @Test func `the pieces of a recording give the inputs of the whole`() throws {
    func piece(_ number: Int?, _ batches: ScanBatch...) -> Script {
      let header = CaptureHeader(
        receivers: ["hci0"],
        begun: number.map { _ in TestScan.start },
        piece: number
      )
      return Script("\(number ?? 0)", header: header, batches)
    }
    for isNumbered in [true, false] {
      let pieces = [
        piece(isNumbered ? 1 : nil, Self.radio(.listening, 0), Self.batch((1, 1), (2, 2))),
        piece(isNumbered ? 2 : nil, Self.batch((2, 3), (45, 4))),
        piece(isNumbered ? 3 : nil, Self.batch((95, 5))),
      ]
      let (inputs, names) = try Self.read(pieces.reversed())
      #expect(
        inputs == ["0.0 listening 0", "1.0 1 0", "2.0 2 0", "2.0 3 0", "45.0 4 0", "95.0 5 0"]
      )
      #expect(names == ["hci0"])
    }
  }

  /// A copy next to a recording, and a cut out of it, as a user makes one before they remove the rest.
  @Test(arguments: [[0, 10], [0, 4], [3, 6], [6, 10], [3, 14], [9.5, 10.5]])
  func `a copy or a cut of a recording is read once`(span: [Double]) throws {
    let header = { (piece: Int, isCut: Bool) in
      CaptureHeader(receivers: ["hci0"], begun: TestScan.at(0), piece: piece, isCut: isCut)
    }
    let reports = { (from: Double, to: Double) in
      stride(from: from, through: to, by: 0.5).map { Self.batch(($0, UInt8($0 * 2))) }
    }
    let (from, to) = (span[0], span[1])
    let captures = {
      [
        Script("a.1", header: header(1, false), reports(0, 10)),
        Script("b", header: header(1, from > 0), reports(from, to)),
      ] + (to > 10 ? [] : [Script("a", header: header(2, false), reports(11, 14))])
    }
    let all = reports(0, max(to, 10)) + (to > 10 ? [] : reports(11, 14))
    let expected = try Self.read([Script("w", header: header(1, false), all)]).inputs
    // A cut that has an end, and a name before the recording's.
    let cut = Script("a", header: header(1, from > 0), reports(from, to))
    cut.end = TestScan.at(to)
    let others = from > 0 || to > 10 ? captures() : [cut, captures()[0], captures()[2]]
    for captures in [captures(), captures().reversed(), others] {
      let read = try Self.read(captures)
      #expect(
        read.inputs.filter { $0.split(separator: " ")[1].first?.isNumber ?? false } == expected
      )
      #expect(read.names == ["hci0"])
      if captures[0] === cut { #expect(read.inputs == expected) }
    }
  }

  /// A recording that was divided at a time, whose first part has its end there, loses no report of that very time.
  @Test func `two halves of a recording repeat nothing`() throws {
    let header = { (isCut: Bool) in
      CaptureHeader(receivers: ["hci0"], begun: TestScan.at(0), piece: 1, isCut: isCut)
    }
    let second = Script(
      "b",
      header: header(true),
      [Self.radio(.listening, 5), Self.batch((5, 3), (9, 4))]
    )
    // Another part that begins before that time, and so contains all of the second one.
    let third = Script("c", header: header(true), [Self.batch((4, 2), (5, 3), (9, 4))])
    for later in [second, third] {
      let start = Script("a", header: header(false), [Self.batch((0, 1), (4, 2)), Self.mark(5)])
      start.end = TestScan.at(5)
      var reader = try MergingReader([("a", start), ("b", later)])
      var times: [Double] = []
      while let batch = try reader.next() {
        for case .report(let report) in batch.inputs {
          times.append((report.time - TestScan.start).seconds)
        }
      }
      #expect(times == [0, 4, 5, 9])
      #expect(reader.repeated.count == (later === third ? 1 : 0))
    }
  }

  @Test func `many copies of a recording are read once`() throws {
    let header = CaptureHeader(receivers: ["hci0"], begun: TestScan.at(0), piece: 1)
    let copies = (0..<10_000).map { Script("\($0)", header: header, [Self.batch((0, 1), (1, 2))]) }
    #expect(try Self.read(copies).inputs == ["0.0 1 0", "1.0 2 0"])
  }

  @Test func `between two recordings of one receiver nobody listens`() throws {
    let header = { (begun: Double) in
      CaptureHeader(receivers: ["hci0"], begun: TestScan.at(begun), piece: 1)
    }
    let first = Script("a", header: header(0), [Self.radio(.listening, 0), Self.batch((1, 1))])
    let second = Script("b", header: header(20), [Self.batch((20, 2), (21, 3))])
    let (inputs, names) = try Self.read([second, first])
    #expect(
      inputs == [
        "0.0 listening 0", "1.0 1 0", "1.0 gone 0", "20.0 listening 0", "20.0 2 0", "21.0 3 0",
      ]
    )
    #expect(names == ["hci0"])
    // A piece that is missing leaves such a time too.
    let pieces = [1, 3].map { number in
      let header = CaptureHeader(receivers: ["hci0"], begun: TestScan.start, piece: number)
      return Script("\(number)", header: header, [Self.batch((Double(number), UInt8(number)))])
    }
    #expect(
      try Self.read(pieces).inputs == ["1.0 1 0", "1.0 gone 0", "3.0 listening 0", "3.0 3 0"]
    )
  }

  /// A part of a recording that was split by lines: only the first one has a header.
  static func part(_ label: String, begun: Double? = nil, _ reports: (Double, UInt8)...) -> Script {
    let header = begun.map { CaptureHeader(receivers: ["hci0"], begun: TestScan.at($0), piece: 1) }
    let script = Script(label, header: header, reports.map { batch($0) })
    script.format = .jsonLines
    return script
  }

  @Test func `the parts of one recording go on in the order of their times`() throws {
    let found = try Self.read([
      Self.part("part.19", begun: 1, (1, 1)), Self.part("part.20", (9, 2)),
      Self.part("part.100", (20, 3)), Self.part("part.101", (30, 4)),
    ])
    #expect(found.inputs == ["1.0 1 0", "9.0 2 0", "20.0 3 0", "30.0 4 0"])
  }

  @Test(arguments: [1.5, 5])
  func `the parts of two recordings that were split are told apart by their names`(
    _ begun: Double
  ) throws {
    // The hall is silent while the rest of the stairs begins.
    let found = try Self.read([
      Self.part("hall.aa", begun: 1, (1, 1), (2, 2)), Self.part("hall.ab", (40, 3), (60, 4)),
      Self.part("stairs.aa", begun: begun, (begun, 11), (8, 12)),
      Self.part("stairs.ab", (9, 13), (59, 14)),
    ])
    let receivers = found.inputs.reduce(into: [Bool: Set<Substring>]()) { result, input in
      let fields = input.split(separator: " ")
      guard fields.count == 3, let byte = Int(fields[1]) else { return }
      result[byte > 10, default: []].insert(fields[2])
    }
    #expect(receivers[false]?.count == 1 && receivers[true]?.count == 1, "\(found)")
  }

  @Test func `a short pause between captures without a header is none`() throws {
    func captures(pause: Double) -> [Script] {
      [Script("a", [Self.batch((1, 1))]), Script("b", [Self.batch((1 + pause, 2))])]
    }
    #expect(try Self.read(captures(pause: 3)).inputs == ["1.0 1 0", "4.0 2 0"])
    #expect(
      try Self.read(captures(pause: 4)).inputs
        == ["1.0 1 0", "1.0 gone 0", "5.0 listening 0", "5.0 2 0"]
    )
  }

  @Test(arguments: 0..<20)
  func `neither batches nor the order of captures change anything`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var tapes: [[ScanBatch]] = []
    for tape in 0..<4 {
      var time = Double(Int.random(in: 0..<8, using: &random))
      var batches: [ScanBatch] = []
      for number in 0..<Int.random(in: 1...40, using: &random) {
        time += Double(Int.random(in: 0...2, using: &random))
        batches.append(Self.batch((time, UInt8(tape * 50 + number))))
      }
      tapes.append(batches)
    }
    func scripts(joined: Int) -> [Script] {
      tapes.indices.map { tape in
        var batches: [ScanBatch] = []
        for (index, single) in tapes[tape].enumerated() {
          if index % joined == 0 { batches.append(ScanBatch()) }
          for case .report(let report) in single.inputs {
            batches[batches.count - 1].append(report, payload: single.payload(of: report))
          }
        }
        return Script("\(tape)", batches)
      }
    }
    let expected = try Self.read(scripts(joined: 1)).inputs
    for joined in [1, 3, 100] {
      #expect(try Self.read(scripts(joined: joined).shuffled(using: &random)).inputs == expected)
    }
  }

  @Test(.slow, arguments: [(5.0, 2.0), (0.001, 60)])
  func `many captures are merged, one after the other or at the same time`(
    distance: Double,
    length: Double
  ) throws {
    // If each looked at all others, this would take minutes.
    let captures = (0..<3000).map { index in
      let start = Double(index) * distance
      return Script("\(index)", [Self.batch((start, 1), (start + length, 2))])
    }
    var reader = try MergingReader(captures.shuffled().map { ($0.label, $0) })
    var times: [Timestamp] = []
    while let batch = try reader.next() {
      for case .report(let report) in batch.inputs { times.append(report.time) }
    }
    #expect(times.count == 6000 && times == times.sorted())
  }

  @Test func `empty captures change nothing`() throws {
    #expect(try Self.read([]).inputs.isEmpty)
    let captures = [Script("a", []), Script("b", [ScanBatch(), Self.batch((1, 1))])]
    #expect(try Self.read(captures).inputs == ["1.0 1 0"])
  }
}

/// The pieces of one recording are one receiver with one clock, wherever it was cut.
@Suite struct PiecesTests {
  typealias Script = MergingReaderTests.Script

  /// What two pieces give whose reports have given stamps, in both orders of naming them.
  static func read(
    _ first: [Double],
    _ second: [Double],
    numbered: Bool,
    headerAgain: Bool = true
  ) throws -> [[String]] {
    func pieces() -> [Script] {
      [first, second].enumerated().map { number, stamps in
        var batch = ScanBatch()
        for (index, stamp) in stamps.enumerated() {
          let byte = UInt8(number * 100 + index)
          let single = MergingReaderTests.batch((stamp, byte))
          for case .report(let report) in single.inputs {
            batch.append(report, payload: single.payload(of: report))
          }
        }
        let header = CaptureHeader(
          receivers: ["hci0"],
          begun: numbered ? TestScan.start : nil,
          piece: numbered ? number + 1 : nil
        )
        let hasHeader = number == 0 || headerAgain
        let script = Script("\(number)", header: hasHeader ? header : nil, [batch])
        script.format = .jsonLines
        return script
      }
    }
    return try [
      MergingReaderTests.read(pieces()).inputs, MergingReaderTests.read(pieces().reversed()).inputs,
    ]
  }

  /// What a capture of the same stamps gives that was not cut.
  static func whole(_ first: [Double], _ second: [Double]) -> [String] {
    var clock = SteadyClock()
    var batch = ScanBatch()
    for (number, stamps) in [first, second].enumerated() {
      for (index, stamp) in stamps.enumerated() {
        let single = MergingReaderTests.batch((stamp, UInt8(number * 100 + index)))
        for case .report(let report) in single.inputs {
          batch.append(report, payload: single.payload(of: report))
        }
      }
    }
    let (steady, rest) = (clock.steady(batch), clock.finish())
    return [steady, rest].flatMap { batch in
      batch.inputs.map { input in
        let time = (input.time - TestScan.start).seconds
        guard case .report(let report) = input else { return "\(time)" }
        return "\(time) \(batch.payload(of: report)[...].first ?? 0) \(report.receiver)"
      }
    }
  }

  static let cuts: [(String, [Double], [Double])] = [
    ("in order", [1, 2, 3], [4, 5, 6]),
    ("a late record", [1, 2, 3], [2.9, 4, 5]),
    ("two records exchanged", [1, 2, 4], [3, 5, 6]),
    ("a silence", [1, 2, 3], [43, 44, 45]),
    ("a gap", [1, 2, 3], [4300, 4301, 4302]),
  ]

  @Test(arguments: cuts.indices, [true, false])
  func `a cut changes nothing`(_ number: Int, _ headerAgain: Bool) throws {
    let (_, first, second) = Self.cuts[number]
    let expected = Self.whole(first, second)
    for numbered in headerAgain ? [true, false] : [false] {
      for inputs in try Self.read(first, second, numbered: numbered, headerAgain: headerAgain) {
        #expect(inputs == expected)
      }
    }
  }

  static let faults: [(String, [Double], [Double])] = [
    ("the clock is set back at the cut", [1, 2, 3], [-3600, -3599, -3598, -3597]),
    ("the clock was set back before", [10, 11, -3600, -3599, -3598], [-3597, -3596, -3595]),
    ("the clock is right again", [10, 11, -30, -29, -28], [15, 16, 17]),
    ("a wild last stamp", [1, 2, 48], [4, 5, 6]),
    ("a wild first stamp", [1, 2, 3], [86_400, 5, 6]),
    ("an early first stamp", [1, 2, 3], [-86_400, 5, 6]),
  ]

  @Test(arguments: faults.indices)
  func `nor does it where the clock is wrong and pieces have numbers`(_ number: Int) throws {
    let (_, first, second) = Self.faults[number]
    let expected = Self.whole(first, second)
    for inputs in try Self.read(first, second, numbered: true) { #expect(inputs == expected) }
  }

  @Test func `captures of one time without a header are two receivers`() throws {
    let other = Script("b", [MergingReaderTests.batch((3, 1), (9, 2))])
    other.format = .jsonLines
    let header = CaptureHeader(receivers: ["hci0"])
    let first = Script("a", header: header, [MergingReaderTests.batch((1, 3), (8, 4))])
    first.format = .jsonLines
    #expect(
      try MergingReaderTests.read([other, first]).inputs
        == ["1.0 3 0", "3.0 1 1", "8.0 4 0", "8.0 gone 0", "9.0 2 1"]
    )
  }
}
