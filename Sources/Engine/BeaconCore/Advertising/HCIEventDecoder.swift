// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decodes HCI events into advertising reports.
///
/// It reads the LE Advertising Report and the LE Extended Advertising Report (Core Specification, volume 4, part E,
/// 7.7.65.2 and 7.7.65.13) and ignores every other event. An event whose lengths contradict each other is dropped
/// completely: it is not known where its data ends and its signal strength starts.
package struct HCIEventDecoder: Sendable {
  private enum Code {
    static let leMeta: UInt8 = 0x3E
    static let advertisingReport: UInt8 = 0x02
    static let extendedAdvertisingReport: UInt8 = 0x0D
  }

  private var fragments = FragmentTable()

  package init() {}

  /// Decodes one event.
  ///
  /// - Parameters:
  ///   - block: Bytes that the event lies in.
  ///   - event: The range of the event: the event code, the parameter length, the parameters, and nothing else.
  ///   - receiver: The adapter that received it.
  ///   - time: When the host received it.
  ///   - sink: Where the reports go.
  package mutating func decode(
    _ block: borrowing Span<UInt8>,
    in event: Range<Int>,
    receiver: UInt8,
    at time: Timestamp,
    into sink: inout ScanSink
  ) {
    if event.lowerBound >= 0, event.upperBound <= block.count,
      let report = AdvertisingReport(
        loneIn: block.extracting(event),
        at: sink.origin &+ event.lowerBound,
        receiver: receiver,
        time: time
      )
    {
      sink.inputs.append(.report(report))
    } else {
      decodeAnyEvent(block, in: event, receiver: receiver, at: time, into: &sink)
    }
  }

  /// Decodes an event with any number of reports, legacy or extended.
  @inline(never)
  private mutating func decodeAnyEvent(
    _ block: borrowing Span<UInt8>,
    in event: Range<Int>,
    receiver: UInt8,
    at time: Timestamp,
    into sink: inout ScanSink
  ) {
    guard Self.isAdvertisingReport(block, in: event) else { return }
    let start = event.lowerBound &+ 4
    guard event.count >= 4, Int(block[event.lowerBound &+ 1]) == event.count &- 2 else {
      sink.drops.count(.malformedEvent)
      return
    }
    let layout = block[event.lowerBound &+ 2] == Code.advertisingReport ? Layout.legacy : .extended
    let reports = Reports(
      count: Int(block[event.lowerBound &+ 3]),
      range: start..<event.upperBound,
      layout: layout
    )
    guard reports.fit(block) else {
      sink.drops.count(.malformedEvent)
      return
    }
    var next = start
    for _ in 0..<reports.count {
      switch layout {
      case .legacy: next = decodeLegacy(block, at: next, receiver, time, &sink)
      case .extended: next = decodeExtended(block, at: next, receiver, time, &sink)
      }
    }
  }

  /// Drops incomplete advertisements, at the end of a capture or when an adapter is closed.
  package mutating func finish(into sink: inout ScanSink) {
    fragments.discardAll(&sink.drops)
  }

  /// Whether the present bytes of an event show that it contains advertising reports.
  package static func isAdvertisingReport(
    _ block: borrowing Span<UInt8>,
    in event: Range<Int>
  ) -> Bool {
    guard event.upperBound <= block.count, event.count >= 3,
      block[event.lowerBound] == Code.leMeta
    else { return false }
    let subevent = block[event.lowerBound &+ 2]
    return subevent == Code.advertisingReport || subevent == Code.extendedAdvertisingReport
  }

  // MARK: One report

  private mutating func decodeLegacy(
    _ block: borrowing Span<UInt8>,
    at start: Int,
    _ receiver: UInt8,
    _ time: Timestamp,
    _ sink: inout ScanSink
  ) -> Int {
    let dataStart = start &+ Layout.legacy.headerCount
    let dataCount = Int(block[dataStart &- 1])
    let report = AdvertisingReport(
      time: time,
      rssi: AdvertisingReport.rssi(block[dataStart &+ dataCount]),
      receiver: receiver,
      address: Self.address(block, at: start &+ 2, type: block[start &+ 1]),
      kind: AdvertisingEventKind(legacyEventType: block[start]),
      payloadStart: UInt32(truncatingIfNeeded: sink.origin &+ dataStart),
      payloadCount: UInt16(truncatingIfNeeded: dataCount)
    )
    sink.inputs.append(.report(report))
    return dataStart &+ dataCount &+ 1
  }

  private mutating func decodeExtended(
    _ block: borrowing Span<UInt8>,
    at start: Int,
    _ receiver: UInt8,
    _ time: Timestamp,
    _ sink: inout ScanSink
  ) -> Int {
    let eventType = block.littleEndian16(at: start)
    let dataStart = start &+ Layout.extended.headerCount
    let dataEnd = dataStart &+ Int(block[dataStart &- 1])
    var report = AdvertisingReport(
      time: time,
      rssi: AdvertisingReport.rssi(block[start &+ 13]),
      receiver: receiver,
      address: Self.address(block, at: start &+ 3, type: block[start &+ 2]),
      kind: Self.kind(extendedEventType: eventType),
      payloadStart: UInt32(truncatingIfNeeded: sink.origin &+ dataStart),
      payloadCount: UInt16(truncatingIfNeeded: dataEnd &- dataStart)
    )
    // Bits 5 and 6 are the data status. The missing part of a truncated chain (2) will never arrive, and every packet
    // of the received part had a valid checksum, so that part is used.
    let moreToCome = eventType >> 5 & 3 == 1
    if moreToCome || !fragments.isEmpty {
      let key = FragmentTable.Key(report, advertisingSet: block[start &+ 11])
      let fragment = dataStart..<dataEnd
      guard !moreToCome else {
        fragments.add(block, fragment, of: key, at: time, &sink.drops)
        return dataEnd
      }
      switch fragments.complete(key, with: block, fragment, at: time, &sink.drops) {
      case .whole: break
      case .lost: return dataEnd
      case .joined(let bytes):
        report.payloadCount = UInt16(truncatingIfNeeded: bytes.count)
        report.payloadStart = sink.keep(bytes)
      }
    }
    sink.inputs.append(.report(report))
    return dataEnd
  }

  // 0xFF is an anonymous advertisement; the numbers between are reserved and do not define the six bytes.
  private static func address(
    _ block: borrowing Span<UInt8>,
    at offset: Int,
    type: UInt8
  ) -> DeviceAddress? {
    guard let kind = DeviceAddress.Kind(addressType: type) else { return nil }
    return DeviceAddress(block.addressBits(at: offset), kind: kind)
  }

  /// The kind in an extended report: bit 4 marks a legacy PDU, bits 0 to 3 identify it.
  private static func kind(extendedEventType: UInt16) -> AdvertisingEventKind? {
    switch extendedEventType & 0x1F {
    case 0..<0x10: .extended
    case 0x10: .nonConnectable
    case 0x12: .scannable
    case 0x13: .connectable
    case 0x15: .directed
    case 0x1A, 0x1B: .scanResponse
    default: nil
    }
  }

  // MARK: Lengths

  private enum Layout {
    /// Event type, address type, address, length; then the data; then the RSSI.
    case legacy
    /// 23 bytes, which include the RSSI, and the length; then the data.
    case extended

    var headerCount: Int {
      switch self {
      case .legacy: 9
      case .extended: 24
      }
    }

    var trailerCount: Int {
      switch self {
      case .legacy: 1
      case .extended: 0
      }
    }
  }

  private struct Reports {
    let count: Int
    let range: Range<Int>
    let layout: Layout

    /// Whether the reports, one after the other as in Linux, fill the event exactly.
    func fit(_ block: borrowing Span<UInt8>) -> Bool {
      guard count > 0 else { return false }
      var next = range.lowerBound
      for _ in 0..<count {
        let dataStart = next &+ layout.headerCount
        guard dataStart <= range.upperBound else { return false }
        next = dataStart &+ Int(block[dataStart &- 1]) &+ layout.trailerCount
      }
      return next == range.upperBound
    }
  }
}
