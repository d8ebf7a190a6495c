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
    if names != receivers {
      receivers = names
      emit(.receivers(names))
    }
    var hasChanged = false
    for input in batch.inputs {
      switch input {
      case .radio(let receiver, let radio, let time):
        set(receiver, radio, time, &hasChanged)
      case .report(let report) where radios[report.receiver] == nil:
        // A capture need not say that its receiver listened.
        set(report.receiver, .listening, report.time, &hasChanged)
      default: break
      }
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
    guard radios[receiver]?.state != radio else { return }
    let name = Int(receiver) < receivers.count ? receivers[Int(receiver)] : "\(receiver)"
    radios[receiver] = RadioReport(name: name, state: radio, since: time)
    hasChanged = true
  }

  private static func state(of radios: [RadioReport]) -> SessionLimit.Radio {
    if radios.contains(where: { $0.state == .listening }) { return .listening }
    return radios.contains { $0.state == .deaf } ? .deaf : .off
  }
}
