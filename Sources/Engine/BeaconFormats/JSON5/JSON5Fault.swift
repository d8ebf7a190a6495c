// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One thing that is wrong in a JSON5 file, such as a plan or a scenario, with what to write instead.
public struct JSON5Fault: Error, Sendable, Equatable, CustomStringConvertible {
  /// Where it is.
  package let position: TextPosition
  /// The message, or a value that describes itself as the message and has the parts of it.
  package let reason: any Sendable & CustomStringConvertible
  /// The fault, and its correction, in one line without the position.
  public var message: String { reason.description }

  /// The line, counted from 1.
  public var line: Int { position.line }
  /// The column in characters, counted from 1.
  public var column: Int { position.column }

  /// Creates a fault.
  package init(_ reason: any Sendable & CustomStringConvertible, at position: TextPosition) {
    self.position = position
    self.reason = reason
  }

  /// Whether two faults have the same message at the same place.
  public static func == (first: JSON5Fault, second: JSON5Fault) -> Bool {
    (first.position, first.message) == (second.position, second.message)
  }

  /// The position and the message, as `LINE:COLUMN: message`.
  public var description: String { "\(line):\(column): \(message)" }
}

/// The fault of an object without a key that it needs.
package struct NeededKey: Sendable, CustomStringConvertible {
  let object: String
  /// The key.
  package let key: String

  package var description: String { "\(object) needs '\(key)'" }
}

/// All faults of a JSON5 file, in the order of the file; never empty.
public struct JSON5Faults: Error, Sendable, Equatable, CustomStringConvertible {
  /// The faults, in the order of the file.
  public let faults: [JSON5Fault]

  /// Creates an error from faults in any order; faults at the same position keep their order.
  package init(_ faults: [JSON5Fault]) {
    self.faults = faults.enumerated()
      .sorted { ($0.element.position.offset, $0.offset) < ($1.element.position.offset, $1.offset) }
      .map(\.element)
  }

  /// One line per fault.
  public var description: String {
    faults.map(\.description).joined(separator: "\n")
  }
}
