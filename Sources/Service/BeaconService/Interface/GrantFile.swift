// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// A grant from before a user was asked: `{ client, authorization, accuracy }`.
package struct GrantFile: Sendable, Equatable {
  /// The client's key.
  package let client: String
  /// Its grant.
  package let grant: SavedAuthorization.Grant
  /// Its accuracy; full if it is not given.
  package let accuracy: AccuracyAuthorization

  private static let grants: [SavedAuthorization.Grant] = [.denied, .whenInUse, .always]

  /// Reads a file.
  ///
  /// - Throws: ``JSON5Faults`` with everything that is wrong with it.
  package init(_ bytes: [UInt8]) throws(JSON5Faults) {
    let faults = FaultCollector()
    let value = try JSON5.parse(bytes, faults: faults)
    var client = ""
    var grant = SavedAuthorization.Grant.denied
    var accuracy = AccuracyAuthorization.full
    if var object = JSON5Reader(value, name: "the grant", faults: faults).object() {
      client = object.required("client")?.nonEmptyString() ?? ""
      let name = object.required("authorization")?.choice(Self.grants.map(\.rawValue))
      grant = name.flatMap { SavedAuthorization.Grant(rawValue: $0) } ?? .denied
      if object.optional("accuracy")?.choice(["full", "reduced"]) == "reduced" {
        accuracy = .reduced
      }
      object.finish()
    }
    try faults.throwIfAny()
    self.client = client
    self.grant = grant
    self.accuracy = accuracy
  }
}
