// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// The persons of a run: what they do, and which client of the engine it concerns.
///
/// A run of the operator has none of them. What a person does at once, at a terminal or by another command, is added for
/// the earliest time there is and goes in next; what a file of answers or a recording says, for its own time.
package final class RunUserActions {
  /// What is still to be done.
  package var queue = UserActionQueue()
  /// The client, once the engine knows it.
  package var client: (name: String, id: ClientID)?
  /// Whether what is still to be done was read from a recording, and so belongs to the run even behind the last input.
  package var areRecorded = false
  /// Adds to the queue what the source's inputs read last say of persons.
  package var beforeHearing: () -> Void = {}
  /// Looks at what was told, and at how the engine stands; may add to the queue.
  package var afterTelling: ([Delivery], borrowing EngineDriver) throws -> Void = { _, _ in }
  /// Looks at how the engine stands where nothing may have been told of a change, as of being out of use.
  package var afterHearing: (borrowing EngineDriver) throws -> Void = { _ in }
  /// Looks at how the engine stands when its source has ended and all that was due was told.
  package var atEnd: (borrowing EngineDriver) throws -> Void = { _ in }
  /// Looks what persons did meanwhile; for live runs, now and then.
  package var betweenBatches: (borrowing EngineDriver) throws -> Void = { _ in }

  /// The program that the client is; `nil` for one that makes its requests at the start and no more.
  package var program: (any RunProgram)?

  package init() {}

  /// Adds what a person does now.
  package func add(_ input: UserAction) {
    let name = UserActionKind(input).concernsAll ? nil : client?.name
    queue.add(RecordedUserAction(time: .earliest, client: name, input: input))
  }

  /// Whom of the engine a moment concerns; `nil` where nobody of this run.
  func recipient(of moment: RecordedUserAction) -> ClientID?? {
    guard let client else { return nil }
    guard let name = moment.client else { return .some(nil) }
    return name == client.name ? .some(client.id) : nil
  }
}
