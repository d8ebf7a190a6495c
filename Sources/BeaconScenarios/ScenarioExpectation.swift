// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Something that must be told, or must be seen in Settings, at a time.
struct ScenarioExpectation: Sendable {
  /// What is expected.
  enum Subject: Sendable {
    /// An event of a type with these fields.
    case event(type: String, fields: [JSON5Member])
    /// What Settings show of the client.
    case settings(SettingsValue, precise: Bool?)
  }

  let time: TimeSpan
  /// How far from its time an event may be told.
  let within: TimeSpan
  /// The client's place among the scenario's; `nil` for any.
  let client: Int?
  let subject: Subject
  let position: TextPosition

  /// Whether a told event is the one expected, as far as its fields go.
  func matches(_ record: EventRecord, client told: Int?, start: Timestamp) -> Bool {
    guard case .event(let type, let fields) = subject, type == record.type,
      client == nil || client == told
    else { return false }
    return fields.allSatisfy { field in
      guard let value = record[field.key] else { return false }
      return ScenarioValue.equals(value, field.value, start: start)
    }
  }
}
