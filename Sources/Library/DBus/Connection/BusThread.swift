// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// A thread that runs a ``BusLoop``; other threads and tasks use the connection through it.
package final class BusThread: Sendable {
  private let buffer = BusMessageQueue()

  /// Starts the thread.
  ///
  /// It connects immediately, and again when its handler asks for it.
  ///
  /// - Parameters:
  ///   - address: The bus.
  ///   - answersAnyone: Whether programs whose names are not followed may call our objects.
  ///   - gathering: How long frequent messages collect before the thread reads them.
  ///   - takesDescriptors: Whether messages may carry open files.
  ///   - clock: The time, for waits and deadlines.
  ///   - makeHandler: Makes the handler. It runs on the new thread, the only one that uses the handler.
  /// - Throws: ``BusFailure/cannotConnect(_:)`` if the system cannot create a thread.
  package init(
    _ address: BusAddress,
    answersAnyone: Bool = false,
    gathering: Duration = MessageGathering.usualTime,
    takesDescriptors: Bool = false,
    clock: @escaping @Sendable () -> Uptime = { .now },
    makeHandler: @escaping @Sendable () -> any BusHandler
  ) throws(BusFailure) {
    let thread = SystemThread { [buffer] in
      BusLoop(
        address,
        buffer,
        makeHandler(),
        answersAnyone: answersAnyone,
        gathering: gathering,
        takesDescriptors: takesDescriptors,
        clock: clock
      ).run()
      buffer.finish()
    }
    if thread == nil { throw .cannotConnect("the system has no thread left") }
  }

  /// Runs work on the thread; returns false if the thread has ended.
  @discardableResult
  package func post(_ work: @escaping @Sendable (BusLoop) -> Void) -> Bool {
    buffer.post(work)
  }

  /// Makes the loop read its handler's next deadline again.
  package func wake() {
    buffer.wake()
  }

  /// Ends the thread and returns when it has ended.
  package func stop() async {
    _ = buffer.post { $0.end() }
    await buffer.ended()
  }

  /// Returns when the thread has ended, by itself or because it was stopped.
  package func ended() async {
    await buffer.ended()
  }

  /// Calls a method from a task.
  package func call(
    _ call: MethodCall,
    timeout: Duration
  ) async throws(CallError) -> [DBusValue] {
    let result: Result<[DBusValue], CallError> = await withCheckedContinuation { waiter in
      let isPosted = buffer.post { loop in
        loop.call(call, timeout: timeout) { waiter.resume(returning: $0) }
      }
      if !isPosted { waiter.resume(returning: .failure(.disconnected)) }
    }
    return try result.get()
  }
}
