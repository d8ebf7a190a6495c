// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import Beacons
package import ESPHomeAPI
internal import Glibc
internal import Synchronization
internal import SystemKit

extension ProxyServer.Shared {
  /// Whether much waits for the thread or for the fastest subscriber, or for a slower one, which may hold up the others
  /// only for a part of the time.
  mutating func needsRoom(at now: Timestamp) -> Bool {
    let full = ProxyServer.Limits.room
    let passed = now - (allowanceTime ?? now)
    allowanceTime = now
    if queue.count >= ProxyServer.Limits.queue / 20 || waitingBytes.lowerBound >= full {
      return true
    }
    let isHeldUp = waitingBytes.upperBound >= full
    let change = isHeldUp ? .zero - passed : TimeSpan(seconds: passed.seconds / 10)
    allowance = min(max(allowance + change, .zero), ProxyServer.Limits.allowance)
    return isHeldUp && allowance > .zero
  }
}

/// A Bluetooth proxy: it sends advertisements to the subscribers that connect.
///
/// The work is done on a separate thread.
package final class ProxyServer: Sendable {
  /// How much of a server its clients may use together and each.
  enum Limits {
    /// The most connections.
    static let connections = 128
    /// The most connections of one peer: a machine may run several subscribers.
    static let connectionsPerAddress = 16
    /// The bytes that wait for a subscriber that reads slowly: later advertisements are left out for it, and its questions
    /// are not read.
    static let waitingBytes = 256 << 10
    /// With so many a replay waits.
    static let room = waitingBytes / 2
    /// With so many a client is removed: they are answers to questions.
    static let mostWaitingBytes = 2 * waitingBytes
    /// A subscriber that takes nothing for so long is not waited for.
    static let stall = TimeSpan.seconds(5)
    /// A client that takes none of the bytes that wait for it for so long is removed.
    static let unreadTime = TimeSpan.seconds(60)
    /// How long slower subscribers may hold up the others: a tenth of the time, of which so much is saved.
    static let allowance = TimeSpan.seconds(1)
    /// The advertisements that wait for the thread: twenty seconds at 500 a second.
    static let queue = 10_000
    /// The news that wait for the user.
    static let news = 256
  }

  /// What happened.
  package enum News: Sendable, Equatable {
    case subscribed(client: String, from: String)
    case left(client: String, from: String)
    case refusedKey(client: String, from: String)
    /// Named once an hour for each address and reason, up to a limit.
    case refused(from: String, APIFault)
    /// So many more were refused in the hour before.
    case others(Int)
    /// An address, or an account of this machine, has too many connections.
    case tooMany(from: String)
    /// A subscriber reads too slowly; advertisements that it does not get are counted.
    case slow(client: String, from: String)
  }

  struct Shared {
    var queue: [RawAdvertisement] = []
    var scanner: ScannerState
    var news: [News] = []
    var overflow = 0
    var subscribers = 0
    /// The bytes that wait for the fastest and the slowest subscriber of those that take any.
    var waitingBytes = 0...0
    /// How long the fastest may still be held up, and when that was computed.
    var allowance = Limits.allowance
    var allowanceTime: Timestamp?
  }

  let info: DeviceInfo
  let key: APIKey?
  let library: SodiumLibrary?
  let clock: SourceTimeline
  let wakeUp: WakePipe
  private let shared: Mutex<Shared>
  private let thread: Mutex<SystemThread?>
  /// The port that it listens on.
  package let port: UInt16

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - host: The address to listen on; `nil` for every one.
  ///   - port: The port; 0 for any free one.
  ///   - info: The proxy's description of itself.
  ///   - key: The key that clients must have; `nil` for connections without encryption.
  ///   - scanner: The state of the radio.
  ///   - timeline: The clock of the waits.
  /// - Throws: `SystemError`, or ``SodiumLibrary/Missing``.
  package init(
    _ host: String?,
    _ port: UInt16,
    _ info: DeviceInfo,
    _ key: APIKey?,
    _ scanner: ScannerState,
    timeline: SourceTimeline = SourceTimeline()
  ) throws {
    clock = timeline
    library = try key.map { _ in try SodiumLibrary.load() }
    guard let wakeUp = WakePipe() else { throw SystemError(24, .make, "a pipe") }
    (self.info, self.key, self.wakeUp) = (info, key, wakeUp)
    shared = Mutex(Shared(scanner: scanner))
    thread = Mutex(nil)
    let listener = try ListeningSocket(host, port)
    self.port = listener.port
    // The thread keeps the server until it has ended, not the other way round.
    guard
      let started = SystemThread({ [self] in ProxyServerLoop(self, listener).run() })
    else { throw SystemError(11, .make, "a thread") }
    thread.withLock { $0 = started }
  }

  func withShared<Result>(_ body: (inout sending Shared) -> sending Result) -> sending Result {
    shared.withLock(body)
  }

  // MARK: Use

  /// Sends advertisements to every subscriber.
  package func send(_ advertisements: [RawAdvertisement]) {
    guard !advertisements.isEmpty else { return }
    shared.withLock { shared in
      let room = max(0, Limits.queue - shared.queue.count)
      shared.queue += advertisements.prefix(room)
      shared.overflow += max(0, advertisements.count - room)
    }
    wakeUp.signal()
  }

  /// Changes the state of the radio.
  package func set(_ scanner: ScannerState) {
    shared.withLock { $0.scanner = scanner }
    wakeUp.signal()
  }

  /// Returns what happened since the last call.
  package func drainNews() -> [News] {
    shared.withLock { shared in
      defer { shared.news = [] }
      return shared.news
    }
  }

  /// How many advertisements some subscriber did not get, since it or the thread was too slow.
  package var overflow: Int { shared.withLock(\.overflow) }

  /// Waits while much waits for the thread or for subscribers; the calling thread waits.
  package func waitForRoom(unless isInterrupted: () -> Bool) {
    var left = Self.roomPatience
    while left > 0, !isInterrupted(), shared.withLock({ $0.needsRoom(at: clock.now) }) {
      _ = poll(nil, 0, Self.look)
      left -= Self.look
    }
  }

  /// In milliseconds.
  private static let look: Int32 = 2
  /// How long a subscriber that reads nothing is waited for, in milliseconds.
  private static let roomPatience: Int32 = 5000

  /// How many advertisements wait for the thread.
  package var waiting: Int { shared.withLock(\.queue.count) }

  /// How many clients have subscribed.
  package var subscribers: Int { shared.withLock(\.subscribers) }

  func report(_ news: News) {
    shared.withLock { if $0.news.count < Limits.news { $0.news.append(news) } }
  }

  /// Ends all connections; nothing is sent after this returns.
  package func stop() {
    wakeUp.stop()
    thread.withLock { $0.take() }?.join()
  }
}
