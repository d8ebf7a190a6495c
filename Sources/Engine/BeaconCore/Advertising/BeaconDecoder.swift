// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds an iBeacon frame in advertising data; invalid frames are rejected with a reason.
///
/// A frame is manufacturer specific data of company 0x004C (little-endian) that starts with `02 15`, then 16 bytes of
/// UUID, big-endian major and minor and a signed measured power. Flags do not matter, nor bytes behind the frame in its
/// structure, nor data of other companies in front of it: battery bytes, padding and additional structures all occur in
/// practice.
package enum BeaconDecoder {
  /// Apple's company identifier as assigned by the Bluetooth SIG.
  package static let appleCompany: UInt16 = 0x004C
  /// Bytes from the company identifier to the measured power: company, type, length, UUID, major, minor, power.
  static let frameCount = 25
  /// The start of a frame, read as a little-endian number: company, type, length.
  private static let frameStart: UInt32 = 0x1502_004C

  /// Reads advertising data: AD structures one after another, up to a length of zero or the end.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes that contain the payload.
  ///   - range: The range of the payload; a range outside the bytes reads as empty.
  /// - Returns: The first valid frame, otherwise the presence of a frame without its power, otherwise the reason of the
  ///   structure that was nearest to a frame.
  @inline(__always)
  package static func read(
    advertisingData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> BeaconReading {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return .rejected(.empty) }
    let payload = bytes.extracting(range)
    if beginsAsUsual(payload) { return frame(payload, at: usualStartCount &- 4) }
    switch findFrame(in: payload) {
    case .frame(let start): return frame(payload, at: start)
    case .nowhere(let reason): return .rejected(reason)
    case .unclear: return readClosely(advertisingData: bytes, in: range)
    }
  }

  /// Where advertising data contains a frame.
  enum FramePlace {
    /// At an offset.
    case frame(at: Int)
    /// Nowhere.
    case nowhere(RejectReason)
    /// Not known: rare content is left to a closer look.
    case unclear
  }

  /// Finds the frame in advertising data, for a report that several readers decode.
  package static func find(
    advertisingData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> FoundFrame {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
      return FoundFrame(.nowhere(.empty))
    }
    let payload = bytes.extracting(range)
    let isUsual = beginsAsUsual(payload)
    return FoundFrame(isUsual ? .frame(at: usualStartCount &- 4) : findFrame(in: payload))
  }

  /// Reads a report, at the place where its source found a frame if the source decoded it.
  @inline(__always)
  package static func read(
    _ report: borrowing AdvertisingReport,
    in bytes: borrowing Span<UInt8>
  ) -> BeaconReading {
    let range = report.payloadRange
    guard report.found.isKnown else { return read(advertisingData: bytes, in: range) }
    return read(report.found, in: bytes, range)
  }

  @inline(never)
  private static func read(
    _ found: FoundFrame,
    in bytes: borrowing Span<UInt8>,
    _ range: Range<Int>
  ) -> BeaconReading {
    switch found.place {
    case .frame(let start)
    where range.upperBound <= bytes.count && start + frameCount <= range.count:
      return frame(bytes, at: range.lowerBound + start)
    case .nowhere(let reason): return .rejected(reason)
    case .frame, .unclear: return read(advertisingData: bytes, in: range)
    }
  }

  /// Finds a frame in advertising data that does not begin as usual.
  ///
  /// It is a separate function, so that the usual start is inlined, and returns little, since half of all reports
  /// come here.
  @inline(never)
  private static func findFrame(in payload: Span<UInt8>) -> FramePlace {
    guard !payload.isEmpty else { return .nowhere(.empty) }
    var offset = 0
    var reason = RejectReason.noManufacturerData
    while offset < payload.count {
      // Safe: the offset is never negative, and below the count; a structure that has a type lies within it.
      let length = unsafe Int(payload[unchecked: offset])
      if length == 0 { break }
      let next = offset &+ 1 &+ length
      guard next <= payload.count else { return .unclear }
      if unsafe payload[unchecked: offset &+ 1] == manufacturerSpecificData {
        // Less than four bytes of data, or the start of a frame that is not valid.
        guard length > 4 else { return .unclear }
        let start = payload.littleEndian32(at: offset &+ 2)
        if start == frameStart, length > frameCount { return .frame(at: offset &+ 2) }
        if UInt16(truncatingIfNeeded: start) != appleCompany {
          if reason == .noManufacturerData { reason = .otherCompany }
        } else if UInt8(truncatingIfNeeded: start >> 16) != 0x02 {
          reason = .otherAppleType
        } else {
          return .unclear
        }
      }
      offset = next
    }
    return .nowhere(reason)
  }

  /// Whether a payload starts like nearly all that contain a frame: flags, then a structure with only the frame.
  @inline(__always)
  private static func beginsAsUsual(_ payload: Span<UInt8>) -> Bool {
    guard payload.count >= usualStartCount &- 4 &+ frameCount else { return false }
    // Everything except the flags themselves; the frame's own length follows.
    let start = payload.littleEndian64(at: 0) & 0xFFFF_FFFF_FF00_FFFF
    return start == 0x0200_4CFF_1A00_0102 && payload.load(at: 8, as: UInt8.self) == 0x15
  }

  /// Bytes of flags, and of the next structure up to the frame's UUID.
  private static let usualStartCount = 9

  /// Reads advertising data of any structure, with the reason why it contains no frame if it does not.
  @inline(never)
  private static func readClosely(
    advertisingData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> BeaconReading {
    var offset = range.lowerBound
    let end = range.upperBound
    var nearest = Nearest()
    while offset < end {
      let length = Int(bytes[offset])
      if length == 0 { break }
      let next = offset + 1 + length
      guard next <= end else {
        nearest.consider(overrun(bytes, offset: offset, end: end))
        break
      }
      if length >= 2, bytes[offset + 1] == manufacturerSpecificData {
        let reading = read(manufacturerData: bytes, in: offset + 2..<next)
        if case .beacon = reading { return reading }
        nearest.consider(reading)
      }
      offset = next
    }
    return nearest.reading
  }

  /// Reads manufacturer specific data, starting with its company identifier.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes that contain the data.
  ///   - range: The range of the data; a range outside the bytes reads as empty.
  /// - Returns: The frame, its presence, or why it is missing.
  package static func read(
    manufacturerData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> BeaconReading {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count, !range.isEmpty else {
      return .rejected(.empty)
    }
    let start = range.lowerBound
    guard range.count >= 2 else { return .rejected(.noCompany) }
    guard bytes[start] == 0x4C, bytes[start + 1] == 0x00 else { return .rejected(.otherCompany) }
    guard range.count >= 3, bytes[start + 2] == 0x02 else { return .rejected(.otherAppleType) }
    guard range.count >= 4 else { return .rejected(.truncatedFrame) }
    guard bytes[start + 3] == 0x15 else { return .rejected(.wrongLength) }
    guard range.count >= frameCount - 1 else { return .rejected(.truncatedFrame) }
    guard range.count >= frameCount else { return .presence(identity(bytes, at: start)) }
    return frame(bytes, at: start)
  }

  /// The frame at an offset; all its bytes must lie in the span.
  @inline(__always)
  private static func frame(_ bytes: borrowing Span<UInt8>, at start: Int) -> BeaconReading {
    let frame = bytes.extracting(start..<start &+ frameCount)
    let power = frame.load(at: 24, as: Int8.self)
    return .beacon(identity(frame, at: 0), measuredPower: power)
  }

  /// The identity in the frame at an offset; all its bytes must lie in the span.
  @inline(__always)
  private static func identity(_ bytes: borrowing Span<UInt8>, at start: Int) -> BeaconIdentity {
    let (high, low) = (bytes.bigEndian64(at: start &+ 4), bytes.bigEndian64(at: start &+ 12))
    let numbers = bytes.bigEndian32(at: start &+ 20)
    return BeaconIdentity(
      uuid: UInt128(high) << 64 | UInt128(low),
      major: UInt16(truncatingIfNeeded: numbers >> 16),
      minor: UInt16(truncatingIfNeeded: numbers)
    )
  }

  /// The AD type of manufacturer specific data (Core Specification Supplement, part A, 1.4).
  static let manufacturerSpecificData: UInt8 = 0xFF

  /// Returns the reason for a structure that exceeds the payload: whether it starts like an iBeacon frame.
  private static func overrun(
    _ bytes: borrowing Span<UInt8>,
    offset: Int,
    end: Int
  ) -> BeaconReading {
    let start: [UInt8] = [manufacturerSpecificData, 0x4C, 0x00, 0x02, 0x15]
    guard offset + 1 + start.count <= end else { return .rejected(.structureOverruns) }
    for (index, byte) in start.enumerated() where bytes[offset + 1 + index] != byte {
      return .rejected(.structureOverruns)
    }
    return .rejected(.frameOverruns)
  }

  /// The reading nearest to a valid frame so far.
  struct Nearest {
    var reading = BeaconReading.rejected(.noManufacturerData)

    mutating func consider(_ candidate: BeaconReading) {
      guard let reason = candidate.reason, let known = reading.reason else { return }
      if reason.rawValue > known.rawValue { reading = candidate }
    }
  }
}

extension BeaconDecoder {
  /// Reads an HCI packet that starts with its H4 type byte (`04`, an event).
  ///
  /// - Returns: The first valid frame of any report in the event, otherwise the reading nearest to one.
  package static func read(packet bytes: [UInt8]) -> BeaconReading {
    guard !bytes.isEmpty else { return .rejected(.empty) }
    guard bytes.count >= 4, bytes[0] == 0x04, bytes[1] == 0x3E,
      HCIEventDecoder.isAdvertisingReport(bytes.span, in: 1..<bytes.count)
    else { return .rejected(.notAnAdvertisingReport) }
    var decoder = HCIEventDecoder()
    var sink = ScanSink(blockCount: bytes.count)
    decoder.decode(bytes.span, in: 1..<bytes.count, receiver: 0, at: .earliest, into: &sink)
    if sink.drops.total > 0 { return .rejected(.malformedEvent) }
    let all = bytes + sink.extraBytes
    var nearest = Nearest()
    for case .report(let report) in sink.inputs {
      let reading = read(report, in: all.span)
      if case .beacon = reading { return reading }
      nearest.consider(reading)
    }
    return nearest.reading
  }
}
