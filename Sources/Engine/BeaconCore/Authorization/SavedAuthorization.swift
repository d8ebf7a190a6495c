// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The part of a client's authorization that a relaunch keeps.
///
/// Allow Once, temporary full accuracy, use and current prompts are not kept: they are saved as the state that follows
/// them. A prompt of a provisional grant that was due, or was showing without an answer, is due again.
public struct SavedAuthorization: Sendable, Hashable {
  /// A permanent grant; the raw values are the names in files.
  public enum Grant: String, Sendable, CaseIterable {
    /// Undecided.
    case notDetermined
    /// Refused.
    case denied
    /// While using.
    case whenInUse
    /// An App Clip's grant until ``SavedAuthorization/until``.
    case untilMorning
    /// Always, not yet confirmed.
    case provisionalAlways
    /// Always.
    case always
  }

  /// The grant.
  public var grant: Grant
  /// When an App Clip's grant ends.
  public var until: Timestamp?
  /// Whether the one request for Always has been used up.
  public var alwaysSpent: Bool
  /// The event that a provisional grant holds; the caller saves the event itself.
  public var held: HeldEvent?
  /// Whether the second prompt of a provisional grant is still to come.
  public var confirmationDue: Bool
  /// The accuracy that Settings show.
  public var accuracy: AccuracyAuthorization
  /// Whether location services are on.
  public var servicesOn: Bool
  /// Whether policy forbids location.
  public var isRestricted: Bool

  /// Creates a saved state; omitted values are those of a new client.
  public init(
    grant: Grant = .notDetermined,
    until: Timestamp? = nil,
    alwaysSpent: Bool = false,
    held: HeldEvent? = nil,
    confirmationDue: Bool = false,
    accuracy: AccuracyAuthorization = .full,
    servicesOn: Bool = true,
    isRestricted: Bool = false
  ) {
    self.grant = grant
    self.until = until
    self.alwaysSpent = alwaysSpent
    self.held = held
    self.confirmationDue = confirmationDue
    self.accuracy = accuracy
    self.servicesOn = servicesOn
    self.isRestricted = isRestricted
  }

  /// Creates the state of a client at time 0 of a scenario.
  ///
  /// A when-in-use grant counts as requested as such, so that Always can still be requested (state W0).
  public init(status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full) {
    self.init(accuracy: accuracy, isRestricted: status == .restricted)
    switch status {
    case .notDetermined, .restricted: grant = .notDetermined
    case .denied: grant = .denied
    case .authorizedWhenInUse: grant = .whenInUse
    case .authorizedAlways: grant = .always
    }
  }
}
