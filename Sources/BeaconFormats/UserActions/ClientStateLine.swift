// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A client's grants at the start of a recording: a `user` line with the input `state`.
///
/// Without it a replay would start with the grants of today.
package struct ClientStateLine: Sendable, Equatable {
  /// The name of the action in the line.
  package static let input = "state"

  /// The client.
  package var client: String
  /// Its grants.
  package var grants: SavedAuthorization

  package init(client: String, grants: SavedAuthorization) {
    self.client = client
    self.grants = grants
  }

  /// Reads a line of a recording; `nil` for any other line and for one with wrong keys.
  package init?(_ line: UserActionLine) {
    guard line.input == Self.input, let client = line.client else { return nil }
    let faults = FaultCollector()
    guard var object = JSON5Reader(line.value, faults: faults).object() else { return nil }
    var grants = SavedAuthorization()
    if let grant = object.required("authorization")?.choice(of: SavedAuthorization.Grant.self) {
      grants.grant = grant
    }
    if let until = object.optional("until"), !until.isNull { grants.until = until.timestamp() }
    grants.alwaysSpent = object.required("always_spent")?.bool() ?? false
    grants.confirmationDue = object.required("confirmation_due")?.bool() ?? false
    let accuracy = object.required("accuracy")?.choice(["full", "reduced"])
    grants.accuracy = accuracy == "reduced" ? .reduced : .full
    grants.servicesOn = object.required("services")?.bool() ?? true
    grants.isRestricted = object.required("restricted")?.bool() ?? false
    guard (try? faults.throwIfAny()) != nil else { return nil }
    self.init(client: client, grants: grants)
  }

  /// Writes the keys that only this line has.
  package func writeFields(to writer: inout JSONLineWriter) {
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
}
