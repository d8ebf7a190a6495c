// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reasons why a session refuses a call.
public enum SessionError: BeaconError, Sendable, Hashable {
  /// The session is running or has run; a source is read once.
  case alreadyRun
  /// A monitor with this name is already open.
  case monitorAlreadyOpen(String)
  /// A client with this name is already connected, or another program of the account runs as this client.
  case nameInUse(String)
  /// The client's files cannot be opened now, so that its permission is not known.
  case storeUnavailable(String, reason: String)
  /// The name is reserved for the operator; no client with grants can use it.
  case reservedName(String)
  /// A replay waited for a program, and nothing happened for long.
  case stalled(waitingFor: String)
}

extension SessionError {
  /// The fault, and its remedy instead.
  public var description: String {
    switch self {
    case .alreadyRun: "a session runs once; make another for another source"
    case .monitorAlreadyOpen(let name): "a monitor named '\(name)' is open; close it first"
    case .nameInUse(let name):
      "a client named '\(name)' is connected, or another program runs as it; end it, or choose another name"
    case .storeUnavailable(let name, let reason):
      "the files of '\(name)' cannot be opened now: \(reason)"
    case .reservedName(let name): "the name '\(name)' is reserved; choose another"
    case .stalled(let waited):
      "the replay waits for \(waited), and nothing happens; 'continuesWhenStalled' continues without it"
    }
  }
}
