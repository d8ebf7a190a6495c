// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What Settings can hold for a client; the raw values are the names in scenario files.
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

/// What a person sees of a client in Settings, which may differ from what the client reads (rows V1 to V5).
public struct SettingsView: Sendable, Hashable {
  /// The authorization that is shown.
  public let authorization: SettingsValue
  /// Whether the precise switch is shown on; a temporary grant does not move it.
  public let precise: Bool

  package init(authorization: SettingsValue, precise: Bool) {
    self.authorization = authorization
    self.precise = precise
  }
}
