// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads the JSON Lines that ``EventLineWriter`` writes, such as the service's stream of a client.
package enum EventLineReader {
  /// The longest line that is read: a tick of 5,000 beacons.
  package static let longestLine = 1 << 20

  /// Reads a line without its end.
  ///
  /// - Returns: The line; `nil` if it is not an event, or one that this version does not know.
  package static func read(_ bytes: [UInt8]) -> EventLine? {
    let limits = JSON5Limits(bytes: longestLine, depth: 8, values: 100_000, faults: 1)
    guard let value = try? JSON5.parse(bytes, limits: limits) else { return nil }
    return try? EventLine.read(value, named: "a line")
  }

  /// Reads the explanation of a crossing, the value of its `why`.
  ///
  /// - Returns: The explanation; `nil` for anything else.
  package static func explanation(_ text: String) -> Explanation? {
    (try? JSON5.parse(text)).flatMap { try? Explanation.read($0, named: "why") }
  }
}
