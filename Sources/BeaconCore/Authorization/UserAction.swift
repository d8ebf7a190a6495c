// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something a person does that concerns one client.
public enum UserAction: Sendable, Hashable {
  /// The showing prompt is answered; `precise` counts only where the prompt offers the switch.
  case answer(PromptChoice, precise: Bool = true)
  /// Settings are changed; what is `nil` is left alone.
  case settings(authorization: SettingsValue? = nil, precise: Bool? = nil)
  /// Location services of the whole machine are switched.
  case services(on: Bool)
  /// A policy begins or ceases to forbid location.
  case restriction(on: Bool)
  /// The client comes to the foreground.
  case foreground
  /// The client leaves the foreground.
  case background
  /// The screen is turned on.
  case screenOn
  /// A moment in which a deferred prompt may show.
  case quiet
  /// The notification of a region is tapped, which brings the client to the foreground.
  case tapNotification(region: String)
}
