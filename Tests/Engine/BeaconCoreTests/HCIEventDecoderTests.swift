// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@Suite struct HCIEventDecoderTests {
  static let time = Timestamp(microseconds: 1_750_000_000_000_000)

  /// The result of one decoder for events, each with its time in seconds.
  struct Outcome {
    var reports: [AdvertisingReport] = []
    var payloads: [[UInt8]] = []
    var drops = Tally<DropReason>()

    init(_ events: [(seconds: Int64, bytes: [UInt8])]) {
      var decoder = HCIEventDecoder()
      var sink = ScanSink()
      for (seconds, bytes) in events {
        sink.begin(blockCount: bytes.count, expecting: 0)
        decoder.decode(
          bytes.span,
          in: 0..<bytes.count,
          receiver: 0,
          at: time + .seconds(seconds),
          into: &sink
        )
        let batch = ScanBatch(bytes: bytes + sink.extraBytes, inputs: sink.inputs)
        for case .report(let report) in batch.inputs {
          reports.append(report)
          payloads.append(Array(batch.payload(of: report)))
        }
      }
      decoder.finish(into: &sink)
      drops = sink.drops
    }

    init(_ bytes: [UInt8]) {
      self.init([(0, bytes)])
    }
  }

  static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.filter { $0 != " " })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  static let beacon = "0201061aff4c0002152f234454cf6d4a0fadf2f4911ba9ffa600010002c5"

  @Test func `a report is read field by field`() throws {
    let outcome = Outcome(Self.bytes("3e2a 0201 03 01 665544332211 1e \(Self.beacon) c4"))
    let report = try #require(outcome.reports.first)
    #expect(outcome.reports.count == 1)
    #expect(report.address == DeviceAddress(0x1122_3344_5566, kind: .random))
    #expect(report.rssi == -60)
    #expect(report.kind == .nonConnectable)
    #expect(report.time == Self.time)
    #expect(outcome.payloads == [Self.bytes(Self.beacon)])
  }

  @Test(
    arguments: [
      ("a signal strength of 127 is none", "3e0d 0201 03 01 665544332211 01 00 7f", nil),
      (
        "so is one of 0, at which no radio receives a beacon",
        "3e0d 0201 03 01 665544332211 01 00 00", nil
      ),
      ("or of more", "3e0d 0201 03 01 665544332211 01 00 0c", nil),
      ("the strongest there is", "3e0d 0201 03 01 665544332211 01 00 ff", -1),
      ("the weakest there is", "3e0d 0201 03 01 665544332211 01 00 81", -127),
      ("HCI has no weaker one", "3e0d 0201 03 01 665544332211 01 00 80", nil),
    ] as [(String, String, Int8?)]
  )
  func `signal strength is signed`(_ name: String, _ hex: String, _ rssi: Int8?) {
    let outcome = Outcome(Self.bytes(hex))
    #expect(outcome.reports.map(\.rssi) == [rssi], "\(name)")
  }

  @Test func `several reports follow one another`() {
    let first = "03 01 665544332211 02 aabb c4"
    let second = "04 00 010203040506 00 c5"
    let outcome = Outcome(Self.bytes("3e18 0202 \(first) \(second)"))
    #expect(outcome.payloads == [[0xAA, 0xBB], []])
    #expect(outcome.reports.map(\.kind) == [.nonConnectable, .scanResponse])
    #expect(outcome.reports.map(\.rssi) == [-60, -59])
  }

  @Test func `unknown values of an event are nil`() {
    let outcome = Outcome(Self.bytes("3e0c 0201 05 ff 665544332211 00 7f"))
    #expect(outcome.reports.map(\.kind) == [nil])
    #expect(outcome.reports.map(\.address) == [nil])
    #expect(outcome.reports.map(\.rssi) == [nil])
  }

  @Test(arguments: [
    ("3e0c 0201 03 01 665544332211 01 c4", "a data length over the signal strength"),
    ("3e0e 0201 03 01 665544332211 01 aa c4", "a parameter length beyond the event"),
    ("3e0c 0201 03 01 665544332211 01 aa c4", "a parameter length short of the event"),
    ("3e0e 0201 03 01 665544332211 01 aa c4 00", "a byte that belongs to nothing"),
    ("3e0d 0202 03 01 665544332211 01 aa c4", "a second report that is not there"),
    ("3e02 0200", "no report at all"),
    ("3e01 02", "an event that ends before its count"),
    ("3e19 0d01 1000 01 665544332211 01 00 ff 7f c4 0000 00 000000000000", "no data length"),
    ("3e1a 0d01 1000 01 665544332211 01 00 ff 7f c4 0000 00 000000000000 01", "data too long"),
  ])
  func `an event whose lengths contradict each other is dropped`(
    _ hex: String,
    _ what: String
  ) {
    let outcome = Outcome(Self.bytes(hex))
    #expect(outcome.reports.isEmpty, "\(what)")
    #expect(outcome.drops[.malformedEvent] == 1, "\(what)")
  }

  @Test(arguments: ["0e0401052000", "3e0401052000", "3e130b01", "3e", "", "05ff"])
  func `other events are ignored`(_ hex: String) {
    let outcome = Outcome(Self.bytes(hex))
    #expect(outcome.reports.isEmpty)
    #expect(outcome.drops.total == 0)
  }

  // MARK: Extended reports

  static func extended(
    type: UInt16,
    set: UInt8 = 0xFF,
    address: UInt8 = 1,
    rssi: Int8 = -60,
    _ data: [UInt8]
  ) -> [UInt8] {
    var event: [UInt8] = [0x3E, UInt8(26 + data.count), 0x0D, 1]
    event += [UInt8(type & 0xFF), UInt8(type >> 8), 1, address, 0, 0, 0, 0, 0xC0, 1, 0, set, 127]
    event += [UInt8(bitPattern: rssi)] + [UInt8](repeating: 0, count: 9)
    return event + [UInt8(data.count)] + data
  }

  @Test(
    arguments: [
      (0x13, .connectable), (0x12, .scannable), (0x10, .nonConnectable), (0x15, .directed),
      (0x1A, .scanResponse), (0x1B, .scanResponse), (0x00, .extended), (0x01, .extended),
      (0x08, .extended), (0x11, nil),
    ] as [(UInt16, AdvertisingEventKind?)]
  )
  func `the kind of a legacy packet is kept`(_ type: UInt16, _ kind: AdvertisingEventKind?) {
    #expect(Outcome(Self.extended(type: type, [1, 2])).reports.map(\.kind) == [kind])
  }

  @Test func `fragments are joined by address and set`() {
    let outcome = Outcome([
      (0, Self.extended(type: 0x20, set: 1, [1, 2])),
      (0, Self.extended(type: 0x20, set: 2, [8])),
      (0, Self.extended(type: 0x20, set: 1, address: 2, [9])),
      (1, Self.extended(type: 0x20, set: 1, [3])),
      (1, Self.extended(type: 0x10, [7])),
      (2, Self.extended(type: 0x00, set: 1, rssi: -70, [4])),
    ])
    #expect(outcome.payloads == [[7], [1, 2, 3, 4]])
    #expect(outcome.reports.map(\.rssi) == [-60, -70])
    #expect(outcome.drops[.incompleteFragments] == 2)
    #expect(outcome.drops.total == 2)
  }

  @Test func `the received part of a truncated advertisement is used`() {
    let outcome = Outcome([
      (0, Self.extended(type: 0x20, set: 1, [1])), (0, Self.extended(type: 0x40, set: 1, [2])),
    ])
    #expect(outcome.payloads == [[1, 2]])
    #expect(outcome.drops.total == 0)
  }

  @Test func `a fragment that is too late starts a new advertisement`() {
    let outcome = Outcome([
      (0, Self.extended(type: 0x20, set: 1, [1])), (3, Self.extended(type: 0x00, set: 1, [2])),
    ])
    #expect(outcome.payloads == [[2]])
    #expect(outcome.drops[.incompleteFragments] == 1)
  }

  @Test func `an advertisement that is too long is dropped with its last fragment`() {
    let part = [UInt8](repeating: 5, count: 200)
    var events = [(seconds: Int64, bytes: [UInt8])](
      repeating: (0, Self.extended(type: 0x20, set: 1, part)),
      count: 9
    )
    events.append((0, Self.extended(type: 0x00, set: 1, [6])))
    let outcome = Outcome(events)
    #expect(outcome.reports.isEmpty)
    #expect(outcome.drops[.incompleteFragments] == 1)
  }

  @Test func `the longest advertisement is joined`() {
    let part = [UInt8](repeating: 5, count: 200)
    var events = [(seconds: Int64, bytes: [UInt8])](
      repeating: (0, Self.extended(type: 0x20, set: 1, part)),
      count: 8
    )
    events.append((0, Self.extended(type: 0x00, set: 1, [UInt8](repeating: 6, count: 50))))
    #expect(Outcome(events).payloads.map(\.count) == [1650])
  }

  @Test func `the number of incomplete advertisements is bounded, the oldest is dropped`() {
    var events = (1...9).map {
      (seconds: Int64(0), bytes: Self.extended(type: 0x20, set: 1, address: $0, [$0]))
    }
    events += (1...9).map {
      (seconds: Int64(0), bytes: Self.extended(type: 0x00, set: 1, address: $0, [0]))
    }
    let outcome = Outcome(events)
    #expect(outcome.drops[.incompleteFragments] == 1)
    #expect(outcome.payloads == [[0]] + (2...9).map { [$0, 0] })
  }

  // MARK: Vectors

  struct Vector: Decodable {
    struct Beacon: Decodable {}
    let hex: String
    let what: String
    let expect: Beacon?
    let note: String
  }

  /// Events of other projects' tests; invalid ones give no report.
  @Test(.enabled(if: ProjectFiles.data != nil, "the folder of real data is not here"))
  func `the vectors' events are read or refused`() throws {
    let file = try #require(ProjectFiles.data).appending(path: "ibeacon-vectors.jsonl")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let vectors = try lines.map { try JSONDecoder().decode(Vector.self, from: Data($0.utf8)) }
    let events = vectors.filter { $0.what == "hci_event" }
    #expect(events.count >= 20)
    for vector in events {
      let packet = Self.bytes(vector.hex)
      let event = packet.first == 4 ? Array(packet.dropFirst()) : []
      let outcome = Outcome(event)
      let isRefused =
        vector.note.hasPrefix("[malformed-header]") || vector.note.hasPrefix("[truncated]")
        || vector.note.hasPrefix("[invalid]")
      #expect(outcome.reports.isEmpty == isRefused, "\(vector.note)")
      if vector.expect != nil { #expect(!outcome.reports.isEmpty, "\(vector.note)") }
    }
  }

  @Test func `random events never trap and never point outside`() {
    var random = SplitMix64(seed: 0x1EC)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<80, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...40, using: &random) }
      for (index, byte) in [
        0x3E, UInt8(max(count - 2, 0)), [2, 0x0D].randomElement(using: &random)!, 1,
      ].enumerated()
      where index < count { bytes[index] = byte }
      let outcome = Outcome(bytes)
      #expect(
        zip(outcome.reports, outcome.payloads).allSatisfy { Int($0.payloadCount) == $1.count }
      )
    }
  }
}
