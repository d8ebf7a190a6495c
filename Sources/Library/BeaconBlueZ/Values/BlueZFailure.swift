// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import BeaconFormats
package import DBus

/// The reason why a call to BlueZ failed, described in a clause.
public enum BlueZFailure: BeaconError, Sendable, Equatable {
  /// BlueZ, or the bus for it, answered with an error: its D-Bus name, and its text, which may contain any character.
  case error(name: String, text: String)
  /// An answer did not come in time.
  case noAnswer
  /// The answer has other types than BlueZ's.
  case unexpectedAnswer
  /// Discovery does not run, though BlueZ answered each call without an error.
  case notDiscovering

  /// What an error means for an adapter.
  package enum Kind: Sendable, Equatable {
    /// This connection already has a discovery session, or another program scans past BlueZ.
    case inProgress
    /// It is registered already.
    case alreadyExists
    /// A switch blocks the radio (rfkill).
    case blocked
    /// This program has no permission.
    case notPermitted
    /// The adapter cannot do it.
    case notSupported
    /// It may succeed later.
    case transient
  }

  /// Its meaning for an adapter.
  package var kind: Kind {
    guard case .error(let name, _) = self else { return .transient }
    return switch name {
    case "org.bluez.Error.InProgress": .inProgress
    case "org.bluez.Error.AlreadyExists": .alreadyExists
    case "org.bluez.Error.Blocked": .blocked
    case "org.bluez.Error.NotSupported", "org.freedesktop.DBus.Error.NotSupported": .notSupported
    case "org.bluez.Error.NotAuthorized", "org.bluez.Error.NotPermitted", Self.accessDenied,
      "org.freedesktop.DBus.Error.AuthFailed":
      .notPermitted
    default: .transient
    }
  }

  /// Whether trying again within seconds cannot help.
  package var isFinal: Bool { kind == .notPermitted || kind == .notSupported }

  /// Whether the bus's policy, or a security module that the bus asks, did not let the call through.
  package var isOfBusPolicy: Bool {
    if case .error(Self.accessDenied, _) = self { true } else { false }
  }

  /// Whether the bus itself answered: BlueZ does not use these errors.
  package var isOfBus: Bool {
    guard case .error(let name, _) = self else { return false }
    return Self.ofBus.contains(name)
  }

  private static let ofBus = [
    "AccessDenied", "AuthFailed", "LimitsExceeded", "MatchRuleInvalid", "NameHasNoOwner",
    "ServiceUnknown",
  ].map { "org.freedesktop.DBus.Error.\($0)" }
  private static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  /// The errors with which the bus answers for a program that did not.
  private static let unanswered = ["NoReply", "Timeout", "TimedOut"]
    .map { "org.freedesktop.DBus.Error.\($0)" }

  /// Converts the error of a call.
  package init(_ error: CallError) {
    switch error {
    case .refused(let name, _) where Self.unanswered.contains(name): self = .noAnswer
    case .refused(let name, let text): self = .error(name: name, text: text)
    case .unexpectedAnswer, .invalid: self = .unexpectedAnswer
    // A call is not made while too many others have no answer.
    case .timedOut, .disconnected, .tooManyCalls: self = .noAnswer
    }
  }
}

extension BlueZFailure {
  /// The most characters of an error's text that are shown: BlueZ's own are shorter.
  private static let longestText = 120

  /// What happened, in a clause that is printable and limited in length.
  public var description: String {
    switch self {
    case .error(let name, let text):
      let answer = Self.short(name).printable
      // The bus adds the whole command line of this program.
      if isOfBusPolicy {
        let reason = text.prefix { $0 != ";" && $0 != "(" }
        return "the bus answers \(answer)" + Self.quotation(reason)
      }
      let meaning = Self.meaning(of: name).map { ": \($0)" } ?? ""
      return "\(isOfBus ? "the bus" : "BlueZ") answers \(answer)" + Self.quotation(text) + meaning
    case .noAnswer: return "BlueZ does not answer"
    case .unexpectedAnswer: return "BlueZ's answer has an unexpected form"
    case .notDiscovering: return "discovery does not run, though BlueZ reports no error"
    }
  }

  private static func quotation(_ text: some StringProtocol) -> String {
    text.isEmpty ? "" : " (\(text.quotation(upTo: longestText)))"
  }

  /// Returns an error's name without its usual beginning.
  private static func short(_ name: String) -> Substring {
    for beginning in ["org.bluez.Error.", "org.freedesktop.DBus.Error."]
    where name.hasPrefix(beginning) {
      return name.dropFirst(beginning.count)
    }
    return name[...]
  }

  /// Returns what BlueZ's text for an error does not tell the user; `nil` if nothing is known.
  private static func meaning(of name: String) -> String? {
    switch name {
    case "org.bluez.Error.InProgress": "another program may be scanning"
    case "org.bluez.Error.NotReady": "the adapter is being switched on or off"
    case "org.bluez.Error.Busy": "another change of the adapter is not complete"
    default: nil
    }
  }
}
