// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFormats

@Suite struct JSONLinesDecoderTests {
  static let t = #""t":"2015-03-10T17:20:01.123456Z""#
  static let time = Timestamp(microseconds: 1_426_008_001_123_456)

  @Test func `every kind of capture line is read`() {
    let lines = DecodedLines(
      """
      {"v":1,"type":"capture","tool":"beaconctl","version":"1","receivers":["hci0","hci1"],"profile":"default","redacted":true}
      {"v":1,"type":"radio",\(Self.t),"receiver":"hci1","state":"deaf"}

      {"v":1,"type":"report",\(Self.t),"receiver":"hci1","address":"AA:BB:CC:DD:EE:FF","address_type":"public-identity","event":"SCAN_RSP","rssi":-70,"ad":"0201061a"}
      {"v":1,"type":"user",\(Self.t),"client":"guide","input":"winks","twice":true}
      {"v":1,"type":"report",\(Self.t),"receiver":"hci0","address":null,"address_type":null,"event":null,"rssi":null,"manufacturer":{"004c":"0215","0118":""}}
      {"v":1,"type":"mark",\(Self.t)}
      {"v":1,"type":"end",\(Self.t)}

      """
    )
    #expect(
      lines.decoder.header
        == CaptureHeader(
          tool: "beaconctl",
          version: "1",
          receivers: ["hci0", "hci1"],
          profile: "default",
          isRedacted: true
        )
    )
    #expect(lines.receiverNames == ["hci0", "hci1"])
    #expect(lines.records == 7)
    #expect(lines.drops.total == 0)
    #expect(lines.decoder.end == Self.time)
    #expect(
      lines.inputs.map(\.payload) == [
        [], [2, 1, 6, 0x1A],
        [5, 0xFF, 0x4C, 0, 2, 0x15, 3, 0xFF, 0x18, 1], [], [],
      ]
    )
    #expect(lines.inputs.first?.input == .radio(receiver: 1, .deaf, Self.time))
    #expect(lines.inputs.last?.input == .mark(Self.time))
    #expect(
      lines.reports == [
        AdvertisingReport(
          time: Self.time,
          rssi: -70,
          receiver: 1,
          address: DeviceAddress(0xAABB_CCDD_EEFF, kind: .publicIdentity),
          kind: .scanResponse,
          payloadStart: 0,
          payloadCount: 4
        ),
        AdvertisingReport(
          time: Self.time,
          rssi: nil,
          content: .rebuiltManufacturerData,
          payloadStart: 0,
          payloadCount: 10
        ),
      ]
    )
    #expect(lines.decoder.userActionLines.map(\.input) == ["winks"])
    #expect(lines.decoder.userActionLines.map(\.client) == ["guide"])
    #expect(lines.decoder.userActionLines.map(\.scanInputsBefore) == [2])
    #expect(lines.decoder.userActionLines.first?.value["twice"]?.content == .bool(true))
  }

  @Test func `another form of the same line gives the same input`() {
    let ours = DecodedLines(
      #"{"v":1,"type":"report",\#(Self.t),"receiver":"hci0","address":null,"address_type":null,"event":"ADV_IND","rssi":-7,"manufacturer":{"004c":"0215","0118":"aa"}}"#
        + "\n"
    )
    let other = DecodedLines(
      #" {"type": "report", "manufacturer": {"0118":"AA", "004C":"0215"}, "rssi":-7, "new":[1],"event":"ADV_IND","#
        + #""receiver":"hci0", "t":"2015-03-10T18:20:01.1234559+01:00", "v":1}"# + "\r\n"
    )
    #expect(ours.inputs == other.inputs)
    #expect(ours.inputs.count == 1)
    #expect(ours.receiverNames == other.receiverNames)
  }

  @Test func `a sighting is read as a report with its frame`() {
    let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    let lines = DecodedLines(
      """
      {"v":1,"type":"sighting",\(Self.t),"uuid":"\(uuid)","major":1,"minor":65535,"power":-59,"rssi":-70,"receiver":"hci0","address":null}
      {"v":1,"type":"sighting",\(Self.t),"uuid":"\(uuid)","major":1,"minor":2,"power":null,"rssi":127,"receiver":"hci0","address":"01:02:03:04:05:06"}
      """
    )
    let readings = lines.inputs.map { report in
      BeaconDecoder.read(advertisingData: report.payload.span, in: 0..<report.payload.count)
    }
    let value: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E
    #expect(
      readings == [
        .beacon(BeaconIdentity(uuid: value, major: 1, minor: 65535), measuredPower: -59),
        .presence(BeaconIdentity(uuid: value, major: 1, minor: 2)),
      ]
    )
    #expect(lines.reports.map(\.rssi) == [-70, nil])
    #expect(lines.reports.map(\.address?.bits) == [nil, 0x0102_0304_0506])
  }

  private static let pairs = "write pairs of digits such as \"02011A\""
  private static let example = "write a time such as \"2026-05-02T10:00:00Z\""
  private static let events = AdvertisingEventKind.allCases.map { "\($0.lineName)" }
    .joined(separator: ", ")

  @Test(arguments: ["0x10", "+5", ".5", "-60.", "-.5", "NaN", "Infinity", "-Infinity", "1.e1"])
  func `a level that JSON does not allow costs its line`(_ rssi: String) {
    let lines = DecodedLines(#"{"type":"report",\#(Self.t),"ad":"","rssi":\#(rssi)}"# + "\n")
    #expect(lines.reports.isEmpty)
  }

  @Test(arguments: [-60.0, -60.4, -6e1]) func `a level can be any JSON number`(_ rssi: Double) {
    let text = rssi == -60 ? "-6.0e1" : "\(rssi)"
    let lines = DecodedLines(#"{"type":"report",\#(Self.t),"ad":"","rssi":\#(text)}"# + "\n")
    #expect(lines.reports.map(\.rssi) == [-60])
  }

  @Test(arguments: [-128, 0, 5, 127])
  func `a level that no radio receives is unknown, however it is written`(
    _ rssi: Int
  ) {
    let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
    let lines = DecodedLines(
      """
      {"v":1,"type":"report",\(Self.t),"receiver":null,"address":null,"address_type":null,"event":null,"rssi":\(rssi),"ad":""}
      {"type":"report", \(Self.t),"rssi":\(rssi).0,"ad":""}
      {"v":1,"type":"sighting",\(Self.t),"uuid":"\(uuid)","major":1,"minor":2,"power":-59,"rssi":\(rssi),"receiver":null,"address":null}
      {"type":"sighting",\(Self.t),"uuid":"\(uuid)","major":1,"minor":2,"rssi":\(rssi)}

      """
    )
    #expect(lines.reports.map(\.rssi) == [nil, nil, nil, nil])
  }

  @Test(arguments: [
    ("nonsense", "line 1 is text, not an object"),
    ("[1]", "line 1: it is an array, not an object"),
    (#"{"v":2,"type":"mark"}"#, "line 1: it is of version 2; version 1 is known"),
    (#"{"v":1}"#, "line 1: 'type' is missing"),
    (#"{"v":1,"type":"mark"}"#, "line 1: 't' is missing; \(Self.example)"),
    (
      #"{"type":"mark","t":1777716000.5}"#,
      "line 1: 't' is a number, not a time in quotes such as \"2026-05-02T10:00:00Z\""
    ),
    (
      #"{"type":"mark","t":"2026-05-02 10:00:00"}"#,
      "line 1: 't' has a space in place of the T, and no time zone; \(Self.example)"
    ),
    (
      #"{"type":"mark","t":"2026-05-02 10:00:00.5+02:00"}"#,
      "line 1: 't' has a space in place of the T; \(Self.example)"
    ),
    (
      #"{"type":"mark","t":"2026-05-02T10:00:00"}"#, "line 1: 't' has no time zone; \(Self.example)"
    ),
    (#"{"type":"mark","t":"10 o'clock"}"#, "line 1: 't' is not a time; \(Self.example)"),
    (#"{"type":"report",\#(t),"ad":"","rssi":"-60"}"#, "line 1: 'rssi' is a text, not a number"),
    (#"{"type":"report",\#(t),"ad":2}"#, "line 1: 'ad' is a number, not text"),
    (
      #"{"type":"report",\#(t),"ad":"","address":"c00000000001"}"#,
      "line 1: 'address' has no colons; write AA:BB:CC:DD:EE:FF"
    ),
    (
      #"{"type":"report",\#(t),"ad":"","address":"kitchen"}"#,
      "line 1: 'address' is not an address; write AA:BB:CC:DD:EE:FF"
    ),
    (
      "{",
      "line 1 is only a part of an object; write each object on one line, as jq -c does"
    ),
    (#"{"type":"ranged"}"#, "lines of type 'ranged' are left out: they are no inputs"),
    (#"{"type":"report",\#(t)}"#, "line 1: a report has 'ad' or 'manufacturer'"),
    (
      #"{"type":"report",\#(t),"ad":"abc"}"#,
      "line 1: 'ad' has an odd number of hexadecimal digits; \(Self.pairs)"
    ),
    (#"{"type":"report",\#(t),"ad":"0x0201"}"#, "line 1: 'ad' begins with 0x; \(Self.pairs)"),
    (
      #"{"type":"report",\#(t),"ad":"02:01"}"#,
      "line 1: 'ad' has other characters than hexadecimal digits; \(Self.pairs)"
    ),
    (
      #"{"type":"report",\#(t),"manufacturer":{"76":""}}"#,
      "line 1: 'manufacturer' has the company '76'; write four hexadecimal digits, as 004C"
    ),
    (
      #"{"type":"report",\#(t),"manufacturer":{"0x004C":""}}"#,
      "line 1: 'manufacturer' has the company '0x004C'; write four hexadecimal digits, as 004C"
    ),
    (
      #"{"type":"sighting",\#(t),"uuid":"urn:uuid:2F","major":1,"minor":1}"#,
      "line 1: 'uuid' 'urn:uuid:2F' is not a UUID; write 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
    ),
    (
      #"{"type":"sighting",\#(t),"uuid":"{2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6}","major":1}"#,
      "line 1: 'minor' is missing"
    ),
    (
      #"{"type":"place",\#(t),"place":"hall"}"#,
      "line 1: 'uuid' is missing: 'place' names the place of a beacon"
    ),
    (#"{"type":"dropped",\#(t),"reason":"x","count":1}"#, "line 1: 'reason' 'x' is not known"),
    (
      #"{"type":"report",\#(t),"ad":"","rssi":-129}"#,
      "line 1: 'rssi' is not a whole number from -128 to 127"
    ),
    (
      #"{"type":"report",\#(t),"ad":"","event":"ADV"}"#,
      "line 1: 'event' 'ADV' is not one of \(Self.events)"
    ),
    (
      #"{"type":"report",\#(t),"manufacturer":{"004C":"","004c":""}}"#,
      "line 1: 'manufacturer' names a company twice"
    ),
  ])
  func `an invalid line is counted with a note, and the next is read`(
    _ line: String,
    _ note: String
  ) {
    let lines = DecodedLines(line + "\n" + #"{"v":1,"type":"mark",\#(Self.t)}"# + "\n")
    #expect(lines.drops[.malformedRecord] == 1)
    #expect(lines.notes == [note])
    #expect(lines.records == 2)
    #expect(lines.inputs.count == 1)
  }

  /// A lost line may state that a receiver stopped, so nothing is known of it until it reports again.
  @Test(arguments: [
    (#"{"v":1,"type":"radio","t":"2026-05-02T1"#, true),
    (#"{"v":1,"type":"radio",\#(t),"receiver":"hci0","state":"suspended"}"#, true),
    (#"{"v":2,"type":"radio",\#(t),"receiver":"hci0","state":"off"}"#, true),
    (#"{"v":1,"type":"report",\#(t),"receiver":"hci0{"v":1,"type":"radio",\#(t)}"#, true),
    (String(repeating: "\0", count: 4096), true),
    (String(repeating: "x", count: JSONLinesDecoder.longestLine + 1), true),
    (#"{"v":1,"type":"report",\#(t),"receiver":"hci0","rs"#, false),
    (#"{"v":1,"type":"mark","t":"2026-0"#, false),
    (#"{ "v": 1, "type": "report", "t": "2026-0"#, false),
    (#"{"type":"report",\#(t),"receiver":"hci0","rssi":"x","ad":""}"#, false),
    (#"{"v":1,"type":"battery",\#(t)}"#, false),
  ])
  func `after a line that cannot be read, a receiver is deaf until it reports`(
    _ line: String,
    _ isLost: Bool
  ) {
    let report = #"{"v":1,"type":"report",\#(Self.t),"receiver":"hci0","ad":""}"#
    let listening = #"{"v":1,"type":"radio",\#(Self.t),"receiver":"hci0","state":"listening"}"#
    let lines = DecodedLines([listening, line, report, report].joined(separator: "\n") + "\n")
    let states = lines.inputs.compactMap { input in
      if case .radio(_, let state, _) = input.input { state } else { nil }
    }
    #expect(states == (isLost ? [.listening, .deaf, .listening] : [.listening]))
    #expect(lines.drops[.malformedRecord] == 1)
  }

  @Test func `a line cut off by the end of the file is damage at its start`() {
    let whole = #"{"v":1,"type":"mark",\#(Self.t)}"#
    let cut = DecodedLines(whole + "\n" + whole.dropLast(3))
    #expect(cut.inputs.count == 1)
    #expect(cut.damage?.offset == whole.utf8.count + 1)
    #expect(cut.drops.total == 0)
    // Only the line end is missing.
    #expect(DecodedLines(whole).inputs.count == 1)
    #expect(DecodedLines(whole).damage == nil)
  }

  @Test func `an overlong line is dropped once, and the next one is read`() {
    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: JSONLinesDecoder.longestLine + 9)
    bytes += Array("\n{\"v\":1,\"type\":\"mark\",\(Self.t)}\n".utf8)
    let lines = DecodedLines(bytes, block: JSONLinesDecoder.longestLine + 4)
    #expect(lines.drops[.malformedRecord] == 1)
    #expect(lines.inputs.map(\.input) == [.mark(Self.time)])
  }

  @Test func `unknown types get a note, up to a limit`() {
    let text = (0..<100).map { "{\"type\":\"a\($0)\"}\n" }.joined()
    let lines = DecodedLines(text)
    #expect(lines.drops[.malformedRecord] == 100)
    #expect(lines.notes.count == 8)
  }

  /// Swift takes two such names for one.
  @Test
  func `receivers whose names differ only in their form are two, also when they are read again`() {
    let names = ["p\u{E9}", "pe\u{301}"]
    let header =
      #"{"v":1,"type":"capture","tool":"x","version":"1","receivers":["\#(names[0])","\#(names[1])"],"offsets":{"\#(names[1])":-3},"redacted":true}"#
    let lines = names.map {
      #"{"v":1,"type":"radio",\#(Self.t),"receiver":"\#($0)","state":"listening"}"#
    }
    let read = DecodedLines(([header] + lines).joined(separator: "\n") + "\n")
    let exact = ["p\u{E9}", "pe\\u{301}"]
    #expect(read.receiverNames.map { Array($0.utf8) } == exact.map { Array($0.utf8) })
    #expect(read.inputs.map(\.input.receiver) == [0, 1])
    #expect(read.decoder.header?.offsets == [exact[1]: -3])
    let again = exact.map { $0.map { $0 == "\\" ? #"\\"# : String($0) }.joined() }
      .map { #"{"v":1,"type":"radio",\#(Self.t),"receiver":"\#($0)","state":"listening"}"# }
    #expect(DecodedLines(again.joined(separator: "\n") + "\n").receiverNames == exact)
  }

  @Test func `more receivers than an index can distinguish are refused`() {
    let text = (0..<300).map { number in
      #"{"type":"report",\#(Self.t),"receiver":"r\#(number)","ad":""}"# + "\n"
    }.joined()
    let lines = DecodedLines(text)
    #expect(lines.inputs.count == 256)
    #expect(lines.drops[.malformedRecord] == 44)
    #expect(lines.notes == ["line 257: more than 256 receivers"])
  }

  @Test func `only text that starts with an object counts as JSON Lines`() {
    for (text, expected) in [
      ("\u{FEFF}\r\n {", true), ("btsnoop", false), ("", false), ("[", false),
    ] {
      #expect(JSONLinesDecoder.recognizes(Array(text.utf8).span) == expected, "\(text)")
    }
  }

  // MARK: Properties

  static func randomRecording(_ seed: UInt64) -> (batch: ScanBatch, header: CaptureHeader) {
    var random = SplitMix64(seed: seed)
    var batch = ScanBatch()
    let header = CaptureHeader(
      tool: "beaconctl",
      version: "0",
      receivers: ["hci0", "h\"ü", "00:11"],
      profile: "default",
      offsets: seed % 2 == 0 ? [:] : ["h\"ü": -6, "hci0": 12]
    )
    for _ in 0..<Int.random(in: 0..<40, using: &random) {
      let time = Timestamp(microseconds: .random(in: 0...253_402_300_799_999_999, using: &random))
      let receiver = UInt8.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: batch.inputs.append(.mark(time))
      case 1:
        let state = RadioState.allCases.randomElement(using: &random) ?? .off
        batch.inputs.append(.radio(receiver: receiver, state, time))
      default:
        var report = AdvertisingReport(
          time: time,
          rssi: Bool.random(using: &random) ? .random(in: -127 ... -1, using: &random) : nil,
          receiver: receiver,
          payloadStart: 0,
          payloadCount: 0
        )
        if Bool.random(using: &random) {
          let kind = DeviceAddress.Kind.allCases.randomElement(using: &random) ?? .random
          report.address = DeviceAddress(random.next(), kind: kind)
        }
        report.kind = (AdvertisingEventKind.allCases + [nil]).randomElement(using: &random) ?? nil
        var payload: [UInt8] = []
        if Bool.random(using: &random) {
          report.content = .rebuiltManufacturerData
          for company in Set(
            (0..<Int.random(in: 0..<3, using: &random)).map { _ in
              UInt16.random(in: 0...0xFFFF, using: &random)
            }
          ).sorted() {
            let count = Int.random(in: 0...252, using: &random)
            let data = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            ManufacturerStructures.append(company: company, data: data, to: &payload)
          }
        } else {
          let count = Int.random(in: 0..<60, using: &random)
          payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        batch.append(report, payload: payload)
      }
    }
    return (batch, header)
  }

  @Test(arguments: 0..<60)
  func `what is written is read, in blocks of any size, by the scanner and without it`(
    _ seed: UInt64
  ) {
    let (batch, header) = Self.randomRecording(seed)
    var writer = CaptureLineWriter(header, redacting: false)
    writer.append(batch)
    let lines = DecodedLines(writer.bytes)
    let inputs = batch.inputs.map { input in
      guard case .report(var report) = input else {
        return DecodedLines.Received(input: input, payload: [])
      }
      let payload = Array(batch.payload(of: report))
      report.payloadStart = 0
      return DecodedLines.Received(input: .report(report), payload: payload)
    }
    #expect(lines.inputs == inputs)
    #expect(lines.drops.total == 0)
    #expect(lines.decoder.header == header)
    #expect(DecodedLines(writer.bytes, usesScanner: false).inputs == lines.inputs)
    #expect(DecodedLines(writer.bytes, block: Int(seed % 37) + 1).inputs == lines.inputs)
  }

  @Test func `user actions and the end survive reading and writing`() {
    var writer = CaptureLineWriter(CaptureHeader(receivers: ["hci0"]), redacting: false)
    let answer = [FormField("input", .text("answer")), FormField("choice", .text("once"))]
    writer.append("user", of: "guide", at: Self.time, answer)
    writer.appendMark(at: Self.time)
    writer.append("user", of: nil, at: Self.time, [FormField("input", .text("screenOn"))])
    writer.appendEnd(at: Self.time)
    var lines = DecodedLines(writer.bytes)
    var second = CaptureLineWriter(lines.decoder.header ?? CaptureHeader(), redacting: false)
    let userActions = lines.decoder.drainUserActionLines()
    #expect(userActions.map(\.scanInputsBefore) == [0, 1])
    #expect(lines.decoder.userActionLines.isEmpty)
    second.append(userActions[0])
    second.appendMark(at: Self.time)
    second.append(userActions[1])
    second.appendEnd(at: Self.time)
    #expect(second.bytes == writer.bytes)
  }

  @Test(arguments: 0..<30)
  func `no damage makes it trap, and the scanner receives what the general reader receives`(
    _ seed: UInt64
  ) {
    let (batch, header) = Self.randomRecording(seed)
    var writer = CaptureLineWriter(header)
    writer.append(batch)
    var bytes = writer.bytes
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let place = Int.random(in: bytes.indices, using: &random)
      bytes[place] =
        Bool.random(using: &random)
        ? UInt8.random(in: 0...255, using: &random)
        : Array("{}\":,0\n".utf8).randomElement(using: &random) ?? 0
    }
    let fast = DecodedLines(bytes)
    let slow = DecodedLines(bytes, usesScanner: false)
    #expect(fast.inputs == slow.inputs)
    #expect(fast.drops == slow.drops)
    #expect(fast.records == slow.records)
    #expect(fast.damage == slow.damage)
    #expect(JSONLinesFuzzing.consume(bytes))
    _ = DecodedLines((0..<500).map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  private static func at(_ second: Int) -> String { "2026-05-01T00:00:0\(second).000000Z" }
  private static func mark(_ second: Int) -> String {
    #"{"v":1,"type":"mark","t":"\#(at(second))"}"# + "\n"
  }

  @Test func `an end that anything follows is no end`() {
    let end = #"{"v":1,"type":"end","t":"9999-12-31T23:59:59.000000Z"}"# + "\n"
    #expect(DecodedLines(Self.mark(1) + end).decoder.end != nil)
    #expect(DecodedLines(Self.mark(1) + end + Self.mark(2)).decoder.end == nil)
    // So a piece that goes on behind it is no other recording.
    func header(_ piece: Int) -> String {
      #"{"v":1,"type":"capture","receivers":["hci0"],"begun":"\#(Self.at(0))","piece":\#(piece)}"#
        + "\n"
    }
    let pieces = header(1) + Self.mark(1) + end + Self.mark(2) + header(2) + Self.mark(3)
    #expect(DecodedLines(pieces).inputs.count == 4)
  }

  @Test(arguments: ["2090-01-01T00:00:00.000000Z", "1970-01-01T00:00:00.000000Z"])
  func `a user action with a wrong time is placed between its neighbors`(_ stamp: String) {
    let line = #"{"v":1,"type":"user","t":"\#(stamp)","client":"guide","input":"quiet"}"# + "\n"
    let lines = DecodedLines(Self.mark(3) + line + Self.mark(4))
    let action = lines.decoder.userActionLines.first
    let seconds = Int64(stamp.hasPrefix("2090") ? 4 : 3)
    #expect(action?.time == Timestamp(microseconds: 1_777_593_600_000_000) + .seconds(seconds))
    #expect(lines.decoder.userActionLines.count == 1)
    // A wrong stamp of a neighbor moves no action.
    let right = line.replacing(stamp, with: Self.at(3))
    let wild = #"{"v":1,"type":"mark","t":"\#(stamp)"}"# + "\n"
    for text in [Self.mark(3) + wild + right + Self.mark(4), Self.mark(3) + right + wild] {
      let kept = DecodedLines(text).decoder.userActionLines.first
      #expect(kept?.time == Timestamp(microseconds: 1_777_593_603_000_000))
    }
  }
}
