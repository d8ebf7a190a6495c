// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons

/// Notes the states of the receivers and the progress of a source.
struct RadioWatch: BatchTransform {
  private var radios: [UInt8: RadioReport] = [:]
  /// The receivers as any account may know them: as far as no report shows their states (law L3).
  private var forEveryone: [UInt8: RadioReport] = [:]
  private var stated = StatedStates()
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
        Self.set(UInt8(receiver), .listening, Self.unknown, names, in: &radios, &hasChanged)
        Self.set(UInt8(receiver), .listening, Self.unknown, names, in: &forEveryone, &hasChanged)
      }
    }
    for input in batch.inputs {
      switch input {
      case .report(let report), .level(let report):
        guard stated.isUndecided else { continue }
        note(stated.received(by: report.receiver, at: report.time), &hasChanged)
      case .radio(let receiver, let radio, let time):
        Self.set(receiver, radio, time, receivers, in: &radios, &hasChanged)
        // Both lists have the same receivers.
        Self.set(receiver, .listening, Self.unknown, receivers, in: &forEveryone, &hasChanged)
        note(stated.changed(receiver, to: radio, at: time), &hasChanged)
      default: note(stated.decide(before: input.time), &hasChanged)
      }
    }
    if let upTo = batch.upTo { note(stated.decide(before: upTo), &hasChanged) }
    if hasChanged {
      let all = Self.list(radios)
      emit(.radio(Self.state(of: all), all, forEveryone: Self.list(forEveryone)))
    }
    return batch
  }

  private static func list(_ radios: [UInt8: RadioReport]) -> [RadioReport] {
    radios.sorted { $0.key < $1.key }.map(\.value)
  }

  private mutating func note(_ items: [StatedStates.Item], _ hasChanged: inout Bool) {
    for item in items {
      Self.set(item.receiver, item.state, item.time, receivers, in: &forEveryone, &hasChanged)
    }
  }

  mutating func finish(receivers: [String]) -> ScanBatch? { nil }

  private static func set(
    _ receiver: UInt8,
    _ radio: RadioState,
    _ time: Timestamp,
    _ receivers: [String],
    in radios: inout [UInt8: RadioReport],
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
