// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Glibc
internal import SystemKit
internal import Synchronization

/// Reads the lines of a stream of the service on a separate thread, since reading blocks.
final class StreamLineReader: Sendable {
  private let descriptor: Int32
  private let open = Atomic(true)
  private let deliver: @Sendable ([UInt8]) -> Void
  private let ended: @Sendable () -> Void

  /// Takes over the reader's end of a stream.
  ///
  /// - Parameters:
  ///   - descriptor: The open descriptor.
  ///   - ended: Called on the thread when no more lines come.
  ///   - deliver: Receives each line without its end, in order, on the thread.
  init(
    _ descriptor: Int32,
    ended: @escaping @Sendable () -> Void = {},
    deliver: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.descriptor = descriptor
    self.deliver = deliver
    self.ended = ended
    if SystemThread({ [self] in run() }) == nil {
      open.store(false, ordering: .relaxed)
      ended()
    }
  }

  deinit { _ = Glibc.close(descriptor) }

  /// Whether more may come.
  var isOpen: Bool { open.load(ordering: .relaxed) }

  /// Ends reading; the reports are still delivered.
  func stop() {
    open.store(false, ordering: .relaxed)
    // Wakes the thread; the descriptor is closed after its last use.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private func run() {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest += buffer.prefix(count)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        deliver(Array(rest[..<end]))
        rest.removeSubrange(...end)
      }
      // A line that never ends is not the service's.
      if rest.count > EventLineReader.longestLine { break }
    }
    open.store(false, ordering: .relaxed)
    ended()
  }
}
