// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why nothing happened, where Core Location would be silent (row N9).
public enum AuthorizationDiagnostic: Sendable, Hashable {
  /// A request needs a usage text that the manifest lacks.
  case usageTextMissing(key: String)
  /// A purpose key is not in the manifest.
  case purposeKeyMissing(key: String)
  /// The client is not in use, or not in the foreground if that is needed.
  case insufficientlyInUse
  /// The user has refused.
  case authorizationDenied
  /// Location services are off for all clients.
  case servicesOff
  /// Policy forbids it.
  case authorizationRestricted
  /// A prompt is showing; a second one never appears next to it.
  case authorizationRequestInProgress
  /// Accuracy is reduced: beacons and regions are withheld.
  case accuracyLimited
  /// A background session was started without `backgroundLocation` in the manifest.
  case backgroundModeMissing
  /// The answer is not one that the current prompt offers, or no prompt was showing.
  case answerNotOffered
  /// The notification that was tapped is not shown.
  case notificationNotShown
  /// The manifest demands an explicit service session, and the client has only implicit ones: nothing is delivered (row N15).
  case serviceSessionRequired
  /// Settings do not offer this value to this client under this profile.
  case settingNotOffered

  /// The diagnostic's name in outputs.
  public var code: String {
    switch self {
    case .usageTextMissing: "usageTextMissing"
    case .purposeKeyMissing: "purposeKeyMissing"
    case .insufficientlyInUse: "insufficientlyInUse"
    case .authorizationDenied: "authorizationDenied"
    case .servicesOff: "servicesOff"
    case .authorizationRestricted: "authorizationRestricted"
    case .authorizationRequestInProgress: "authorizationRequestInProgress"
    case .accuracyLimited: "accuracyLimited"
    case .backgroundModeMissing: "backgroundModeMissing"
    case .answerNotOffered: "answerNotOffered"
    case .notificationNotShown: "notificationNotShown"
    case .serviceSessionRequired: "serviceSessionRequired"
    case .settingNotOffered: "settingNotOffered"
    }
  }

  /// The manifest key that is missing, if that is the reason.
  public var key: String? {
    switch self {
    case .usageTextMissing(let key), .purposeKeyMissing(let key): key
    case .insufficientlyInUse, .authorizationDenied, .servicesOff, .authorizationRestricted,
      .authorizationRequestInProgress, .accuracyLimited, .backgroundModeMissing,
      .answerNotOffered, .notificationNotShown, .serviceSessionRequired,
      .settingNotOffered:
      nil
    }
  }
}
