// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@Suite struct BeaconDecoderTests {
  static let body: [UInt8] = Array(
    BeaconEncoder.advertisingData(TestScan.beacon(1, 17), measuredPower: -59).dropFirst(2)
  )

  /// Reads a payload, also as a report that its source decoded, wherever the payload is copied.
  static func read(_ bytes: [UInt8]) -> BeaconReading {
    let reading = BeaconDecoder.read(advertisingData: bytes.span, in: 0..<bytes.count)
    var batch = ScanBatch()
    batch.append(BeaconPlace(nil, .unknown), at: .earliest)
    var report = AdvertisingReport(
      time: .earliest,
      rssi: nil,
      payloadStart: 0,
      payloadCount: UInt16(bytes.count)
    )
    report.found = BeaconDecoder.find(advertisingData: bytes.span, in: 0..<bytes.count)
    batch.append(report, payload: bytes)
    #expect(batch.inputs[1].report.map { batch.reading(of: $0) } == reading)
    return reading
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let payload: [UInt8]
    let reading: BeaconReading

    init(_ name: String, _ payload: [UInt8], _ reading: BeaconReading) {
      testDescription = name
      self.payload = payload
      self.reading = reading
    }
  }

  static let valid = BeaconReading.beacon(TestScan.beacon(1, 17), measuredPower: -59)
  static let presence = BeaconReading.presence(TestScan.beacon(1, 17))

  /// Rows W9 and W10.
  @Test(arguments: [
    Case("the specification's payload", [2, 1, 6, 0x1A, 0xFF] + body, valid),
    Case("an iPhone's flags", [2, 1, 0x1A, 0x1A, 0xFF] + body, valid),
    Case("no flags", [0x1A, 0xFF] + body, valid),
    Case("a battery byte behind the power", [2, 1, 4, 0x1B, 0xFF] + body + [0x4E], valid),
    Case("after another maker's data", [4, 0xFF, 1, 0, 9, 0x1A, 0xFF] + body, valid),
    Case(
      "after an Apple frame of another type",
      [5, 0xFF, 0x4C, 0, 0x10, 0, 0x1A, 0xFF] + body,
      valid
    ),
    Case("padding behind it", [0x1A, 0xFF] + body + [0, 0, 0], valid),
    Case("a structure behind it that overruns", [0x1A, 0xFF] + body + [5, 9, 0x41], valid),
    Case("no power byte", [0x19, 0xFF] + body.dropLast(), presence),
    Case("nothing", [], .rejected(.empty)),
    Case("only flags", [2, 1, 6], .rejected(.noManufacturerData)),
    Case("padding before it", [0, 0x1A, 0xFF] + body, .rejected(.noManufacturerData)),
    Case(
      "another company",
      [0x1A, 0xFF, 0x18, 0x01] + body.dropFirst(2),
      .rejected(.otherCompany)
    ),
    Case(
      "the company's bytes swapped",
      [0x1A, 0xFF, 0, 0x4C] + body.dropFirst(2),
      .rejected(.otherCompany)
    ),
    Case("another Apple type", [5, 0xFF, 0x4C, 0, 0x10, 0], .rejected(.otherAppleType)),
    Case("Apple's company alone", [3, 0xFF, 0x4C, 0], .rejected(.otherAppleType)),
    Case("half a company", [2, 0xFF, 0x4C], .rejected(.noCompany)),
    Case(
      "another inner length",
      [0x1A, 0xFF, 0x4C, 0, 2, 0x14] + body.dropFirst(4),
      .rejected(.wrongLength)
    ),
    Case("cut behind the major", [0x17, 0xFF] + body.dropLast(3), .rejected(.truncatedFrame)),
    Case("cut behind the type", [4, 0xFF, 0x4C, 0, 2], .rejected(.truncatedFrame)),
    Case("longer than the payload", [0x1B, 0xFF] + body, .rejected(.frameOverruns)),
    Case("another structure longer than the payload", [9, 9, 0x41], .rejected(.structureOverruns)),
    Case("as service data", [0x1A, 0x16] + body, .rejected(.noManufacturerData)),
  ])
  func `a payload is read strictly`(_ row: Case) {
    #expect(Self.read(row.payload) == row.reading)
  }

  @Test func `a source decodes a usual payload once`() {
    let usual = [[2, 1, 6, 0x1A, 0xFF] + Self.body, [0x1A, 0xFF] + Self.body, [2, 1, 6], []]
    for payload in usual {
      let found = BeaconDecoder.find(advertisingData: payload.span, in: payload.indices)
      #expect(found.isKnown, "\(payload)")
    }
  }

  @Test func `a place that is not in the payload is not read`() {
    let long = [2, 1, 6, 0x1A, 0xFF] + Self.body
    var report = AdvertisingReport(time: .earliest, rssi: nil, payloadStart: 0, payloadCount: 30)
    report.found = BeaconDecoder.find(advertisingData: long.span, in: long.indices)
    var batch = ScanBatch()
    batch.append(report, payload: Array(long.dropFirst(3)))
    #expect(batch.inputs[0].report.map { batch.reading(of: $0) } == Self.valid)
    report.payloadStart = 40
    #expect(batch.reading(of: report) == .rejected(.empty))
  }

  @Test func `of two frames the first is read`() {
    let second = BeaconEncoder.advertisingData(TestScan.beacon(2, 2), measuredPower: -1)
    #expect(Self.read([0x1A, 0xFF] + Self.body + second) == Self.valid)
  }

  @Test func `a frame with power is preferred to one without`() {
    let short = [0x19, 0xFF] + Self.body.dropLast()
    #expect(Self.read(short + [0x1A, 0xFF] + Self.body) == Self.valid)
  }

  @Test func `only bytes within the payload are read`() {
    let bytes = [9, 9] + [0x1A, 0xFF] + Self.body + [7, 7]
    #expect(BeaconDecoder.read(advertisingData: bytes.span, in: 2..<29) == Self.valid)
    #expect(
      BeaconDecoder.read(advertisingData: bytes.span, in: 2..<28) == .rejected(.frameOverruns)
    )
    #expect(BeaconDecoder.read(advertisingData: bytes.span, in: 2..<99) == .rejected(.empty))
  }

  @Test func `what is encoded is decoded`() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let identity = BeaconIdentity(
        uuid: UInt128.random(in: 0...(.max), using: &random),
        major: UInt16.random(in: 0...(.max), using: &random),
        minor: UInt16.random(in: 0...(.max), using: &random)
      )
      let power = Int8.random(in: -128...127, using: &random)
      let data = BeaconEncoder.advertisingData(identity, measuredPower: power)
      #expect(Self.read(data) == .beacon(identity, measuredPower: power))
    }
  }

  /// Law L5.
  @Test func `random bytes are refused with a reason and never trap`() {
    var random = SplitMix64(seed: 6)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        bytes = [UInt8.random(in: 0...40, using: &random), 0xFF, 0x4C, 0, 2, 0x15] + bytes
      }
      let reading = Self.read(bytes)
      #expect(reading.reason != nil || reading.identity != nil)
    }
  }
}
