// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What is kept of a client between two runs: plain values, to be written and read by a format.
public struct SavedClient: Sendable, Equatable {
  /// Its grants.
  public var authorization: SavedAuthorization
  /// Its regions, in the order of their identifiers, with their states.
  public var regions: [SavedRegion]
  /// The events held back until a provisional grant is decided; `nil` when there are none.
  public var heldEvents: [Event]?

  /// Creates what is kept; what is not given is as for a client never seen before.
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

/// How a client stands with the person.
public struct ClientSnapshot: Sendable, Equatable {
  /// The status that the client reads.
  public var status: AuthorizationStatus
  /// The accuracy that the client reads.
  public var accuracy: AccuracyAuthorization
  /// What the person sees in Settings.
  public var settings: SettingsView
  /// Whether the client is in use.
  public var isInUse: Bool
  /// The prompt that is showing.
  public var prompt: Prompt?
  /// The usage indicator that is shown.
  public var indicator: UsageIndicator.Style
}
