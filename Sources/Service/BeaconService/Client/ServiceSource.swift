// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
public import BeaconCore
package import DBus
public import Beacons
internal import Synchronization

/// The receivers of a service as a source: the operator's stream.
///
/// A program that reads it needs no right to the radio, but that of the service's administrator. A service that ends is
/// found again.
public final class ServiceSource: ScanSource {
  /// A service that gives no sightings.
  package struct Silence: Error, CustomStringConvertible {
    package var description: String { "the service gives no sightings" }
  }

  private struct State {
    var stream: SightingStream?
    var reception = SightingReception()
    var given = Timestamp.earliest
    /// When the last line came, or time passed without one.
    var lastLine = Uptime.now
    var attempt = Uptime.now
    var remarks: [String] = []
    var news = ConnectionNews<Loss>()

    /// The only way to lose the service.
    enum Loss { case ended }

    init() { news.noteKnown() }

    mutating func remark(_ item: ConnectionNews<Loss>.Item?) {
      switch item {
      case .connected: remarks.append("connected to the service again")
      case .failed: remarks.append("the service has ended; connecting again")
      case nil: break
      }
    }
  }

  private let address: BusAddress
  private let state = Mutex(State())

  /// How long a call waits for lines: a tick is late by that at most.
  private static let patience = Duration.milliseconds(100)
  /// How often a call looks for lines; no thread waits.
  private static let look = Duration.milliseconds(20)
  /// The service writes a line each second; after this long without one, time passes without it, as without a gateway.
  private static let silence = Duration.seconds(5)
  /// How long a start waits for the first line.
  private static let startPatience = Duration.seconds(5)
  /// How often a service that ended is looked for.
  private static let retryInterval = Duration.seconds(1)

  /// Connects to a service.
  ///
  /// - Parameter bus: The bus of the service.
  /// - Throws: An error with a description if there is no bus or no service, or if it refuses or gives no sightings.
  public convenience init(service bus: ServiceBus) async throws {
    do {
      try await self.init(BusAddress(bus))
    } catch let error as CallError {
      throw ServiceEngine.Failure(error)
    } catch let failure as BusFailure {
      throw ServiceEngine.Failure.bus("\(failure)")
    }
  }

  /// Connects to the service of a bus.
  ///
  /// - Throws: ``BusFailure``, ``CallError``, or ``Silence``.
  package init(_ address: BusAddress) async throws {
    self.address = address
    let stream = try await SightingStream(address)
    state.withLock { $0.stream = stream }
    let end = Uptime.now + Self.startPatience
    while await receive(), Uptime.now < end {
      guard let reached = state.withLock(\.reception.reached) else { continue }
      state.withLock { $0.given = reached - .seconds(1) }
      return
    }
    stream.close()
    throw Silence()
  }

  deinit { stop() }

  /// The time until which everything was returned.
  public var now: Timestamp { state.withLock(\.given) }

  /// The names of the receivers so far.
  public var receiverNames: [String] { state.withLock(\.reception.receiverNames) }

  /// How far local time is ahead of UTC on this machine.
  public var utcOffset: TimeSpan? { WallClock.utcOffset(at: now) }

  /// Returns the inputs since the last call, after at most 100 ms.
  ///
  /// - Parameter deadline: Not needed, since no call waits long.
  /// - Returns: The inputs of whole seconds.
  public func next(until deadline: Timestamp?) async -> ScanBatch? {
    if state.withLock({ $0.stream == nil }) { await connectAgain() }
    if await !receive() { lose() }
    return state.withLock { state in
      let silent = Uptime.now - state.lastLine
      if silent > Self.silence {
        state.reception.advance(by: TimeSpan(microseconds: Int64(silent / .microseconds(1))))
        state.lastLine = Uptime.now
      }
      let batch = state.reception.drain(after: state.given)
      state.given = batch.upTo ?? state.given
      return batch
    }
  }

  /// Processes the lines that came; returns false when no more come.
  private func receive() async -> Bool {
    guard let stream = state.withLock(\.stream) else { return false }
    let end = Uptime.now + Self.patience
    var lines = stream.drain()
    while lines?.isEmpty ?? false, Uptime.now < end, !Task.isCancelled {
      try? await Task.sleep(for: Self.look)
      lines = stream.drain()
    }
    guard let lines else { return false }
    state.withLock { state in
      for line in lines { state.reception.receive(line) }
      if !lines.isEmpty { state.lastLine = Uptime.now }
    }
    return true
  }

  private func lose() {
    let ended = state.withLock { state in
      guard let ended = state.stream.take() else { return SightingStream?.none }
      state.reception.lost()
      state.attempt = Uptime.now
      state.remark(state.news.note(.failed(.ended), at: Uptime.now))
      return ended
    }
    ended?.close()
  }

  private func connectAgain() async {
    if Uptime.now < state.withLock(\.attempt) + Self.retryInterval {
      try? await Task.sleep(for: Self.patience)
      return
    }
    state.withLock { $0.attempt = Uptime.now }
    guard let stream = try? await SightingStream(address) else { return }
    state.withLock { state in
      state.stream = stream
      state.remark(state.news.note(.connected, at: Uptime.now))
    }
  }

  /// Returns the remarks for the user since the last call.
  public func drainRemarks() -> [String] {
    state.withLock { state in
      state.remark(state.news.due(at: Uptime.now))
      defer { state.remarks = [] }
      return state.remarks
    }
  }

  /// Ends the connection.
  public func stop() { state.withLock { $0.stream.take() }?.close() }
}
