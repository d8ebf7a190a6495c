// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads the JSON Lines that ``EventLineWriter`` writes, such as the service's stream of a client.
///
/// Numbers come back as the line has them: distances to a hundredth of a meter, RSSI in whole dBm.
package enum EventLineReader {
  /// A line that was read.
  package struct Line: Sendable, Equatable {
    /// The time of the event.
    package let time: Timestamp
    /// The event.
    package let event: Event
    /// The number of a crossing, which grows with each of the client; `nil` for anything else.
    package let sequence: UInt64?
  }

  /// The longest line that is read: a tick of 5,000 beacons.
  package static let longestLine = 1 << 20

  /// Reads a line without its end.
  ///
  /// - Returns: The line; `nil` if it is not an event, or one that this version does not know.
  package static func read(_ bytes: [UInt8]) -> Line? {
    let limits = JSON5Limits(bytes: longestLine, depth: 8, values: 100_000, faults: 1)
    let faults = FaultCollector(isStrict: false)
    guard let value = try? JSON5.parse(bytes, limits: limits),
      let object = JSON5Reader(value, name: "a line", faults: faults).object()
    else { return nil }
    var form = Form(reading: object)
    guard let time: Timestamp = form.value("t"), let event = Event.read(from: &form),
      let sequence: UInt64? = form.value("sequence"), faults.faults.isEmpty
    else { return nil }
    return Line(time: time, event: event, sequence: sequence)
  }

  /// Reads the explanation of a crossing, the value of its `why`.
  ///
  /// - Returns: The explanation; `nil` for anything else.
  package static func explanation(_ text: String) -> Explanation? {
    (try? JSON5.parse(text)).flatMap { try? Explanation.read($0, named: "why") }
  }
}
