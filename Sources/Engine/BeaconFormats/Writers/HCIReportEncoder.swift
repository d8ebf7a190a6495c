// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Encodes advertising reports as HCI events, so that decoding them gives the same reports.
///
/// A report of a legacy kind with up to 31 bytes becomes an LE Advertising Report; an extended or longer one becomes LE
/// Extended Advertising Reports, as many as its payload needs. An unknown value is written with the specification's
/// value for it, if there is one (RSSI 127, address type 0xFF), otherwise with a reserved number.
enum HCIReportEncoder {
  private static let maximumLegacyPayload = 31
  /// The rest of an event's 255 bytes behind subevent, count and 24 bytes of header.
  private static let maximumFragment = 229
  /// The longest advertisement that the specification allows; a longer payload is cut, and marked as truncated.
  private static let maximumPayload = 1650

  private static let noRSSI: UInt8 = 127
  private static let noAddress: UInt8 = 0xFF
  private static let noTransmitPower: UInt8 = 127
  private static let unknownLegacyKind: UInt8 = 0xFF
  /// Connectable and not scannable: no legacy PDU is.
  private static let unknownExtendedKind: UInt8 = 0x11

  /// Data status in bits 5 and 6 of an extended event type.
  private enum DataStatus: UInt8 {
    case complete = 0x00
    case moreToCome = 0x20
    case truncated = 0x40
  }

  /// Calls a closure with each event: the event code, the parameter length, the parameters.
  static func encode(
    _ report: AdvertisingReport,
    payload: ArraySlice<UInt8>,
    event: ([UInt8]) -> Void
  ) {
    if report.kind != .extended, payload.count <= maximumLegacyPayload {
      event(legacy(report, payload))
      return
    }
    var rest = payload.prefix(maximumPayload)
    let last: DataStatus = rest.count < payload.count ? .truncated : .complete
    repeat {
      let fragment = rest.prefix(maximumFragment)
      rest = rest.dropFirst(fragment.count)
      event(extended(report, fragment, rest.isEmpty ? last : .moreToCome))
    } while !rest.isEmpty
  }

  private static func legacy(
    _ report: AdvertisingReport,
    _ payload: ArraySlice<UInt8>
  ) -> [UInt8] {
    var event: [UInt8] = [0x3E, UInt8(truncatingIfNeeded: 12 + payload.count), 0x02, 1]
    event.append(report.kind?.rawValue ?? unknownLegacyKind)
    appendAddress(report.address, to: &event)
    event.append(UInt8(truncatingIfNeeded: payload.count))
    event += payload
    event.append(report.rssi.map { UInt8(bitPattern: $0) } ?? noRSSI)
    return event
  }

  private static func extended(
    _ report: AdvertisingReport,
    _ payload: ArraySlice<UInt8>,
    _ status: DataStatus
  ) -> [UInt8] {
    var event: [UInt8] = [0x3E, UInt8(truncatingIfNeeded: 26 + payload.count), 0x0D, 1]
    event += [extendedEventType(report.kind) | status.rawValue, 0]
    appendAddress(report.address, to: &event)
    // Primary PHY, secondary PHY (none for a legacy PDU), advertising set, transmit power.
    event += [1, report.kind == .extended ? 1 : 0, 0, noTransmitPower]
    event.append(report.rssi.map { UInt8(bitPattern: $0) } ?? noRSSI)
    // Periodic interval and direct address: none.
    event += [UInt8](repeating: 0, count: 9)
    event.append(UInt8(truncatingIfNeeded: payload.count))
    event += payload
    return event
  }

  private static func extendedEventType(_ kind: AdvertisingEventKind?) -> UInt8 {
    switch kind {
    case .connectable: 0x13
    case .directed: 0x15
    case .scannable: 0x12
    case .nonConnectable: 0x10
    case .scanResponse: 0x1B
    case .extended: 0x00
    case nil: unknownExtendedKind
    }
  }

  private static func appendAddress(_ address: DeviceAddress?, to event: inout [UInt8]) {
    event.append(address?.kind.rawValue ?? noAddress)
    let bits = address?.bits ?? 0
    for octet in 0..<6 { event.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * octet))) }
  }
}
