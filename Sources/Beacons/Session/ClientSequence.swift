// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// What a client is told of one kind, for `for await`.
///
/// It listens from the moment it is made, so that nothing is missed and, on a replay, the timeline waits for it: until
/// the task that made it, or then the one that iterates it, waits for this or another of its sequences. A task that
/// listens in a loop must not leave the listening within that loop to another task, for which it waits: neither goes on.
///
/// It can be iterated again; each further iteration listens from its own beginning. It ends when the session does.
public struct ClientSequence<Element: Sendable>: AsyncSequence, Sendable {
  /// It never fails.
  public typealias Failure = Never

  private let reservation: Reservation<Element>

  init(_ make: @escaping @Sendable () -> Iteration<Element>) {
    reservation = Reservation(make)
  }

  /// Begins to iterate.
  public func makeAsyncIterator() -> Iterator { Iterator(reservation.take()) }

  /// Takes what a client is told, one by one.
  ///
  /// Dropping it is the end of listening.
  public struct Iterator: AsyncIteratorProtocol {
    /// It never fails.
    public typealias Failure = Never

    private let iteration: Iteration<Element>

    init(_ iteration: Iteration<Element>) {
      self.iteration = iteration
    }

    /// Returns what was told next; `nil` when the session has ended or the task was cancelled.
    public mutating func next() async -> Element? { await iteration.next() }
  }
}

/// The iteration that a sequence keeps for who first iterates.
private final class Reservation<Element: Sendable>: Sendable {
  private let make: @Sendable () -> Iteration<Element>
  private let reserved: Mutex<Iteration<Element>?>

  init(_ make: @escaping @Sendable () -> Iteration<Element>) {
    self.make = make
    reserved = Mutex(make())
  }

  func take() -> Iteration<Element> { reserved.withLock { $0.take() } ?? make() }
}

/// One iteration, from its making until it is dropped.
final class Iteration<Element: Sendable>: Sendable {
  let buffer: DeliveryBuffer<Element>
  private let hasBegun = Mutex(false)
  private let begin: @Sendable () async -> Void
  /// Takes whether the iteration had begun.
  private let end: @Sendable (Bool) -> Void

  /// Creates an iteration.
  ///
  /// - Parameters:
  ///   - buffer: What it takes from.
  ///   - begin: Called before the first element is waited for.
  ///   - end: Called when it is dropped.
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
    if isFirst { await begin() }
    return await buffer.next()
  }

  deinit {
    // What is asked for here must be known before the session goes on, so the mailbox ends last.
    end(hasBegun.withLock { $0 })
    buffer.end()
  }
}
