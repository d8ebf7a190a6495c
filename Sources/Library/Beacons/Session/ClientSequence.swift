// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// A client's events of one kind, for `for await`.
///
/// The sequence receives events from its creation, so that events are not missed. On a replay the timeline waits for the
/// task that iterates the sequence, and continues when that task waits for any of its sequences. A sequence that is kept
/// and not iterated holds nothing.
///
/// Do not start another task inside such a loop to iterate a second sequence and then wait for that task: the timeline
/// waits for the outer task, so the run ends with ``SessionError/stalled(waitingFor:)``.
///
/// You can iterate the sequence again; each further iteration receives events from its own start. The sequence ends
/// with the session.
public struct ClientSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// It never fails.
  public typealias Failure = Never

  private let reservation: Reservation<Element>

  init(_ make: @escaping @Sendable () -> Iteration<Element>) {
    reservation = Reservation(make)
  }

  /// Returns an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(reservation.claim()) }

  /// Returns a client's events one by one.
  ///
  /// Releasing the iterator stops the listening.
  public struct Iterator: AsyncIteratorProtocol {
    /// It never fails.
    public typealias Failure = Never

    private let iteration: Iteration<Element>

    init(_ iteration: Iteration<Element>) {
      self.iteration = iteration
    }

    /// Returns the next event; `nil` when the session has ended or the task was cancelled.
    public mutating func next() async -> Element? { await iteration.next() }
  }
}

/// Keeps the sequence's iteration until the sequence is iterated for the first time.
private final class Reservation<Element: Sendable>: Sendable {
  private let make: @Sendable () -> Iteration<Element>
  private let reserved: Mutex<Iteration<Element>?>

  init(_ make: @escaping @Sendable () -> Iteration<Element>) {
    self.make = make
    reserved = Mutex(make())
  }

  func claim() -> Iteration<Element> { reserved.withLock { $0.take() } ?? make() }
}

/// One iteration of a sequence, from its creation until it is released.
final class Iteration<Element: Sendable>: Sendable {
  let buffer: DeliveryBuffer<Element>
  private let hasBegun = Mutex(false)
  private let begin: @Sendable () async -> Void
  /// Called with whether the iteration had begun.
  private let end: @Sendable (Bool) -> Void

  /// Creates an iteration.
  ///
  /// - Parameters:
  ///   - buffer: The buffer from which it drains elements.
  ///   - begin: Called before the wait for the first element.
  ///   - end: Called when the iteration is released.
  init(
    _ buffer: DeliveryBuffer<Element>,
    begin: @escaping @Sendable () async -> Void = {},
    end: @escaping @Sendable (Bool) -> Void
  ) {
    self.buffer = buffer
    self.begin = begin
    self.end = end
  }

  func next() async -> Element? {
    let isFirst = hasBegun.withLock { begun in
      defer { begun = true }
      return !begun
    }
    if isFirst {
      buffer.claim()
      await begin()
    }
    return await buffer.next()
  }

  deinit {
    // The session must know the request made here before it continues, so the buffer ends last.
    end(hasBegun.withLock { $0 })
    buffer.end()
  }
}
