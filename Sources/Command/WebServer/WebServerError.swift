// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a server cannot serve.
public enum WebServerError: Error, Sendable, Equatable {
  /// Another program listens on the port.
  case portInUse(UInt16)
  /// The system does not permit listening on the port; those below 1024 are for root.
  case notPermitted(UInt16)
  /// Anything else; the text is the system's.
  case failed(String)
}

extension WebServerError: CustomStringConvertible {
  /// The fault, and its remedy.
  public var description: String {
    switch self {
    case .portInUse(let port): "port \(port) is in use; choose another with --port"
    case .notPermitted(let port): "port \(port) is not permitted; choose one from 1024 on"
    case .failed(let reason): "the web server does not start: \(reason)"
    }
  }
}
