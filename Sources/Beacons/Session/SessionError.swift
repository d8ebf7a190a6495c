// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a session does not do what it is asked.
public enum SessionError: Error, Sendable, Hashable {
  /// It is running or has run; a source is heard once.
  case alreadyRun
  /// A monitor of this name is open.
  case monitorAlreadyOpen(String)
  /// The name is the operator's, under which no client has grants.
  case reservedName(String)
}

extension SessionError: CustomStringConvertible {
  /// What is wrong, and what would be right.
  public var description: String {
    switch self {
    case .alreadyRun: "a session runs once; make another for another source"
    case .monitorAlreadyOpen(let name): "a monitor named '\(name)' is open; close it first"
    case .reservedName(let name): "the name '\(name)' is reserved; choose another"
    }
  }
}
