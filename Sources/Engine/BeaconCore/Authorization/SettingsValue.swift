// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A client's authorization in Settings; the raw values are the names in scenario files.
public enum SettingsValue: String, Sendable, CaseIterable {
  /// Never.
  case never
  /// Ask next time or when shared.
  case askNextTime
  /// While using the app.
  case whileUsing
  /// Always.
  case always
}

/// What Settings show of a client, which may differ from the client's own view (rows V1 to V5).
public struct SettingsView: Sendable, Hashable {
  /// The authorization that is shown.
  public let authorization: SettingsValue
  /// Whether the Precise switch is on; a temporary grant does not change it.
  public let precise: Bool

  package init(authorization: SettingsValue, precise: Bool) {
    self.authorization = authorization
    self.precise = precise
  }
}
