// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum

/// Plays reports through the engine to a guide, and reads the guide's exhibit after every second of ranging.
struct GuidePlay {
  /// One second of ranging.
  struct Second {
    var time: Timestamp
    var view: GuideView
    var candidate: (exhibit: Int, confidence: Double)?
    var beacons: [RangedBeacon]
  }

  let plan: Plan
  let configuration: Configuration
  private let guide: Guide

  init(_ plan: Plan, _ settings: ConfigurationSettings) throws {
    self.plan = plan
    var configuration = Configuration(settings)
    try plan.calibrate(&configuration)
    self.configuration = configuration
    guide = Guide(plan, configuration: configuration, rules: GuideConfiguration(settings))
  }

  /// Plays the batches of one visit.
  func play(_ next: () -> ScanBatch?, each: (Second) -> Void) {
    var guide = guide
    guard let first = next(), let start = first.inputs.first?.time else { return }
    var driver = EngineDriver(configuration, startingAt: start)
    let client = driver.connect()
    func request(_ answer: ProgramAnswer<GuideEvent>, _ driver: inout EngineDriver) {
      for request in answer.requests { driver.request(request, by: client) }
    }
    request(guide.begin(nil), &driver)
    var batch: ScanBatch? = first
    while true {
      switch driver.next() {
      case .deliver(let deliveries):
        for delivery in deliveries {
          request(guide.answer(delivery), &driver)
          guard case .ranged(let entries) = delivery.event else { continue }
          each(
            Second(
              time: delivery.time,
              view: guide.view,
              candidate: guide.candidate,
              beacons: entries.flatMap(\.beacons)
            )
          )
        }
      case .pull:
        if let ready = batch.take() {
          driver.supply(ready)
        } else {
          batch = next()
          if batch == nil { driver.endSource(.atEnd(performingScheduled: false)) }
        }
      case .record, .willPerform, .recordAction, .sourceEnded: continue
      case .ended: return
      }
    }
  }
}

/// A forbidden showing of a guide: an exhibit of another room than the one it names, or one far less probable than another.
struct ViewFaults {
  /// How many times as probable another exhibit must be for the shown one to count as far behind.
  static let behind = 4.0

  private(set) var seconds = 0
  private(set) var inOtherRoom = 0
  private(set) var farBehind = 0
  private(set) var spans = 0
  private var longest = 0
  private var run = 0

  mutating func add(_ view: GuideView) {
    guard let exhibit = view.exhibit else {
      run = 0
      return
    }
    seconds += 1
    let isElsewhere = view.room.map { $0.major != exhibit.identity.major } ?? false
    let best = view.near.map(\.confidence).max() ?? 0
    let isBehind = best >= Self.behind * view.confidence
    if isElsewhere { inOtherRoom += 1 }
    if isBehind { farBehind += 1 }
    if isElsewhere || isBehind {
      if run == 0 { spans += 1 }
      run += 1
      longest = max(longest, run)
    } else {
      run = 0
    }
  }

  static func report(_ plan: Plan, _ settings: ConfigurationSettings, seeds: Range<Int>) throws {
    var faults = ViewFaults()
    let play = try GuidePlay(plan, settings)
    for seed in seeds {
      let world = try World(plan, seed: seed, visitors: 1, World.Change(differs: true))
      guard let visitor = world.day.visitors.first else { continue }
      var scan = world.scan(of: visitor)
      play.play({ scan.next() }, each: { faults.add($0.view) })
    }
    print(
      "WHAT THE GUIDE SHOWS: one visitor each of seeds \(seeds.lowerBound) to \(seeds.upperBound - 1)"
    )
    print("seconds with an exhibit                         \(faults.seconds)")
    print("of these in another room than the guide names   \(faults.inOtherRoom)")
    print("of these another exhibit is 4 times as probable \(faults.farBehind)")
    print("spans of such seconds, the longest in s         \(faults.spans), \(faults.longest)")
  }
}
