// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something a user does that concerns one client or all of them.
public enum UserAction: Sendable, Hashable {
  /// Answers the current prompt; `precise` counts only if the prompt offers the switch.
  case answer(PromptChoice, precise: Bool = true)
  /// Changes settings; `nil` changes nothing.
  case settings(authorization: SettingsValue? = nil, precise: Bool? = nil)
  /// Switches the location services of the whole machine.
  case services(on: Bool)
  /// Starts or ends a policy that forbids location.
  case restriction(on: Bool)
  /// The client enters the foreground.
  case foreground
  /// The client leaves the foreground.
  case background
  /// The screen is turned on.
  case screenOn
  /// A quiet moment, in which a deferred prompt may appear.
  case quiet
  /// The machine's time zone changes: local time is so far ahead of UTC.
  case zone(utcOffset: TimeSpan)
  /// The client's program starts again in another process, with these grants: a recording continues with a later run.
  ///
  /// A user's decisions between the two runs are in the grants. Regions and ranging continue.
  case start(SavedAuthorization, isForeground: Bool)
  /// The notification of a region is tapped, which brings the client to the foreground.
  case tapNotification(region: String)
  /// Something in the client's program is pressed: only the program answers it, with its requests.
  case press(control: String)
}
