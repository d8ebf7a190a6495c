// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that the operator of the service should know, for the journal or a terminal.
package struct ServiceNote: Sendable, Equatable {
  /// How much a note matters; the raw values are those of syslog.
  package enum Level: Int, Sendable, CaseIterable, Comparable {
    /// Something does not work.
    case error = 3
    /// Something may not work as wanted.
    case warning = 4
    /// What an operator wants to know.
    case notice = 5
    /// A usual event.
    case info = 6

    /// The name in options.
    package var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      }
    }

    /// Orders levels, the gravest first.
    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// The subject of a note, by which a journal finds it.
  package enum Kind: String, Sendable, CaseIterable {
    /// The service can be called.
    case ready
    /// The bus ended.
    case busLost
    /// A client asks, without an agent.
    case unanswered
    /// A program was started because of a crossing.
    case woken
    /// A file of grants is not used.
    case grantFile
    /// The configuration was read again.
    case reloaded
    /// The configuration could not be read again, so nothing changed.
    case reloadFailed
    /// Something cannot be kept on the disk.
    case storage
    /// A client cannot be served.
    case refused
    /// Something happened to the file of the recording.
    case recording

    /// How much it matters.
    package var level: Level {
      switch self {
      case .ready, .woken: .info
      case .reloaded, .unanswered, .recording: .notice
      case .busLost, .grantFile: .warning
      case .reloadFailed, .storage, .refused: .error
      }
    }

    /// The identifier of the kind in the journal, `MESSAGE_ID`: 128 random bits, which stay as they are.
    package var messageID: String {
      switch self {
      case .ready: "5d0f7a4c2b9e4b6f8a31c0d2e95f1b70"
      case .busLost: "b1c9e3a8507d4f25962e7d14fa83c06e"
      case .unanswered: "0e62d9b741fa4c0c93b85a7f2c6e81d3"
      case .woken: "c74a1f95e03b4d7ea2586b9d1f70c4e8"
      case .grantFile: "93e5b02d6c1f4a89b7d40e8f5a2c7613"
      case .reloaded: "f80b6c3e92d745a1837c5e0d4b19fa26"
      case .reloadFailed: "2a97d5f1c8e04b63a0f4b7e36d5c8192"
      case .storage: "6fb3e81a0d524c97b5e2d90c47a83f1e"
      case .refused: "d185c2f70b9a4e3688f5a1c3e7d0942b"
      case .recording: "74e0c9a25f1b4d80b36a9e5c81d2f047"
      }
    }
  }

  /// Its subject.
  package let kind: Kind
  /// A sentence.
  package let text: String
  /// The client concerned; `nil` for none.
  package let client: String?

  /// Creates a note.
  package init(_ kind: Kind, _ text: String, client: String? = nil) {
    self.kind = kind
    self.text = text
    self.client = client
  }
}
