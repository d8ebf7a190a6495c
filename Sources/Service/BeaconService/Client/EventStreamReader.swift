// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Synchronization

/// Reads a client's stream of the service; a crossing that was received before is left out.
final class EventStreamReader: Sendable {
  private let lines: StreamLineReader
  private let received: Received

  /// The number of the last crossing that was received.
  private final class Received: Sendable {
    let last: Mutex<UInt64>
    init(_ last: UInt64) { self.last = Mutex(last) }
  }

  /// Takes over the reader's end of a stream.
  ///
  /// - Parameters:
  ///   - descriptor: The open descriptor.
  ///   - last: The number of the last crossing that was received before.
  ///   - deliver: Receives each line that is an event, in order.
  init(
    _ descriptor: Int32,
    after last: UInt64,
    deliver: @escaping @Sendable (EventLine) -> Void
  ) {
    let received = Received(last)
    self.received = received
    lines = StreamLineReader(descriptor) { bytes in
      guard let line = EventLineReader.read(bytes) else { return }
      if let number = line.sequence {
        // Given again by a service that was started again.
        let isNew = received.last.withLock { last in
          defer { last = max(last, number) }
          return number > last
        }
        guard isNew else { return }
      }
      deliver(line)
    }
  }

  /// Whether more may come.
  var isOpen: Bool { lines.isOpen }

  /// The number of the last crossing; 0 before the first.
  var last: UInt64 { received.last.withLock { $0 } }

  /// Ends reading; the reports are still delivered.
  func stop() { lines.stop() }
}
