// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The signal strength and the manufacturer data in one D-Bus signal about a device, read in place.
///
/// One value is reused for every signal, so that reading allocates nothing.
struct DeviceSample {
  /// The most bytes of manufacturer data in one AD structure: 255 without its type and the company.
  private static let longestData = 252
  /// The most bytes of rebuilt advertising data: an extended advertisement holds 1650.
  private static let longestPayload = 1650

  /// The signal strength; `nil` if the signal has no measured one.
  private(set) var rssi: Int8?
  /// The manufacturer specific data, as AD structures.
  private(set) var payload: [UInt8] = []
  /// The type of the device's address; `nil` if the signal does not have it.
  private(set) var addressType: AddressType?
  /// Whether all values had the expected types.
  private(set) var isWellFormed = true

  enum AddressType {
    case publicDevice
    case random
  }

  /// Removes the values of the previous signal.
  private mutating func reset() {
    rssi = nil
    payload.removeAll(keepingCapacity: true)
    addressType = nil
    isWellFormed = true
  }

  /// Reads a device's properties, `a{sv}`, at a cursor; all but three are skipped.
  ///
  /// - Parameters:
  ///   - properties: The cursor.
  ///   - isNew: Whether the signal contains all properties of a new device. If it contains changes, only the signal
  ///     strength and the data are read.
  mutating func read(_ properties: inout MessageCursor, isNew: Bool) {
    reset()
    var unread = isNew ? 3 : 2
    let sawEnough = properties.searchEntries { entry in
      if entry.holds("RSSI") {
        entry.advance()
        readStrength(&entry)
      } else if entry.holds("ManufacturerData") {
        entry.advance()
        readManufacturerData(&entry)
      } else if isNew, entry.holds("AddressType") {
        entry.advance()
        readAddressType(&entry)
      } else {
        return false
      }
      unread -= 1
      return unread == 0
    }
    if !sawEnough { isWellFormed = false }
  }

  private mutating func readStrength(_ value: inout MessageCursor) {
    guard let strength = value.variant({ $0.int16() }) else {
      isWellFormed = false
      return
    }
    // 127 means "not available" on the wire and 0 means it in BlueZ; no radio receives a beacon as strongly.
    guard (-127..<0).contains(strength) else { return }
    rssi = Int8(strength)
  }

  private mutating func readAddressType(_ value: inout MessageCursor) {
    addressType = value.variant { inner in
      if inner.holds("public") { return .publicDevice }
      return inner.holds("random") ? .random : nil
    }
  }

  /// Reads `a{qv}`: company identifiers and their bytes.
  private mutating func readManufacturerData(_ value: inout MessageCursor) {
    let isWhole = value.variant { companies in
      var areRight = true
      let sawAll = companies.forEachEntry { entry in
        guard let company = entry.uint16(), entry.advance(),
          entry.variant({ $0.withBytes { append(company, $0) } }) == true
        else {
          areRight = false
          return
        }
      }
      return sawAll && areRight
    }
    if isWhole != true { isWellFormed = false }
  }

  /// Appends an AD structure of type 0xFF, "Manufacturer Specific Data"; returns false without room for it.
  private mutating func append(_ company: UInt16, _ data: Span<UInt8>) -> Bool {
    guard data.count <= Self.longestData, payload.count + data.count + 4 <= Self.longestPayload
    else {
      return false
    }
    payload.append(UInt8(data.count + 3))
    payload.append(0xFF)
    payload.append(UInt8(truncatingIfNeeded: company))
    payload.append(UInt8(truncatingIfNeeded: company >> 8))
    for index in data.indices { payload.append(data[index]) }
    return true
  }
}
