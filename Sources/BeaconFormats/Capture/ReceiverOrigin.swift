// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A receiver of one of several merged readers.
public struct ReceiverOrigin: Sendable, Hashable {
  /// The reader's place among those merged.
  public var reader: Int
  /// The receiver's number there.
  public var receiver: UInt8

  /// Creates the receiver of a reader.
  public init(reader: Int, receiver: UInt8) {
    self.reader = reader
    self.receiver = receiver
  }
}
