// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// What one signal says of a device: the signal strength and the manufacturer data, read in place.
///
/// One is kept and used again for every signal, so that reading allocates nothing.
struct DeviceSample {
  /// The most bytes of one AD structure behind its length byte, of which three are its type and the company.
  private static let longestData = 252
  /// The most bytes of rebuilt advertising data: an extended advertisement holds 1650.
  private static let longestPayload = 1650

  /// The signal strength, where the signal tells one that is a sample.
  private(set) var rssi: Int8?
  /// The manufacturer specific data, as AD structures.
  private(set) var payload: [UInt8] = []
  /// What kind of address the device has, where the signal tells.
  private(set) var addressType: AddressType?
  /// Whether what was looked at had the types it must have.
  private(set) var isWellFormed = true

  enum AddressType {
    case publicDevice
    case random
  }

  /// Forgets the signal before.
  private mutating func reset() {
    rssi = nil
    payload.removeAll(keepingCapacity: true)
    addressType = nil
    isWellFormed = true
  }

  /// Reads a device's properties, `a{sv}`, where a cursor stands; all but three are passed over.
  ///
  /// - Parameters:
  ///   - properties: The place.
  ///   - isNew: Whether the device is told of whole; where it only has changed, strength and data are all there is to read.
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
    // 127 is "not available" on the wire and 0 is BlueZ's word for it; a radio hears nothing above 20 dBm.
    guard strength != 0, (-127...20).contains(strength) else { return }
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

  /// Appends an AD structure of type 0xFF, "Manufacturer Specific Data"; false when there is no room for it.
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
