// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How many messages came, and how many of them were not listened to.
package struct BusCounters: Sendable, Equatable {
  /// Messages read.
  package var received = 0
  /// Signals of a program that is neither the bus nor one whose name we follow.
  package var foreignSignals = 0
  /// Signals of the bus or of a program we follow that have not the types they must have.
  package var malformedSignals = 0
  /// Answers to a call that is not waiting, or by somebody who was not asked.
  package var strayAnswers = 0
  /// Calls of our objects by a program that may not call them.
  package var foreignCalls = 0
  /// Calls that no object of ours knows.
  package var unknownCalls = 0
  /// Messages of a kind we do not know.
  package var unknownKinds = 0
  /// Connections that were made and then lost.
  package var lostConnections = 0

  /// Nothing yet.
  package init() {}

  /// How many messages were not listened to.
  package var refused: Int {
    foreignSignals + malformedSignals + strayAnswers + foreignCalls + unknownCalls + unknownKinds
  }
}
