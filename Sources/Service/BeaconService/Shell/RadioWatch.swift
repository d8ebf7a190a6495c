// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons

/// Notes the states of the receivers and the progress of a source.
struct RadioWatch: BatchTransform {
  private var radios: [UInt8: RadioReport] = [:]
  private var receivers: [String] = []
  /// How many batches the engine got.
  private(set) var moves: UInt64 = 0
  private let emit: @Sendable (EngineNews) -> Void

  init(emitting emit: @escaping @Sendable (EngineNews) -> Void) {
    self.emit = emit
  }

  mutating func add(_ batch: ScanBatch, receivers names: [String]) -> ScanBatch {
    moves &+= 1
    var hasChanged = false
    if names != receivers {
      receivers = names
      emit(.receivers(names))
      // A capture need not say that its receiver listens. Its first report would tell every account that a device came (law L3).
      for receiver in names.indices.prefix(256) {
        set(UInt8(receiver), .listening, Self.unknown, &hasChanged)
      }
    }
    for case .radio(let receiver, let radio, let time) in batch.inputs {
      set(receiver, radio, time, &hasChanged)
    }
    if hasChanged {
      let all = radios.sorted { $0.key < $1.key }.map(\.value)
      emit(.radio(Self.state(of: all), all))
    }
    return batch
  }

  mutating func finish(receivers: [String]) -> ScanBatch? { nil }

  private mutating func set(
    _ receiver: UInt8,
    _ radio: RadioState,
    _ time: Timestamp,
    _ hasChanged: inout Bool
  ) {
    if let known = radios[receiver] {
      guard time != Self.unknown, known.state != radio || known.since == Self.unknown else {
        return
      }
    }
    let name = Int(receiver) < receivers.count ? receivers[Int(receiver)] : "\(receiver)"
    radios[receiver] = RadioReport(name: name, state: radio, since: time)
    hasChanged = true
  }

  /// Since when a receiver listens whose state the source leaves out.
  private static let unknown = Timestamp(microseconds: 0)

  private static func state(of radios: [RadioReport]) -> SessionLimit.Radio {
    if radios.contains(where: { $0.state == .listening }) { return .listening }
    return radios.contains { $0.state == .deaf } ? .deaf : .off
  }
}
