// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons
package import ESPHomeAPI
internal import Synchronization
internal import SystemKit

/// A proxy, and the key of its connections.
package struct ProxyAccess: Sendable {
  package let address: ProxyAddress
  /// The key; `nil` for connections without encryption.
  package let key: APIKey?

  package init(_ address: ProxyAddress, _ key: APIKey?) {
    (self.address, self.key) = (address, key)
  }
}

/// Connections to proxies that are kept up, on a separate thread; no call waits.
final class ProxyLinks: Sendable {
  /// What happened.
  enum News: Sendable, Equatable {
    /// A proxy sends its advertisements here, for the first time.
    case subscribed(Int)
    /// A proxy has not answered while the start waited for it; others may have.
    case unanswered(Int, hasOthers: Bool)
    /// The connection was lost, or cannot be made.
    case failed(Int, ProxyFault)
    /// It is there again.
    case connectedAgain(Int)
    case reception(ProxyReception.Remark)
    /// This program did not run for so long.
    case stalled(TimeSpan)
  }

  struct Shared {
    var reception: ProxyReception
    var news: [News] = []
    /// The proxies that are subscribed to, or why not; `nil` before the first attempt has ended.
    var outcomes: [Result<Void, ProxyFault>?]
    /// Whether the timeline was read.
    var hasBegun = false
  }

  /// The most news that wait for the user.
  private static let newsLimit = 1000

  let accesses: [ProxyAccess]
  let clock: SourceTimeline
  let wakeUp: WakePipe
  let library: SodiumLibrary?
  private let shared: Mutex<Shared>

  /// - Throws: `SystemError`, or ``SodiumLibrary/Missing`` if a proxy has a key.
  init(_ accesses: [ProxyAccess], _ clock: SourceTimeline) throws {
    (self.accesses, self.clock) = (accesses, clock)
    library = accesses.contains { $0.key != nil } ? try SodiumLibrary.load() : nil
    guard let wakeUp = WakePipe() else { throw SystemError(24, .make, "a pipe") }
    self.wakeUp = wakeUp
    let names = accesses.map(\.address.name)
    let reception = ProxyReception(names, at: clock.now)
    shared = Mutex(Shared(reception: reception, outcomes: names.map { _ in nil }))
    // The thread keeps the links until it has ended, not the other way round.
    guard SystemThread({ [self] in ProxyLoop(self).run() }) != nil else {
      throw SystemError(11, .make, "a thread")
    }
  }

  func withShared<Result>(_ body: (inout sending Shared) -> sending Result) -> sending Result {
    shared.withLock(body)
  }

  /// Returns what happened since the last call.
  func drainNews() -> [News] {
    shared.withLock { shared in
      defer { shared.news = [] }
      return shared.news + shared.reception.drainRemarks().map { .reception($0) }
    }
  }

  func report(_ news: News) {
    shared.withLock { if $0.news.count < Self.newsLimit { $0.news.append(news) } }
  }

  /// Asks the thread to end the connections, and itself.
  func stop() { wakeUp.stop() }
}
