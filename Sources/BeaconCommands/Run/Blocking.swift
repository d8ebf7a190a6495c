// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import Dispatch

/// Runs asynchronous work to its end on the thread that asks.
package enum Blocking {
  /// What passes between the thread that waits and the task that works.
  ///
  /// Never both at once use it, for the one waits until the other is done: that makes it safe to send.
  private final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  /// Runs a task and waits for what it returns or throws.
  package static func run<Result>(_ work: @escaping () async throws -> Result) throws -> Result {
    let job = Box(work)
    let outcome = Box<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      do {
        outcome.value = .success(try await job.value())
      } catch {
        outcome.value = .failure(error)
      }
      done.signal()
    }
    done.wait()
    guard let outcome = outcome.value else {
      throw CommandFailure(.software, "work ended without an outcome")
    }
    return try outcome.get()
  }
}
