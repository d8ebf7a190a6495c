// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Why a session gets nothing; the first that applies, in this order.
package enum SessionLimit: String, Sendable, CaseIterable {
  /// Nothing prevents anything.
  case none = ""
  /// A user would have to be asked, and no agent can ask one.
  case noAgent
  /// The user has not decided yet.
  case notDetermined
  /// A user refused.
  case denied
  /// Policy forbids it.
  case restricted
  /// Accuracy is reduced: nothing derived from a beacon may be known.
  case reduced
  /// Location services are off.
  case servicesOff
  /// The manifest demands that the program declares a goal.
  case serviceSessionRequired
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
    /// At least one is on, without reception.
    case deaf
  }

  /// Returns the first limit that applies.
  ///
  /// With services off, the authorization is neither undecided nor refused.
  ///
  /// - Parameters:
  ///   - effective: The authorization that delivery depends on.
  ///   - accuracy: The accuracy in effect, a temporary one included.
  ///   - isInUse: Whether the client is in use.
  ///   - lacksSession: Whether its manifest demands a goal that it has not declared.
  ///   - hasAgent: Whether a user can be asked.
  ///   - radio: The receivers.
  package init(
    _ effective: EffectiveAuthorization,
    accuracy: AccuracyAuthorization,
    isInUse: Bool,
    lacksSession: Bool = false,
    hasAgent: Bool,
    radio: Radio
  ) {
    switch effective {
    case .notDetermined: self = hasAgent ? .notDetermined : .noAgent
    case .denied: self = .denied
    case .restricted: self = .restricted
    case _ where accuracy == .reduced: self = .reduced
    case .servicesOff: self = .servicesOff
    case _ where lacksSession: self = .serviceSessionRequired
    case .whenInUse, .provisionalAlways, .always:
      if !isInUse, effective != .always {
        self = .notInUse
      } else {
        self =
          switch radio {
          case .listening: .none
          case .off: .radioOff
          case .deaf: .radioDeaf
          }
      }
    }
  }
}
