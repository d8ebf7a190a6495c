// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The scanner for lines written exactly as ``CaptureLineWriter`` and ``SightingLineWriter`` write them.
///
/// Nearly all lines of a recording are written like this. The general reader reads every other line, and gives the same
/// result for the same content.
extension JSONLinesDecoder {
  /// The longest payload of a report.
  static let longestPayload = 65_535

  private static let reportBegin = Array(#"{"v":1,"type":"report","t":""#.utf8)
  private static let sightingBegin = Array(#"{"v":1,"type":"sighting","t":""#.utf8)
  private static let receiverKey = Array(#","receiver":"#.utf8)
  private static let noAddress = Array(#","address":null,"address_type":null,"event":"#.utf8)
  private static let addressKey = Array(#","address":""#.utf8)
  private static let addressTypeKey = Array(#","address_type":"#.utf8)
  private static let eventKey = Array(#","event":"#.utf8)
  private static let rssiKey = Array(#","rssi":"#.utf8)
  private static let adKey = Array(#","ad":""#.utf8)
  private static let manufacturerKey = Array(#","manufacturer":{"#.utf8)
  private static let uuidKey = Array(#","uuid":""#.utf8)
  private static let majorKey = Array(#","major":"#.utf8)
  private static let minorKey = Array(#","minor":"#.utf8)
  private static let powerKey = Array(#","power":"#.utf8)
  private static let sightingAddressKey = Array(#","address":"#.utf8)
  private static let lineEnding = Array("}\n".utf8)
  private static let null = Array("null".utf8)
  private static let kindNames = AdvertisingEventKind.allCases.map {
    Array("\"\($0.lineName)\"".utf8)
  }
  private static let addressKindNames = DeviceAddress.Kind.allCases.map {
    Array("\"\($0.lineName)\"".utf8)
  }

  /// Reads one line in exactly this form, with its end.
  ///
  /// - Returns: Whether the line has this form; if not, `offset` and the sink are unchanged.
  @inline(__always)
  mutating func scan(
    _ block: borrowing Span<UInt8>,
    at offset: inout Int,
    into sink: inout CaptureSink
  ) -> Bool {
    var index = offset
    scratch.removeAll(keepingCapacity: true)
    let report: AdvertisingReport?
    if LineScanner.pass(Self.reportBegin, block, at: &index) {
      report = scanReport(block, at: &index)
    } else if LineScanner.pass(Self.sightingBegin, block, at: &index) {
      report = scanSighting(block, at: &index)
    } else {
      return false
    }
    guard let report, LineScanner.pass(Self.lineEnding, block, at: &index) else { return false }
    keep(report, into: &sink)
    offset = index
    return true
  }

  private mutating func scanReport(
    _ block: borrowing Span<UInt8>,
    at index: inout Int
  ) -> AdvertisingReport? {
    guard let time = LineScanner.timestamp(block, at: &index),
      LineScanner.pass(Self.receiverKey, block, at: &index),
      let receiver = scanReceiver(block, at: &index)
    else { return nil }
    var report = AdvertisingReport(
      time: time,
      rssi: nil,
      receiver: receiver,
      payloadStart: 0,
      payloadCount: 0
    )
    if !LineScanner.pass(Self.noAddress, block, at: &index) {
      guard LineScanner.pass(Self.addressKey, block, at: &index),
        let bits = LineScanner.address(block, at: &index),
        LineScanner.pass(Self.addressTypeKey, block, at: &index),
        let kind = LineScanner.pass(oneOf: Self.addressKindNames, block, at: &index),
        LineScanner.pass(Self.eventKey, block, at: &index)
      else { return nil }
      report.address = DeviceAddress(
        bits,
        kind: DeviceAddress.Kind(rawValue: UInt8(kind)) ?? .random
      )
    }
    if !LineScanner.pass(Self.null, block, at: &index) {
      guard let kind = LineScanner.pass(oneOf: Self.kindNames, block, at: &index) else {
        return nil
      }
      report.kind = AdvertisingEventKind(rawValue: UInt8(kind))
    }
    guard scanSmallNumber(Self.rssiKey, block, at: &index, into: &report.rssi) else { return nil }
    guard Self.keepLevel(of: &report) else { return nil }
    if LineScanner.pass(Self.adKey, block, at: &index) {
      let limit = Self.longestPayload
      let isRead = LineScanner.hex(block, at: &index, atMost: limit, onto: &scratch)
      return isRead ? report : nil
    }
    report.content = .rebuiltManufacturerData
    let isRead = scanManufacturer(block, at: &index)
    return isRead ? report : nil
  }

  /// Reads `,"manufacturer":{"004c":"0215…"}` with ascending companies onto ``scratch``.
  private mutating func scanManufacturer(
    _ block: borrowing Span<UInt8>,
    at index: inout Int
  ) -> Bool {
    guard LineScanner.pass(Self.manufacturerKey, block, at: &index) else { return false }
    var last = -1
    while true {
      guard LineScanner.pass(UInt8(ascii: "\""), block, at: &index) else { return false }
      let start = scratch.count
      // The company's two octets come first, most significant first; the structure has them the other way round.
      scratch.append(0)
      scratch.append(ManufacturerStructures.type)
      guard LineScanner.hex(block, at: &index, atMost: 2, onto: &scratch),
        scratch.count == start + 4,
        LineScanner.pass(UInt8(ascii: ":"), block, at: &index),
        LineScanner.pass(UInt8(ascii: "\""), block, at: &index)
      else { return false }
      scratch.swapAt(start + 2, start + 3)
      let company = Int(scratch[start + 2]) | Int(scratch[start + 3]) << 8
      let limit = ManufacturerStructures.longestData
      guard company > last,
        LineScanner.hex(block, at: &index, atMost: limit, onto: &scratch),
        scratch.count <= Self.longestPayload
      else { return false }
      last = company
      scratch[start] = UInt8(truncatingIfNeeded: scratch.count - start - 1)
      if LineScanner.pass(UInt8(ascii: "}"), block, at: &index) { return true }
      guard LineScanner.pass(UInt8(ascii: ","), block, at: &index) else { return false }
    }
  }

  private mutating func scanSighting(
    _ block: borrowing Span<UInt8>,
    at index: inout Int
  ) -> AdvertisingReport? {
    guard let time = LineScanner.timestamp(block, at: &index),
      LineScanner.pass(Self.uuidKey, block, at: &index),
      let uuid = LineScanner.uuid(block, at: &index),
      LineScanner.pass(Self.majorKey, block, at: &index),
      let major = LineScanner.integer(block, at: &index).flatMap({ UInt16(exactly: $0) }),
      LineScanner.pass(Self.minorKey, block, at: &index),
      let minor = LineScanner.integer(block, at: &index).flatMap({ UInt16(exactly: $0) })
    else { return nil }
    var power: Int8?
    var report = AdvertisingReport(
      time: time,
      rssi: nil,
      content: .rebuiltManufacturerData,
      payloadStart: 0,
      payloadCount: 0
    )
    guard scanSmallNumber(Self.powerKey, block, at: &index, into: &power),
      scanSmallNumber(Self.rssiKey, block, at: &index, into: &report.rssi),
      LineScanner.pass(Self.receiverKey, block, at: &index),
      let receiver = scanReceiver(block, at: &index),
      LineScanner.pass(Self.sightingAddressKey, block, at: &index)
    else { return nil }
    guard Self.keepLevel(of: &report) else { return nil }
    report.receiver = receiver
    if !LineScanner.pass(Self.null, block, at: &index) {
      guard LineScanner.pass(UInt8(ascii: "\""), block, at: &index),
        let bits = LineScanner.address(block, at: &index)
      else { return nil }
      report.address = DeviceAddress(bits, kind: .random)
    }
    let identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
    BeaconEncoder.append(identity, measuredPower: power, to: &scratch)
    return report
  }

  /// Removes an RSSI that cannot be a level; the general reader has a word for a magnitude.
  @inline(__always)
  private static func keepLevel(of report: inout AdvertisingReport) -> Bool {
    guard let rssi = report.rssi else { return true }
    report.rssi = AdvertisingReport.rssi(UInt8(bitPattern: rssi))
    return report.rssi != nil || rssi <= 0 || rssi == .max
  }

  /// Reads `null` or the name of a known receiver.
  @inline(__always)
  private mutating func scanReceiver(
    _ block: borrowing Span<UInt8>,
    at index: inout Int
  ) -> UInt8? {
    let names = receivers.quoted
    if lastReceiver < names.count, LineScanner.pass(names[lastReceiver], block, at: &index) {
      return UInt8(truncatingIfNeeded: lastReceiver)
    }
    if LineScanner.pass(Self.null, block, at: &index) { return receivers.unnamed() }
    guard let place = LineScanner.pass(oneOf: names, block, at: &index) else { return nil }
    lastReceiver = place
    return UInt8(truncatingIfNeeded: place)
  }

  /// Reads a key, then `null` or a number that fits into a signed byte.
  ///
  /// - Returns: Whether these were the next bytes.
  @inline(__always)
  private func scanSmallNumber(
    _ key: [UInt8],
    _ block: borrowing Span<UInt8>,
    at index: inout Int,
    into number: inout Int8?
  ) -> Bool {
    guard LineScanner.pass(key, block, at: &index) else { return false }
    if LineScanner.pass(Self.null, block, at: &index) { return true }
    number = LineScanner.integer(block, at: &index).flatMap { Int8(exactly: $0) }
    return number != nil
  }
}
