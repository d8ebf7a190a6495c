// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Why a session gets nothing; the first that applies, in this order.
package enum SessionLimit: String, Sendable, CaseIterable {
  /// Nothing prevents anything.
  case none = ""
  /// A user would have to be asked, and no agent can ask one.
  case noAgent
  /// Nobody has decided yet.
  case notDetermined
  /// A user refused.
  case denied
  /// Policy forbids it.
  case restricted
  /// Accuracy is reduced: nothing derived from a beacon may be known.
  case reduced
  /// Location services are off.
  case servicesOff
  /// The grant holds while in use, and the client is not.
  case notInUse
  /// No receiver is on.
  case radioOff
  /// The receivers receive nothing although they should.
  case radioDeaf

  /// The state of all receivers together.
  package enum Radio: Sendable, Equatable {
    /// At least one receives.
    case listening
    /// None is on.
    case off
    /// At least one is on, and none receives.
    case deaf
  }

  /// Returns the first limit that applies.
  ///
  /// - Parameters:
  ///   - grants: What was granted.
  ///   - status: What the client reads.
  ///   - accuracy: The accuracy in effect, a temporary one included.
  ///   - isInUse: Whether the client is in use.
  ///   - hasAgent: Whether a user can be asked.
  ///   - radio: The receivers.
  package init(
    _ grants: SavedAuthorization,
    status: AuthorizationStatus,
    accuracy: AccuracyAuthorization,
    isInUse: Bool,
    hasAgent: Bool,
    radio: Radio
  ) {
    // With services off, every status reads `denied`.
    let isUndecided =
      status == .notDetermined || (!grants.servicesOn && grants.grant == .notDetermined)
    let isRefused = status == .denied && grants.grant == .denied
    let isAlways = grants.grant == .always
    self =
      if isUndecided, !grants.isRestricted {
        hasAgent ? .notDetermined : .noAgent
      } else if isRefused {
        .denied
      } else if grants.isRestricted || status == .restricted {
        .restricted
      } else if accuracy == .reduced {
        .reduced
      } else if !grants.servicesOn {
        .servicesOff
      } else if !isInUse, !isAlways {
        .notInUse
      } else {
        switch radio {
        case .listening: .none
        case .off: .radioOff
        case .deaf: .radioDeaf
        }
      }
  }
}
