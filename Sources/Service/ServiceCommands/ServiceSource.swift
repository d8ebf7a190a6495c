// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconBlueZ
internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconService
internal import DBus
internal import Beacons

/// What a service receives, as the source of a run: the operator's stream.
///
/// A program that shows or sends it needs no right to the radio. A service that ends is found again.
final class ServiceSource: NetworkSource {
  let isLive = true
  let drops = Tally<DropReason>()
  private let bus: ServiceBus
  private let address: BusAddress
  private var stream: SightingStream?
  private var reception = SightingReception()
  private var given = Timestamp.earliest
  /// When the last line came, or time passed without one.
  private var heard = Uptime.now
  private var attempt = Uptime.now
  private var remarks: [String] = []

  /// How long a run waits for lines at a time, in milliseconds: a tick is late by that at most.
  private static let patience: Int32 = 100
  /// The service writes a line each second; after this long without one, time passes without it, as without a gateway.
  private static let silence = Duration.seconds(5)
  /// How long a start waits for the first line.
  private static let startPatience = Duration.seconds(5)
  /// How often a service that ended is looked for.
  private static let retryInterval = Duration.seconds(1)

  init(_ bus: ServiceBus, _ address: BusAddress) {
    self.bus = bus
    self.address = address
  }

  var receiverNames: [String] { reception.receiverNames }
  var utcOffset: TimeSpan? { WallClock.utcOffset(at: given) }

  func begin() async throws -> Timestamp? {
    do {
      stream = try await SightingStream(address)
    } catch let failure as BusFailure {
      throw CommandFailure(.unavailable, "the \(bus.rawValue) bus cannot be reached: \(failure)")
    } catch let error as CallError {
      throw ServiceConnection.failure(error, bus)
    }
    let start = Uptime.now
    while reception.reached == nil, receive(), Uptime.now < start + Self.startPatience {}
    guard let reached = reception.reached else {
      throw CommandFailure(
        .unavailable,
        "the service on the \(bus.rawValue) bus gives no sightings"
      )
    }
    given = reached - .seconds(1)
    return given
  }

  func next(until time: Timestamp?) async throws -> ScanBatch? {
    if stream == nil { await connectAgain() }
    if !receive() { lose() }
    let silent = Uptime.now - heard
    if silent > Self.silence {
      reception.advance(by: TimeSpan(microseconds: Int64(silent / .microseconds(1))))
      heard = Uptime.now
    }
    let batch = reception.drain(after: given)
    given = batch.upTo ?? given
    return batch
  }

  /// Takes the lines that came; returns false when no more come.
  private func receive() -> Bool {
    guard let lines = stream?.next(milliseconds: Self.patience) else { return false }
    for line in lines { reception.receive(line) }
    if !lines.isEmpty { heard = Uptime.now }
    return true
  }

  private func lose() {
    guard let ended = stream else { return }
    ended.close()
    stream = nil
    reception.lost()
    attempt = Uptime.now
    remarks.append("the service has ended; connecting again")
  }

  private func connectAgain() async {
    if Uptime.now < attempt + Self.retryInterval {
      try? await Task.sleep(for: .milliseconds(Int(Self.patience)))
      return
    }
    attempt = Uptime.now
    stream = try? await SightingStream(address)
    if stream != nil { remarks.append("connected to the service again") }
  }

  func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  func close() { stream?.close() }
}

extension AdditionalSource {
  /// The service, named with `--from service:` or `--from service:session`.
  package static let service = AdditionalSource(
    networkAt: { $0.hasPrefix(prefix) }
  ) { text, _ in
    let name = text.dropFirst(prefix.count)
    guard let bus = name.isEmpty ? .system : ServiceBus(rawValue: String(name)) else {
      throw UsageError("'\(text)' names no bus; write service: or service:session")
    }
    return { io in ServiceSource(bus, try bus.address(io.environment)) }
  }

  private static let prefix = "service:"
}
