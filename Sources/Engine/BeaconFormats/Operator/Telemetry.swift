// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A beacon's telemetry, such as its battery.
///
/// Missing values are `nil`.
package struct Telemetry: Sendable, Equatable {
  /// The battery in volts.
  package var volts: Double?
  /// The battery in per cent, 0 to 100.
  package var percent: Int?
  /// The temperature in degrees Celsius.
  package var celsius: Double?
  /// How many advertisements the beacon has sent since it started.
  package var sent: UInt32?
  /// For how long it has been running.
  package var uptime: TimeSpan?

  package init(
    volts: Double? = nil,
    percent: Int? = nil,
    celsius: Double? = nil,
    sent: UInt32? = nil,
    uptime: TimeSpan? = nil
  ) {
    self.volts = volts
    self.percent = percent
    self.celsius = celsius
    self.sent = sent
    self.uptime = uptime
  }

  /// Reads the first telemetry in advertising data: Eddystone-TLM, RuuviTag, Minew or BTHome.
  ///
  /// - Parameters:
  ///   - bytes: Bytes with the advertising data.
  ///   - range: Its position; a range outside of the bytes holds none.
  /// - Returns: The telemetry, if any.
  package static func read(
    advertisingData bytes: borrowing Span<UInt8>,
    in range: Range<Int>
  ) -> Telemetry? {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
    var offset = range.lowerBound
    while offset + 1 < range.upperBound, bytes[offset] > 0 {
      let next = offset + 1 + Int(bytes[offset])
      guard next <= range.upperBound else { return nil }
      if next - offset >= 5, let found = structure(bytes, offset + 1..<next) { return found }
      offset = next
    }
    return nil
  }

  /// Reads a structure, which starts with its type and has at least four bytes.
  private static func structure(
    _ bytes: borrowing Span<UInt8>,
    _ range: Range<Int>
  ) -> Telemetry? {
    let start = range.lowerBound
    let number = UInt16(bytes[start + 1]) | UInt16(bytes[start + 2]) << 8
    let data = start + 3..<range.upperBound
    switch (bytes[start], number) {
    case (0x16, 0xFEAA): return eddystone(bytes, data)
    case (0x16, 0xFFE1): return minew(bytes, data)
    case (0x16, 0xFCD2): return btHome(bytes, data)
    case (0xFF, 0x0499): return ruuvi(bytes, data)
    default: return nil
    }
  }

  private static func bigEndian(_ bytes: borrowing Span<UInt8>, _ offset: Int) -> UInt16 {
    UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
  }

  private static func bigEndian32(_ bytes: borrowing Span<UInt8>, _ offset: Int) -> UInt32 {
    UInt32(bigEndian(bytes, offset)) << 16 | UInt32(bigEndian(bytes, offset + 2))
  }

  /// The plain telemetry frame; the encrypted one, of version 1, is not read.
  private static func eddystone(
    _ bytes: borrowing Span<UInt8>,
    _ data: Range<Int>
  ) -> Telemetry? {
    let start = data.lowerBound
    guard data.count >= 14, bytes[start] == 0x20, bytes[start + 1] == 0 else { return nil }
    let (voltage, temperature) = (bigEndian(bytes, start + 2), bigEndian(bytes, start + 4))
    return Telemetry(
      volts: voltage == 0 ? nil : Double(voltage) / 1000,
      celsius: temperature == 0x8000 ? nil : Double(Int16(bitPattern: temperature)) / 256,
      sent: bigEndian32(bytes, start + 6),
      uptime: .milliseconds(Int64(bigEndian32(bytes, start + 10)) * 100)
    )
  }

  /// Format 5 of RuuviTag.
  private static func ruuvi(_ bytes: borrowing Span<UInt8>, _ data: Range<Int>) -> Telemetry? {
    let start = data.lowerBound
    guard data.count >= 24, bytes[start] == 5 else { return nil }
    let (temperature, power) = (bigEndian(bytes, start + 1), bigEndian(bytes, start + 13) >> 5)
    return Telemetry(
      volts: power == 0x7FF ? nil : Double(1600 + Int(power)) / 1000,
      celsius: temperature == 0x8000 ? nil : Double(Int16(bitPattern: temperature)) * 0.005
    )
  }

  /// Frames of Minew with a battery: temperature, acceleration and information.
  private static func minew(_ bytes: borrowing Span<UInt8>, _ data: Range<Int>) -> Telemetry? {
    let start = data.lowerBound
    guard data.count >= 3, bytes[start] == 0xA1, [0x01, 0x03, 0x08].contains(bytes[start + 1]),
      bytes[start + 2] <= 100
    else { return nil }
    return Telemetry(percent: Int(bytes[start + 2]))
  }

  /// The sizes of BTHome's objects 0 to 12, which are in the order of their numbers; voltage is 12.
  private static let btHomeSizes = [1, 1, 2, 2, 3, 3, 2, 2, 2, 1, 3, 3, 2]

  /// BTHome of version 2, not encrypted.
  private static func btHome(_ bytes: borrowing Span<UInt8>, _ data: Range<Int>) -> Telemetry? {
    guard bytes[data.lowerBound] & 0xE1 == 0x40 else { return nil }
    var telemetry = Telemetry()
    var offset = data.lowerBound + 1
    while offset < data.upperBound, Int(bytes[offset]) < btHomeSizes.count {
      let value = offset + 1
      let next = value + btHomeSizes[Int(bytes[offset])]
      guard next <= data.upperBound else { break }
      switch bytes[offset] {
      case 0x01: if bytes[value] <= 100 { telemetry.percent = Int(bytes[value]) }
      case 0x02:
        let raw = UInt16(bytes[value]) | UInt16(bytes[value + 1]) << 8
        telemetry.celsius = Double(Int16(bitPattern: raw)) / 100
      case 0x0C:
        telemetry.volts = Double(UInt16(bytes[value]) | UInt16(bytes[value + 1]) << 8) / 1000
      default: break
      }
      offset = next
    }
    return telemetry == Telemetry() ? nil : telemetry
  }
}
