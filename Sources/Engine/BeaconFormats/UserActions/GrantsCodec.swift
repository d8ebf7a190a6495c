// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The one form in which a client's grants are written: in a recording's `state` line and in a store's file.
///
/// An event that is held back is no part of it: it belongs to the state, not to what a user decided.
package enum GrantsCodec {
  /// The keys, in the order in which they are written.
  package static let keys = [
    "authorization", "until", "accuracy", "always_spent", "confirmation_due", "services",
    "restricted",
  ]

  /// Writes the keys of an object that has begun.
  package static func writeFields(
    of grants: SavedAuthorization,
    to writer: inout JSONLineWriter
  ) {
    writer.key("authorization")
    writer.string(grants.grant.rawValue)
    writer.key("until")
    if let until = grants.until { writer.timestamp(until) } else { writer.null() }
    writer.key("accuracy")
    writer.string(grants.accuracy == .full ? "full" : "reduced")
    writer.key("always_spent")
    writer.bool(grants.alwaysSpent)
    writer.key("confirmation_due")
    writer.bool(grants.confirmationDue)
    writer.key("services")
    writer.bool(grants.servicesOn)
    writer.key("restricted")
    writer.bool(grants.isRestricted)
  }

  /// Reads an object with these keys; others are ignored.
  ///
  /// - Throws: ``JSON5Faults`` when a key is missing or is not what it should be.
  package static func read(_ value: JSON5Value) throws(JSON5Faults) -> SavedAuthorization {
    let faults = FaultCollector()
    var grants = SavedAuthorization()
    if var object = JSON5Reader(value, name: "the grants", faults: faults).object() {
      read(&object, into: &grants)
    }
    try faults.throwIfAny()
    return grants
  }

  /// Reads these keys of an object that has others, too; what is wrong goes to the object's faults.
  static func read(_ object: inout ObjectReader) -> SavedAuthorization {
    var grants = SavedAuthorization()
    read(&object, into: &grants)
    return grants
  }

  private static func read(_ object: inout ObjectReader, into grants: inout SavedAuthorization) {
    let grant = object.required("authorization")?.choice(of: SavedAuthorization.Grant.self)
    grants.grant = grant ?? .notDetermined
    if let until = object.optional("until"), !until.isNull { grants.until = until.timestamp() }
    grants.alwaysSpent = object.required("always_spent")?.bool() ?? false
    grants.confirmationDue = object.required("confirmation_due")?.bool() ?? false
    let accuracy = object.required("accuracy")?.choice(["full", "reduced"])
    grants.accuracy = accuracy == "full" ? .full : .reduced
    grants.servicesOn = object.required("services")?.bool() ?? false
    grants.isRestricted = object.required("restricted")?.bool() ?? false
  }
}
