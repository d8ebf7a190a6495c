// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// The outcome of a call to an adapter.
package enum RequestOutcome: Sendable, Equatable {
  /// It succeeded.
  case done
  /// It succeeded and returned these filter keys.
  case filterKeys([String])
  /// The connection already has a discovery session (`InProgress`).
  case inProgress
  /// The adapter is off (`NotReady`).
  case notReady
  /// A switch blocks the radio (`Blocked`).
  case blocked
  /// The monitor is registered already (`AlreadyExists`).
  case alreadyExists
  /// This program has no permission.
  case notPermitted
  /// Any other error; the payload is its name.
  case failed(String)

  /// Converts the error of a call.
  package init(_ error: CallError) {
    switch error {
    case .refused(let name, _):
      switch name {
      case "org.bluez.Error.InProgress": self = .inProgress
      case "org.bluez.Error.NotReady": self = .notReady
      case "org.bluez.Error.Blocked": self = .blocked
      case "org.bluez.Error.AlreadyExists": self = .alreadyExists
      case "org.bluez.Error.NotAuthorized", "org.bluez.Error.NotPermitted",
        "org.freedesktop.DBus.Error.AccessDenied":
        self = .notPermitted
      default: self = .failed(name)
      }
    case .timedOut: self = .failed("no answer")
    case .disconnected: self = .failed("disconnected")
    case .unexpectedAnswer: self = .failed("unexpected answer")
    case .invalid: self = .failed("invalid call")
    case .tooManyCalls: self = .failed("too many calls")
    }
  }

  /// Converts the result of a call.
  init(of request: AdapterRequest, _ result: Result<[DBusValue], CallError>) {
    switch result {
    case .failure(let error): self.init(error)
    case .success(let values):
      guard request == .askFilterKeys else {
        self = .done
        return
      }
      guard case .array(of: "s", let keys) = values.first else {
        self = .failed("unexpected answer")
        return
      }
      self = .filterKeys(keys.compactMap(\.text))
    }
  }
}
