// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How many messages were received, and how many of them were ignored.
package struct BusCounters: Sendable, Equatable {
  /// Messages read.
  package var received = 0
  /// Signals from a program that is neither the bus nor the owner of a followed name.
  package var foreignSignals = 0
  /// Signals from the bus or from the owner of a followed name whose arguments had wrong types.
  package var malformedSignals = 0
  /// Answers for which no call waits, or from a program that was not called.
  package var strayAnswers = 0
  /// Calls to our objects from a program that may not call them.
  package var foreignCalls = 0
  /// Calls to objects or methods that do not exist here.
  package var unknownCalls = 0
  /// Messages of an unknown kind.
  package var unknownKinds = 0
  /// Answers and signals that were not sent, because too much waits to be sent or D-Bus cannot represent them.
  package var unsent = 0
  /// Connections that were established and then lost.
  package var lostConnections = 0

  /// Creates counts of zero.
  package init() {}

  /// How many messages were ignored.
  package var refused: Int {
    foreignSignals + malformedSignals + strayAnswers + foreignCalls + unknownCalls + unknownKinds
  }
}
