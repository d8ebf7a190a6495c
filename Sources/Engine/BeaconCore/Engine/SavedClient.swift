// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The saved state of a client between two runs: plain values that a format writes and reads.
public struct SavedClient: Sendable, Equatable {
  /// Its grants.
  public var authorization: SavedAuthorization
  /// Its regions with their states, in the order of their identifiers.
  public var regions: [SavedRegion]
  /// The events held back until a provisional grant is decided, if any.
  public var heldEvents: [Event]?

  /// Creates a saved client; defaults are those of a client that connects for the first time.
  public init(
    authorization: SavedAuthorization = SavedAuthorization(),
    regions: [SavedRegion] = [],
    heldEvents: [Event]? = nil
  ) {
    self.authorization = authorization
    self.regions = regions
    self.heldEvents = heldEvents
  }
}

/// A client's permissions and state at one time.
public struct ClientSnapshot: Sendable, Equatable {
  /// The authorization status that the client reads.
  public var status: AuthorizationStatus
  /// The accuracy that the client reads.
  public var accuracy: AccuracyAuthorization
  /// What Settings show to the user.
  public var settings: SettingsView
  /// Whether the client is in use.
  public var isInUse: Bool
  /// The prompt that is showing.
  public var prompt: Prompt?
  /// The usage indicator that is shown.
  public var indicator: UsageIndicator.Style
  /// Whether its manifest demands an explicit service session that it does not have (row N15).
  public var lacksSession: Bool
  /// The authorization that delivery depends on, which the status does not show completely.
  package var effective: EffectiveAuthorization

  /// Creates a snapshot.
  package init(
    _ effective: EffectiveAuthorization,
    accuracy: AccuracyAuthorization,
    settings: SettingsView,
    isInUse: Bool,
    prompt: Prompt?,
    lacksSession: Bool = false,
    indicator: UsageIndicator.Style
  ) {
    self.effective = effective
    self.status = effective.status
    self.accuracy = accuracy
    self.settings = settings
    self.isInUse = isInUse
    self.prompt = prompt
    self.indicator = indicator
    self.lacksSession = lacksSession
  }

  /// Why the client may know no state of a region, whether it is in use or not; `nil` if it may.
  package var withholding: RegionStateReason? {
    guard effective.isAuthorized else { return .authorization }
    guard accuracy == .full else { return .accuracy }
    return lacksSession ? .serviceSession : nil
  }

  /// Whether the client may know its visits: under reduced accuracy a visit would tell of beacons (row C34).
  package var mayKnowVisits: Bool { withholding == nil }
}
