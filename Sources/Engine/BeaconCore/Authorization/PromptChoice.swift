// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An answer that a prompt offers; the raw values are the names in scenario files.
public enum PromptChoice: String, Sendable, CaseIterable {
  /// Allow while using the app.
  case whileUsing
  /// Allow until the use ends.
  case once
  /// Do not allow.
  case dontAllow
  /// Keep the grant while using.
  case keepWhileUsing
  /// Change the grant to always (iOS 13 and later).
  case changeToAlways
  /// Allow always (iOS 12).
  case alwaysAllow
  /// Allow: when in use on iOS 12, full accuracy for this use on iOS 14.
  case allow
  /// Allow an App Clip until the next morning.
  case untilTomorrow
}
