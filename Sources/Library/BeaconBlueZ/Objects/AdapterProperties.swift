// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus

/// The properties of an adapter in a message; properties that the message does not contain are `nil`.
struct AdapterProperties {
  var address: String?
  var name: String?
  var isPowered: Bool?
  var isDiscovering: Bool?
  var isCentral: Bool?
  /// Whether the message had the expected types.
  var isWellFormed = true

  init() {}

  /// Reads `a{sv}` at a cursor.
  init(_ properties: inout MessageCursor) {
    var read = AdapterProperties()
    let sawAll = properties.forEachEntry { entry in
      if entry.holds("Powered") {
        entry.advance()
        read.isPowered = entry.variant { $0.boolean() }
        if read.isPowered == nil { read.isWellFormed = false }
      } else if entry.holds("Discovering") {
        entry.advance()
        read.isDiscovering = entry.variant { $0.boolean() }
        if read.isDiscovering == nil { read.isWellFormed = false }
      } else if entry.holds("Address") {
        entry.advance()
        read.address = entry.variant { $0.text() }
      } else if entry.holds("Roles") {
        entry.advance()
        read.isCentral = entry.variant { Self.listsCentral(&$0) }
      }
    }
    if !sawAll { read.isWellFormed = false }
    self = read
  }

  private static func listsCentral(_ roles: inout MessageCursor) -> Bool? {
    var found = false
    let isList = roles.forEach { if $0.holds("central") { found = true } }
    return isList ? found : nil
  }
}
