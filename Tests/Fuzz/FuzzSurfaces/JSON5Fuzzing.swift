// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The entry of the JSON5 reader for fuzzing.
package enum JSON5Fuzzing {
  /// Reads any bytes and looks at all that came out; whatever they are, nothing may trap.
  ///
  /// - Returns: The number of values or of faults, so that no work can be left out.
  @discardableResult
  package static func consume(_ bytes: [UInt8]) -> Int {
    do {
      return count(try JSON5.parse(bytes))
    } catch {
      return error.faults.reduce(0) { $0 &+ $1.description.utf8.count }
    }
  }

  private static func count(_ value: JSON5Value) -> Int {
    switch value.content {
    case .null, .bool, .number: 1
    case .string(let text): text.utf8.count &+ 1
    case .array(let values): values.reduce(1) { $0 &+ count($1) }
    case .object(let members):
      members.reduce(1) { $0 &+ count($1.value) &+ $1.key.utf8.count }
    }
  }
}
