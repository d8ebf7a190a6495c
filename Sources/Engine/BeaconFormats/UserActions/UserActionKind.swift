// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a user can do, by its name in scenario files, in answers and in recordings.
package enum UserActionKind: String, Sendable, CaseIterable {
  case answer, settings, services, restriction, foreground, background, screenOn, quiet
  case tapNotification, zone

  /// The kind of a user action; `nil` for the start of a program, which no user does.
  package init?(_ input: UserAction) {
    switch input {
    case .answer: self = .answer
    case .settings: self = .settings
    case .services: self = .services
    case .restriction: self = .restriction
    case .foreground: self = .foreground
    case .background: self = .background
    case .screenOn: self = .screenOn
    case .quiet: self = .quiet
    case .tapNotification: self = .tapNotification
    case .zone: self = .zone
    case .start: return nil
    }
  }
}

extension UserActionKind {
  /// Reads the keys of an action of this kind; errors go to the object's faults.
  package func read(_ object: inout ObjectReader) -> UserAction {
    switch self {
    case .answer:
      let choice = object.required("choice")?.choice(of: PromptChoice.self) ?? .dontAllow
      return .answer(choice, precise: object.optional("precise")?.bool() ?? true)
    case .settings:
      let authorization = Self.nonNull("authorization", &object)?.choice(of: SettingsValue.self)
      return .settings(
        authorization: authorization,
        precise: Self.nonNull("precise", &object)?.bool()
      )
    case .services: return .services(on: object.required("on")?.bool() ?? true)
    case .restriction: return .restriction(on: object.required("on")?.bool() ?? true)
    case .foreground: return .foreground
    case .background: return .background
    case .screenOn: return .screenOn
    case .quiet: return .quiet
    case .tapNotification:
      return .tapNotification(region: object.required("region")?.nonEmptyString() ?? "")
    case .zone:
      return .zone(
        utcOffset: TimeSpan(seconds: object.required("offset")?.number(in: -86_400...86_400) ?? 0)
      )
    }
  }

  /// Returns a reader of an optional value; `nil` where it is missing or `null`, as a recording writes it.
  private static func nonNull(_ key: String, _ object: inout ObjectReader) -> JSON5Reader? {
    object.optional(key).flatMap { $0.isNull ? nil : $0 }
  }
}

extension UserAction {
  /// Writes the keys of this action, as ``UserActionKind`` reads them.
  package func writeFields(to writer: inout JSONLineWriter) {
    switch self {
    case .answer(let choice, let precise):
      writer.key("choice")
      writer.string(choice.rawValue)
      writer.key("precise")
      writer.bool(precise)
    case .settings(let authorization, let precise):
      writer.key("authorization")
      writer.string(authorization?.rawValue)
      writer.key("precise")
      if let precise { writer.bool(precise) } else { writer.null() }
    case .services(let on), .restriction(let on):
      writer.key("on")
      writer.bool(on)
    case .tapNotification(let region):
      writer.key("region")
      writer.string(region)
    case .zone(let offset):
      writer.key("offset")
      writer.seconds(offset)
    // The line of a start is a `ClientStateLine`.
    case .foreground, .background, .screenOn, .quiet, .start: break
    }
  }
}
