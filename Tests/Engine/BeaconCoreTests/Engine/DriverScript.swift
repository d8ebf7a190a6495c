// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport

@testable import BeaconCore

/// Random inputs, actions and answers, on a coarse grid of times so that inputs, actions and deadlines coincide.
struct DriverScript {
  var batches: [ScanBatch] = []
  var actions: [TimedUserAction] = []
  let seed: UInt64

  /// The client that runs the script's program.
  static let client = ClientID(number: 0)
  static let museum = IdentityConstraint.uuid(TestScan.museum)

  /// - Parameters:
  ///   - seed: The seed of everything random.
  ///   - batchSize: How many inputs a batch has; random without it.
  ///   - hasGaps: Whether the source has long silences.
  init(seed: UInt64, batchSize: Int? = nil, hasGaps: Bool = true) {
    self.seed = seed
    let hasGaps = hasGaps && seed.isMultiple(of: 2)
    var random = SplitMix64(seed: seed)
    var time = 0.25
    var batch = ScanBatch()
    let end = Double.random(in: 20...60, using: &random)
    while time < end {
      time += Double(Int.random(in: 0...3, using: &random)) * 0.25
      if hasGaps, Int.random(in: 0..<40, using: &random) == 0 { time += 70 }
      let late = Int.random(in: 0..<8, using: &random) == 0 ? 0.5 : 0
      Self.add(to: &batch, at: max(0.25, time - late), &random)
      let limit = batchSize ?? Int.random(in: 1...12, using: &random)
      guard batch.inputs.count >= limit else { continue }
      if batchSize == nil, Bool.random(using: &random) {
        time += 0.25
        batch.upTo = TestScan.at(time)
      }
      batches.append(batch)
      batch = ScanBatch()
    }
    batches.append(batch)
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let step = Double(Int.random(in: 0...Int(end * 4), using: &random)) * 0.25
      // In recordings, actions are a microsecond after inputs and deadlines.
      let offset: Int64 = Bool.random(using: &random) ? 1 : 0
      actions.append(
        TimedUserAction(
          time: TestScan.at(step) + TimeSpan(microseconds: offset),
          client: Self.client,
          action: Self.action(&random)
        )
      )
    }
  }

  private static func add(to batch: inout ScanBatch, at time: Double, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<30, using: &random) {
    case 0:
      let state = RadioState.allCases.randomElement(using: &random) ?? .listening
      batch.inputs.append(.radio(receiver: 0, state, TestScan.at(time)))
    case 1, 2: batch.inputs.append(.radio(receiver: 0, .listening, TestScan.at(time)))
    case 3, 4: batch.inputs.append(.mark(TestScan.at(time)))
    default:
      let report = AdvertisingReport(
        time: TestScan.at(time),
        rssi: Int8.random(in: -90 ... -40, using: &random),
        payloadStart: 0,
        payloadCount: 0
      )
      let beacon = TestScan.beacon(1, UInt16.random(in: 1...3, using: &random))
      let payload = BeaconEncoder.advertisingData(beacon, measuredPower: -59)
      batch.append(report, payload: payload)
    }
  }

  private static func action(_ random: inout SplitMix64) -> UserAction {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: .background
    case 2, 3: .foreground
    case 4: .settings(precise: Bool.random(using: &random))
    case 5: .services(on: Bool.random(using: &random))
    case 6: .screenOn
    default: .settings(authorization: .whileUsing, precise: true)
    }
  }

  /// The client's manifest and its earlier grants.
  static let manifest = Manifest(whenInUse: "To guide you.")
  static let saved = SavedClient(
    authorization: SavedAuthorization(status: .authorizedWhenInUse)
  )

  /// The program's requests at its start.
  static let firstRequests: [ClientRequest] = [
    .monitor(Region("one", .minor(TestScan.beacon(1, 1)), exitTiming: .fixed(.seconds(3)))),
    .monitor(Region("all", museum, exitTiming: .fixed(.seconds(5)))), .range(museum),
  ]

  /// The program's requests in answer to a delivery, and what its user then does at once.
  func answer(to delivery: Delivery, number: Int) -> (requests: [ClientRequest], UserAction?) {
    guard case .client = delivery.recipient else { return ([], nil) }
    var random = SplitMix64(seed: seed &+ UInt64(number) &* 977)
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return ([.stopRanging(Self.museum)], nil)
    case 1, 2: return ([.range(Self.museum)], nil)
    case 3: return ([.requestState("all")], nil)
    case 4: return ([.range(.minor(TestScan.beacon(1, 2))), .requestState("one")], nil)
    case 5: return ([], Self.action(&random))
    default: return ([], nil)
    }
  }
}

/// The result of a run.
struct DriverLog: Equatable {
  var deliveries: [Delivery] = []
  var records: [Record] = []

  /// What a recorder received.
  enum Record: Equatable {
    case input(ScanInput, [UInt8], Timestamp)
    case reached(Timestamp)
    case action(TimedUserAction)
  }

  mutating func add(_ slice: ScanSlice) {
    for (input, time) in zip(slice.batch.inputs[slice.range], slice.admitted) {
      var payload: [UInt8] = []
      if case .report(let report) = input { payload = Array(slice.batch.payload(of: report)) }
      records.append(.input(input, payload, time))
    }
    if let time = slice.upTo { records.append(.reached(time)) }
  }
}
