// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// For how long a receiver of a capture listened.
public struct ReceiverListening: Sendable, Equatable {
  /// Its number.
  public let receiver: UInt8
  /// How long it listened, up to the last input that changed it; see ``listened(until:)``.
  private var finished = TimeSpan.zero
  /// Since when it listens; `nil` while it does not.
  private var since: Timestamp?
  /// How many times it stopped listening.
  public private(set) var pauses = 0

  /// A receiver that listens from a time.
  init(_ receiver: UInt8, since: Timestamp) {
    self.receiver = receiver
    self.since = since
  }

  /// Returns how long it listened up to a time.
  public func listened(until end: Timestamp) -> TimeSpan {
    finished + (since.map { max(end - $0, .zero) } ?? .zero)
  }

  mutating func changed(to state: RadioState, at time: Timestamp) {
    if state == .listening {
      since = since ?? time
    } else if since != nil {
      finished = listened(until: time)
      since = nil
      pauses += 1
    }
  }
}
