// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// A value that one thread sets once and one task waits for.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiter: CheckedContinuation<Value, Never>?
  }

  private let state = Mutex(State())

  /// Whether the value is set.
  var isSet: Bool { state.withLock { $0.value != nil } }

  /// Sets the value; only the first call counts.
  func set(_ value: Value) {
    let waiter = state.withLock { state in
      guard state.value == nil else { return nil as CheckedContinuation<Value, Never>? }
      state.value = value
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: value)
  }

  /// Returns the value when it is set.
  func value() async -> Value {
    await withCheckedContinuation { waiter in
      let value = state.withLock { state in
        if state.value == nil { state.waiter = waiter }
        return state.value
      }
      if let value { waiter.resume(returning: value) }
    }
  }
}
