// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads a file of answers: users' actions in a run without a terminal, as a JSON5 array of entries such as
/// `{ at: 2, input: "answer", choice: "whileUsing" }`.
package enum AnswersReader {
  /// One entry of a file.
  package struct Entry: Sendable, Equatable {
    /// When, from the start of the run.
    package var time: TimeSpan
    /// The client concerned; `nil` for all of them.
    package var client: String?
    /// The user's action.
    package var input: UserAction

    package init(time: TimeSpan, client: String?, input: UserAction) {
      self.time = time
      self.client = client
      self.input = input
    }
  }

  /// A week in seconds: longer than any visit, and far below the largest timestamp.
  private static let longest = 604_800.0

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - client: The run's client; an entry that names no client concerns this one.
  /// - Returns: The entries in the order of their times; entries of the same time in the order of the file.
  /// - Throws: ``JSON5Faults`` with every fault of the file.
  package static func read(
    _ bytes: [UInt8],
    about client: String
  ) throws(JSON5Faults) -> [Entry] {
    let faults = FaultCollector()
    let value = try JSON5.parse(bytes)
    let reader = JSON5Reader(value, name: "a file of answers", faults: faults)
    let entries = (reader.array() ?? []).compactMap { read($0, about: client) }
    try faults.throwIfAny()
    return entries.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private static func read(_ reader: JSON5Reader, about client: String) -> Entry? {
    guard var object = reader.object() else { return nil }
    let time = object.required("at")?.number(in: 0...longest)
    guard let kind = object.required("input")?.choice(UserAction.cases.map(\.name)) else {
      // Without the kind of action the other keys cannot be checked.
      _ = object.entries()
      return nil
    }
    let input = object.form { UserAction.read(kind, from: &$0) }
    var concerned = input?.concernsAll == true ? nil : client
    if let reader = object.optional("client"), let name = reader.nonEmptyString() {
      if name != client { reader.addFault("no client of this run is named '\(name.shortened)'") }
      concerned = name
    }
    object.finish()
    guard let time, let input else { return nil }
    return Entry(time: TimeSpan(seconds: time), client: concerned, input: input)
  }
}
