// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import Synchronization

/// Makes sure that the output to a file is on the disk soon.
///
/// Waiting for the disk can take a second on a memory card, so a queue with a separate thread does it.
final class DiskSynchronizer: Sendable {
  private struct State {
    var isCancelled = false
    var failure: SystemError?
  }

  private let writer = CoalescingWriter("beacons.disk")
  private let state = Mutex(State())
  private let interval: Duration
  private let synchronize: @Sendable () throws(SystemError) -> Void

  /// - Parameters:
  ///   - interval: How long written data may wait.
  ///   - synchronize: Waits until all written data is on the disk.
  init(
    every interval: TimeSpan,
    _ synchronize: @escaping @Sendable () throws(SystemError) -> Void
  ) {
    self.interval = interval.duration
    self.synchronize = synchronize
  }

  /// Synchronizes a file, of which this is another descriptor.
  convenience init(_ descriptor: consuming FileDescriptor, every interval: TimeSpan) {
    let file = SharedDescriptor(descriptor)
    self.init(every: interval) { () throws(SystemError) in try file.descriptor.synchronize() }
  }

  private final class SharedDescriptor: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  /// Notes that something was written.
  func note() { writer.schedule(after: interval) { [weak self] in self?.run() } }

  private func run() {
    guard !state.withLock({ $0.isCancelled }) else { return }
    do throws(SystemError) {
      try synchronize()
    } catch {
      state.withLock { $0.failure = error }
    }
  }

  /// Throws the error of an earlier synchronization.
  func check() throws(SystemError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the work and waits for the one that is under way.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    writer.wait {}
  }
}
