// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
package import DBus
import Synchronization

/// A program on a bus, for tests: follows names, asks for signals, answers calls, and emits what happened as events.
package final class BusProgram: Sendable {
  package struct Called: Sendable {
    package let path: String
    package let interface: String
    package let member: String
    package let sender: String
    package let arguments: [DBusValue]
  }

  package typealias Answering = @Sendable (Called) -> Answer?

  package let thread: BusThread
  package let events: AsyncStream<BusEvent>
  /// The bus, kept while one of its programs exists.
  private let bus: (any AnyObject & Sendable)?

  package convenience init(
    _ bus: PrivateBus,
    owning name: String? = nil,
    following names: [String] = [],
    rules: [MatchRule] = [],
    answersAnyone: Bool = true,
    takesDescriptors: Bool = false,
    reconnectsAfter wait: Duration? = nil,
    answering: @escaping Answering = { _ in nil }
  ) throws {
    try self.init(
      bus.address,
      keeping: bus,
      owning: name,
      following: names,
      rules: rules,
      answersAnyone: answersAnyone,
      takesDescriptors: takesDescriptors,
      reconnectsAfter: wait,
      answering: answering
    )
  }

  package init(
    _ address: String,
    keeping bus: (any AnyObject & Sendable)? = nil,
    owning name: String? = nil,
    following names: [String] = [],
    rules: [MatchRule] = [],
    accepting signature: StaticString? = nil,
    answersAnyone: Bool = true,
    takesDescriptors: Bool = false,
    reconnectsAfter wait: Duration? = nil,
    clock: @escaping @Sendable () -> Uptime = { .now },
    preparingThread prepare: @escaping @Sendable () -> Void = {},
    answering: @escaping Answering = { _ in nil }
  ) throws {
    let (events, continuation) = AsyncStream<BusEvent>.makeStream()
    self.events = events
    self.bus = bus
    thread = try BusThread(
      BusAddress(address),
      answersAnyone: answersAnyone,
      takesDescriptors: takesDescriptors,
      clock: clock
    ) {
      prepare()
      return Handler(
        name: name,
        names: names,
        rules: rules,
        signature: signature,
        wait: wait,
        answering: answering,
        events: continuation
      )
    }
  }

  /// Returns a program that only calls, once it is on the bus.
  package static func connected(to bus: PrivateBus) async throws -> BusProgram {
    let program = try BusProgram(bus)
    if let first = await program.next(), first != .connected { throw NotConnected(first: first) }
    return program
  }

  /// Returns a program of another account, once it is on the bus; if the tests may not change it, of their account.
  package static func stranger(on bus: PrivateBus) async throws -> BusProgram {
    let program = try BusProgram(
      bus.address,
      keeping: bus,
      preparingThread: { ThreadAccount.change(to: ThreadAccount.nobody) }
    )
    if let first = await program.next(), first != .connected { throw NotConnected(first: first) }
    return program
  }

  package struct NotConnected: Error {
    package let first: BusEvent
  }

  /// Returns the next event that is wanted.
  package func next(where isWanted: (BusEvent) -> Bool = { _ in true }) async -> BusEvent? {
    for await event in events where isWanted(event) { return event }
    return nil
  }

  /// Returns the name the bus gave it.
  package func uniqueName() async -> String? {
    await withCheckedContinuation { waiter in
      if !thread.post({ waiter.resume(returning: $0.uniqueName) }) { waiter.resume(returning: nil) }
    }
  }

  /// Returns the loop's counts, once a condition holds.
  package func counters(
    when isReached: @escaping @Sendable (BusCounters) -> Bool
  ) async -> BusCounters {
    await withCheckedContinuation { waiter in
      let isPosted = thread.post { loop in
        guard let handler = loop.handler as? Handler, !isReached(loop.counters) else {
          return waiter.resume(returning: loop.counters)
        }
        handler.waiters.append((isReached, waiter))
      }
      if !isPosted { waiter.resume(returning: .init()) }
    }
  }

  /// Returns the loop's counts.
  package func counters() async -> BusCounters {
    await withCheckedContinuation { waiter in
      if !thread.post({ waiter.resume(returning: $0.counters) }) {
        waiter.resume(returning: .init())
      }
    }
  }
}

private final class Handler: BusHandler {
  let name: String?
  let names: [String]
  let rules: [MatchRule]
  let signature: StaticString?
  let wait: Duration?
  let answering: BusProgram.Answering
  let events: AsyncStream<BusEvent>.Continuation
  /// The tasks that wait for counts.
  var waiters:
    [(isReached: (BusCounters) -> Bool, waiter: CheckedContinuation<BusCounters, Never>)] = []

  init(
    name: String?,
    names: [String],
    rules: [MatchRule],
    signature: StaticString?,
    wait: Duration?,
    answering: @escaping BusProgram.Answering,
    events: AsyncStream<BusEvent>.Continuation
  ) {
    self.name = name
    self.names = names
    self.rules = rules
    self.signature = signature
    self.wait = wait
    self.answering = answering
    self.events = events
  }

  deinit { events.finish() }

  private func emit(_ event: BusEvent) { events.yield(event) }

  /// Resumes the tasks whose condition holds.
  private func resumeWaiters(_ loop: BusLoop) {
    guard !waiters.isEmpty else { return }
    let reached = waiters.filter { $0.isReached(loop.counters) }
    waiters.removeAll { $0.isReached(loop.counters) }
    for (_, waiter) in reached { waiter.resume(returning: loop.counters) }
  }

  func connected(_ loop: BusLoop) {
    for name in names { loop.follow(name) }
    for rule in rules { loop.add(rule) }
    guard let name else { return emit(.connected) }
    loop.call(.bus("RequestName", [.string(name), .uint32(4)]), timeout: .seconds(30)) {
      [events] _ in
      events.yield(.connected)
    }
  }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
    emit(.owner(of: name, owner))
  }

  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
    guard let values = message.read({ $0.values() }) else { return false }
    if let signature, !message.hasSignature(signature) { return false }
    emit(.signal(path: message.path ?? "", member: message.member ?? "", values))
    return true
  }

  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
    answering(
      BusProgram.Called(
        path: message.path ?? "",
        interface: message.interface ?? "",
        member: message.member ?? "",
        sender: message.sender ?? "",
        arguments: message.read { $0.values() } ?? []
      )
    )
  }

  func drained(_ loop: BusLoop) { resumeWaiters(loop) }
  var nextDeadline: Uptime? { nil }
  func timePassed(_ loop: BusLoop) {}

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    emit(.failed(failure))
    resumeWaiters(loop)
    return wait
  }
}
