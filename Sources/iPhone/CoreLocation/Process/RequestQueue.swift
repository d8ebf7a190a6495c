// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Synchronization

/// Sends a program's requests to the session in order.
///
/// A queue is needed because Apple's calls return immediately and the session's do not.
final class RequestQueue: Sendable {
  typealias DeferredRequest = @Sendable (BeaconMonitor) async -> Void

  private enum Item: Sendable {
    case deferred(DeferredRequest)
    /// Resumed when every earlier request has been made.
    case fence(CheckedContinuation<Void, Never>)
  }

  private let items: AsyncStream<Item>.Continuation
  private let waiting = Mutex(0)
  private let task: Mutex<Task<Void, Never>?>

  /// Creates a queue to a monitor; without a monitor deferred requests are dropped.
  init(to opening: Task<BeaconMonitor?, Never>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Item.self)
    items = continuation
    task = Mutex(nil)
    let work = Task { [weak self] in
      let monitor = await opening.value
      for await item in stream {
        switch item {
        case .deferred(let deferred): if let monitor { await deferred(monitor) }
        case .fence(let continuation): continuation.resume()
        }
        self?.waiting.withLock { $0 -= 1 }
      }
    }
    task.withLock { $0 = work }
  }

  deinit { items.finish() }

  /// Adds a request.
  func send(_ deferred: @escaping DeferredRequest) {
    waiting.withLock { $0 += 1 }
    items.yield(.deferred(deferred))
  }

  /// Waits until every earlier request has been made; returns immediately without one.
  func settled() async {
    guard waiting.withLock({ $0 > 0 }) else { return }
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 += 1 }
      items.yield(.fence(continuation))
    }
  }
}
