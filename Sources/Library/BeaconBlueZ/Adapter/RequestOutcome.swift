// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus

/// The outcome of a call to an adapter.
package enum RequestOutcome: Sendable, Equatable {
  /// It succeeded.
  case done
  /// It succeeded and returned these filter keys.
  case filterKeys([String])
  /// It failed.
  case failed(BlueZFailure)

  /// Converts the result of a call.
  package init(of request: AdapterRequest, _ result: Result<[DBusValue], CallError>) {
    switch result {
    case .failure(let error): self = .failed(BlueZFailure(error))
    case .success(let values):
      guard request == .askFilterKeys else {
        self = .done
        return
      }
      guard case .array(of: "s", let keys) = values.first else {
        self = .failed(.unexpectedAnswer)
        return
      }
      self = .filterKeys(keys.compactMap(\.text))
    }
  }
}
