// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons
internal import Synchronization

/// A source that reports the states of its receivers and its progress; its inputs are those of the other source.
final class WatchedSource: ScanSource {
  private struct State: Sendable {
    var radios: [UInt8: RadioReport] = [:]
    var moves: UInt64 = 0
    var receivers: [String] = []
  }

  private let source: any ScanSource
  private let state = Mutex(State())
  private let emit: @Sendable (EngineNews) -> Void
  /// A service cannot wait for its clients, also where it replays a capture.
  let isLive = true

  init(_ source: any ScanSource, emitting emit: @escaping @Sendable (EngineNews) -> Void) {
    self.source = source
    self.emit = emit
  }

  var now: Timestamp { get async throws { try await source.now } }
  var receiverNames: [String] { get async { await source.receiverNames } }
  var utcOffset: TimeSpan? { get async { await source.utcOffset } }

  /// How often the engine asked for inputs.
  var moves: UInt64 { state.withLock(\.moves) }

  func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    state.withLock { $0.moves &+= 1 }
    let batch = try await source.next(until: deadline)
    guard let batch else { return nil }
    let names = await source.receiverNames
    note(batch, names)
    return batch
  }

  private func note(_ batch: ScanBatch, _ names: [String]) {
    var changes: [RadioReport]?
    var newNames: [String]?
    state.withLock { state in
      if names != state.receivers {
        state.receivers = names
        newNames = names
      }
      for input in batch.inputs {
        switch input {
        case .radio(let receiver, let radio, let time):
          Self.set(receiver, radio, time, names, &state, &changes)
        case .report(let report) where state.radios[report.receiver] == nil:
          // A capture need not say that its receiver listened.
          Self.set(report.receiver, .listening, report.time, names, &state, &changes)
        default: break
        }
      }
    }
    if let newNames { emit(.receivers(newNames)) }
    if let changes { emit(.radio(Self.state(of: changes), changes)) }
  }

  private static func set(
    _ receiver: UInt8,
    _ radio: RadioState,
    _ time: Timestamp,
    _ names: [String],
    _ state: inout State,
    _ changes: inout [RadioReport]?
  ) {
    let name = Int(receiver) < names.count ? names[Int(receiver)] : "\(receiver)"
    guard state.radios[receiver]?.state != radio else { return }
    state.radios[receiver] = RadioReport(name: name, state: radio, since: time)
    changes = state.radios.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func state(of radios: [RadioReport]) -> SessionLimit.Radio {
    if radios.contains(where: { $0.state == .listening }) { return .listening }
    return radios.contains { $0.state == .deaf } ? .deaf : .off
  }
}
