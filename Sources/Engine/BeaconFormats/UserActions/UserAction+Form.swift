// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a user can do, by its name in scenario files, in answers and in recordings.
///
/// The start of a program has no form: no user does it, and its line is a ``ClientStateLine``.
extension UserAction: FormedCases {
  package static var caseKey: String { "input" }

  package static let cases: [FormCase<UserAction>] = [
    FormCase(
      "answer",
      { (choice: PromptChoice, precise: Bool?) in .answer(choice, precise: precise ?? true) },
      "choice",
      "precise"
    ) {
      if case .answer(let choice, let precise) = $0 { (choice, precise) } else { nil }
    },
    FormCase("settings", UserAction.settings, "authorization", "precise") {
      if case .settings(let value, let precise) = $0 { (value, precise) } else { nil }
    },
    FormCase("services", UserAction.services, "on") {
      if case .services(let isOn) = $0 { isOn } else { nil }
    },
    FormCase("restriction", UserAction.restriction, "on") {
      if case .restriction(let isOn) = $0 { isOn } else { nil }
    },
    FormCase("foreground", .foreground), FormCase("background", .background),
    FormCase("screenOn", .screenOn), FormCase("quiet", .quiet),
    FormCase("tapNotification", UserAction.tapNotification, "region") {
      if case .tapNotification(let region) = $0 { region } else { nil }
    },
    FormCase("press", UserAction.press, "control") {
      if case .press(let control) = $0 { control } else { nil }
    },
    FormCase("zone", { .zone(utcOffset: $0.span) }, "offset") {
      if case .zone(let offset) = $0 { UTCOffset(span: offset) } else { nil }
    },
  ]
}

/// How far local time is ahead of UTC: at most a day.
private struct UTCOffset: Formed {
  let span: TimeSpan

  static func read(_ reader: JSON5Reader) -> UTCOffset? {
    reader.number(in: -86_400...86_400).map { UTCOffset(span: TimeSpan(seconds: $0)) }
  }
  func written(_ context: FormContext) -> FormValue { .span(span) }
}
