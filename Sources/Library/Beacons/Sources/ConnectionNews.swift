// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// The messages about a connection that is kept up: a loss and a return, each at most once in ten seconds.
///
/// A peer that accepts connections and ends them would fill a log with pairs of lines. A message that is left out
/// is shown later if it is still true then, so that the last line is true.
package struct ConnectionNews<Fault: Equatable & Sendable>: Sendable {
  /// A message to the user.
  package enum Item: Equatable, Sendable {
    /// The connection is there.
    case connected
    /// It was lost, or cannot be made.
    case failed(Fault)
  }

  /// How long neither is repeated: long enough for a log, short enough that a user sees that it continues.
  package static var interval: Duration { .seconds(10) }

  /// How it is now, and as the user knows it; `nil` at the beginning.
  private var present: Item?
  private var shown: Item?
  /// When a loss and when a return was last shown.
  private var lastFailure: Uptime?
  private var lastReturn: Uptime?

  package init() {}

  /// Notes that the user knows of the connection.
  package mutating func noteKnown() { (present, shown) = (.connected, .connected) }

  /// Notes how it is, and returns the message that is due.
  package mutating func note(_ item: Item, at time: Uptime) -> Item? {
    present = item
    return due(at: time)
  }

  /// Returns the message that is due; call it about once a second.
  package mutating func due(at time: Uptime) -> Item? {
    guard let present, present != shown else { return nil }
    let last = present == .connected ? lastReturn : lastFailure
    if let last, time - last < Self.interval { return nil }
    if present == .connected { lastReturn = time } else { lastFailure = time }
    shown = present
    return present
  }
}
