// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconGateway
internal import Glibc
internal import SystemKit
internal import Synchronization

/// A connection to a broker that is kept up: messages go in, news and other clients' messages come out.
///
/// No call waits, except ``stop(within:)``. The work is done on a separate thread.
package final class BrokerLink: Sendable {
  /// The purpose of a link.
  package struct Setup: Sendable {
    /// How the broker is reached.
    package var access: BrokerAccess
    /// The folder of messages that wait; `nil` for none, if nothing is to be published.
    package var spoolFolder: String?
    /// The most bytes of that folder.
    package var spoolLimit = Spool.usualLimit
    /// The topics that this configuration retains.
    package var retainedTopics: [String] = []
    /// The topics whose messages are received.
    package var subscriptions: [String] = []
    /// The sender of a topic's messages: each has its share of those that wait.
    package var sender: @Sendable (String) -> SiteSender? = { _ in nil }

    package init(_ access: BrokerAccess) { self.access = access }
  }

  /// What happened.
  package enum News: Sendable, Equatable {
    /// The connection is made, failed or ended.
    case remark(BrokerMachine.Remark)
    /// The broker took a message and refuses it; it is not sent again.
    case refused
    /// Messages were lost, since the disk was full.
    case lost(UInt64)
    /// The disk does not take messages.
    case disk(String)
    /// The disk takes messages again; so many seconds of receivers were lost, and no crossing.
    case diskAgain(lost: UInt64)
  }

  /// A message of another client.
  package struct Received: Sendable, Equatable {
    package var topic: String
    package var payload: [UInt8]
    package var isRetained: Bool
  }

  /// The messages of other clients that wait for the user.
  package struct ReceivedMessages: Sendable {
    /// The messages, the earliest first.
    package var messages: [Received] { entries.map(\.message) }
    /// How many were left out.
    package private(set) var overflow = 0
    /// Their senders, of which there are no more than a user has receivers.
    package private(set) var missed: Set<SiteSender> = []
    /// The kinds of senders of which there are more; true stands for nodes.
    private var missedKinds: Set<Bool> = []
    private var shares = SenderShares(limit: byteLimit)
    private var entries: [Entry] = []

    private struct Entry {
      let message: Received
      let sender: SiteSender
      let size: Int
    }

    /// The most bytes; a site of a hundred gateways sends as many in half a minute.
    private static let byteLimit = 32 << 20
    /// The size of a message besides its bytes.
    private static let head = 128
    private static let senderLimit = 256

    /// Whether messages of a sender were left out.
    package func misses(_ sender: SiteSender) -> Bool {
      missed.contains(sender) || missedKinds.contains(sender.isNode)
    }

    /// Adds a message, or counts it if its sender has its share.
    mutating func add(_ message: Received, of sender: SiteSender?) {
      let sender = sender ?? .unknown
      let size = message.topic.utf8.count + message.payload.count + Self.head
      guard shares.mayAdd(size, of: sender) else { return leaveOut(sender) }
      shares.add(size, of: sender)
      entries.append(Entry(message: message, sender: sender, size: size))
    }

    /// Takes out as much as can be read without a noticeable delay: of more bytes than the limit each sender has its share,
    /// and the rest stays.
    mutating func take(limit: Int) -> ReceivedMessages {
      var rest = ReceivedMessages()
      guard entries.reduce(0, { $0 + $1.size }) > limit else {
        swap(&self, &rest)
        return rest
      }
      var taken = self
      taken.entries = []
      var used = SenderShares(limit: limit)
      // Later messages of that sender stay as well, so that they keep their order.
      var waiting: Set<SiteSender> = []
      for entry in entries {
        if !waiting.contains(entry.sender), used.mayAdd(entry.size, of: entry.sender) {
          used.add(entry.size, of: entry.sender)
          taken.entries.append(entry)
        } else {
          waiting.insert(entry.sender)
          rest.shares.add(entry.size, of: entry.sender)
          rest.entries.append(entry)
        }
      }
      self = rest
      return taken
    }

    /// Leaves out all messages.
    mutating func leaveOutAll() {
      for entry in entries { leaveOut(entry.sender) }
      (entries, shares) = ([], SenderShares(limit: Self.byteLimit))
    }

    /// Adds the messages that others left out.
    mutating func addMissed(of others: ReceivedMessages) {
      overflow += others.overflow
      missed.formUnion(others.missed)
      missedKinds.formUnion(others.missedKinds)
    }

    /// Counts a message that was left out.
    mutating func leaveOut(_ sender: SiteSender?) {
      overflow += 1
      guard let sender else { return }
      if missed.count < Self.senderLimit {
        missed.insert(sender)
      } else {
        missedKinds.insert(sender.isNode)
      }
    }
  }

  /// The state that the link's thread and its users share.
  struct Shared: Sendable {
    var messages: [GatewayMessage] = []
    var news: [News] = []
    var received = ReceivedMessages()
    var isStopping = false
    /// Whether messages are left out until the connection is made again.
    var startsAgain = false
    var hasEnded = false
    var waiting: UInt64 = 0
    var isSettled = true
    var isConnected = false
    var hasFailed: BrokerFault?
  }

  /// The most messages that wait for the thread; a site of a hundred gateways sends as many in a minute.
  static let queueLimit = 10_000

  let wakeUp: WakePipe
  private let shared = Mutex(Shared())

  /// Starts a link.
  ///
  /// - Throws: ``BrokerClientError``, or what opening the spool throws.
  package init(_ setup: Setup) throws {
    _ = try MosquittoLibrary.load()
    guard let wakeUp = WakePipe() else { throw BrokerClientError.noThread }
    self.wakeUp = wakeUp
    let loop = Handed(try LinkLoop(setup, wakeUp))
    // The thread keeps the link until it has ended, not the other way round.
    guard SystemThread({ [self] in loop.value.run(self) }) != nil else {
      throw BrokerClientError.noThread
    }
  }

  /// A value that goes to another thread and is used only by that one from then on.
  private final class Handed: @unchecked Sendable {
    let value: LinkLoop
    init(_ value: LinkLoop) { self.value = value }
  }

  func withShared<Result>(_ body: (inout sending Shared) -> sending Result) -> sending Result {
    shared.withLock(body)
  }

  // MARK: Use

  /// Sends messages, now or when there is a broker.
  ///
  /// - Returns: How many were left out because the thread is too far behind.
  @discardableResult
  package func submit(_ messages: [GatewayMessage]) -> Int {
    guard !messages.isEmpty else { return 0 }
    let left = shared.withLock { shared in
      let room = max(0, Self.queueLimit - shared.messages.count)
      shared.messages += messages.prefix(room)
      return max(0, messages.count - room)
    }
    wakeUp.signal()
    return left
  }

  /// Returns what happened since the last call.
  package func drainNews() -> [News] {
    shared.withLock { shared in
      defer { shared.news = [] }
      return shared.news
    }
  }

  /// Returns the other clients' messages since the last call, and the number of those left out.
  ///
  /// - Parameters:
  ///   - limit: How many bytes of them, of which each sender has its share; the others stay for the next call.
  ///   - isLast: Whether the others are left out.
  /// - Returns: The messages.
  package func drainReceived(limit: Int = .max, isLast: Bool = false) -> ReceivedMessages {
    shared.withLock { shared in
      var received = shared.received.take(limit: limit)
      if isLast {
        shared.received.leaveOutAll()
        received.addMissed(of: shared.received)
        shared.received = ReceivedMessages()
      }
      return received
    }
  }

  /// Leaves out the messages that wait here and at the broker, sent at unknown times, and makes the connection again.
  package func startAgain() {
    shared.withLock { shared in
      shared.startsAgain = true
      shared.received = ReceivedMessages()
    }
    wakeUp.signal()
  }

  /// Whether the connection is made.
  package var isConnected: Bool { shared.withLock(\.isConnected) }

  /// How many messages the broker does not have yet.
  package var waiting: UInt64 {
    shared.withLock { $0.waiting + UInt64($0.messages.count) }
  }

  /// Whether the broker has every message and every state that it was given.
  package var isSettled: Bool { shared.withLock { $0.isSettled && $0.messages.isEmpty } }

  /// Why the connection is not there; `nil` while it is, or before the first attempt.
  package var fault: BrokerFault? { shared.withLock(\.hasFailed) }

  /// Whether the thread has ended.
  package var hasEnded: Bool { shared.withLock(\.hasEnded) }

  /// Waits until something is so, but no longer than a time; the calling thread waits.
  ///
  /// - Returns: Whether it is so.
  package func wait(milliseconds: Int32, until condition: (BrokerLink) -> Bool) -> Bool {
    var left = milliseconds
    while !condition(self) {
      guard left > 0 else { return false }
      _ = poll(nil, 0, min(left, Self.look))
      left -= Self.look
    }
    return true
  }

  /// In milliseconds: the delay is not noticeable, and it costs nothing.
  private static let look: Int32 = 20

  /// Asks the thread to disconnect and to end; unsent messages stay in the spool.
  package func stop() {
    shared.withLock { $0.isStopping = true }
    wakeUp.signal()
  }
}
