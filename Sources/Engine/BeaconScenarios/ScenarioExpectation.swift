// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// An expectation of a scenario: an event, or what Settings show, at a time.
struct ScenarioExpectation: Sendable {
  /// The expected event.
  enum Subject: Sendable {
    /// An event of a type with these fields.
    case event(type: String, fields: [JSON5Member])
    /// What Settings show of the client.
    case settings(SettingsValue, precise: Bool?)
  }

  let time: TimeSpan
  /// How far the time of an event may differ from the expected time.
  let within: TimeSpan
  /// The index of the client in the scenario; `nil` for any client.
  let client: Int?
  let subject: Subject
  let position: TextPosition

  /// Returns whether an event is the expected one, comparing only the expected fields.
  func matches(_ record: EventRecord, client delivered: Int?, start: Timestamp) -> Bool {
    guard case .event(let type, let fields) = subject, type == record.type,
      client == nil || client == delivered
    else { return false }
    return fields.allSatisfy { field in
      guard let value = record[field.key] else { return false }
      return ScenarioValue.equals(value, field.value, start: start)
    }
  }
}
