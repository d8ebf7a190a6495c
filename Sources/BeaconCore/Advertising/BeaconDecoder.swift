// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the iBeacon in advertising data, reading strictly.
///
/// A frame is manufacturer specific data of company 0x004C (little-endian) that begins `02 15`, then 16 bytes of UUID,
/// big-endian major and minor and a signed measured power. Flags do not matter, nor what follows the frame inside its
/// structure, nor other makers' data before it: battery bytes, padding and second structures all occur in the field.
public enum BeaconDecoder {
  /// Apple's company identifier as assigned by the Bluetooth SIG.
  public static let appleCompany: UInt16 = 0x004C
  /// Bytes from the company identifier to the measured power: company, type, length, UUID, major, minor, power.
  static let frameCount = 25

  /// Reads advertising data: AD structures one after another, up to a length of zero or the end.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes that contain the payload.
  ///   - range: Where the payload is; a range outside the bytes reads as empty.
  /// - Returns: The first valid frame, else the presence of a frame without its power, else the reason that came
  ///   nearest to being a frame.
  public static func read(
    advertisingData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> BeaconReading {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count, !range.isEmpty else {
      return .rejected(.empty)
    }
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

  /// Reads manufacturer specific data that begins with its company identifier.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes that contain the data.
  ///   - range: Where the data is; a range outside the bytes reads as empty.
  /// - Returns: The frame, its presence, or why there is none.
  public static func read(
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
    // Both loads end before `frameCount - 1`, which was just checked; one load each instead of sixteen checked bytes.
    let high = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start + 4, as: UInt64.self)
    let low = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start + 12, as: UInt64.self)
    let identity = BeaconIdentity(
      uuid: UInt128(high.bigEndian) << 64 | UInt128(low.bigEndian),
      major: UInt16(bytes[start + 20]) << 8 | UInt16(bytes[start + 21]),
      minor: UInt16(bytes[start + 22]) << 8 | UInt16(bytes[start + 23])
    )
    guard range.count >= frameCount else { return .presence(identity) }
    return .beacon(identity, measuredPower: Int8(bitPattern: bytes[start + 24]))
  }

  /// The AD type of manufacturer specific data (Core Specification Supplement, part A, 1.4).
  static let manufacturerSpecificData: UInt8 = 0xFF

  /// Tells an overrunning structure that begins as an iBeacon from any other.
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

  /// The reading that came nearest to a valid frame so far.
  struct Nearest {
    var reading = BeaconReading.rejected(.noManufacturerData)

    mutating func consider(_ candidate: BeaconReading) {
      guard let reason = candidate.reason, let known = reading.reason else { return }
      if reason.rawValue > known.rawValue { reading = candidate }
    }
  }
}
