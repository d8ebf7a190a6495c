// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Plays a recording of one visit through the engine and the guide, and says where the visitor was.
public struct VisitReplay: Sendable {
  private let plan: Plan
  private let configuration: Configuration
  private let exhibits: [BeaconIdentity: Int]
  private let rooms: [UInt16: Int]

  /// Takes the museum, and how the engine works; what the plan calibrates goes before the configuration's own.
  public init(_ plan: Plan, _ configuration: Configuration = Configuration()) {
    self.plan = plan
    var configuration = configuration
    // A plan that was read has no power that is no calibration.
    try? plan.calibrate(&configuration)
    self.configuration = configuration
    exhibits = Dictionary(
      plan.exhibits.enumerated().map { ($1.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    rooms = Dictionary(
      plan.rooms.enumerated().compactMap { index, room in room.major.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// What a recording held.
  public struct Played: Sendable {
    /// The visit; `nil` where the recording holds no input.
    public var visit: Visit?
    /// How many reports there were.
    public var reports: Int
  }

  /// Plays a recording to its end.
  ///
  /// - Parameter reader: The recording.
  /// - Returns: The visit, and how many reports were heard.
  /// - Throws: What the reader throws.
  public func play(_ reader: inout some AirReader) throws -> Played {
    var next = try reader.next()
    while let batch = next, batch.inputs.isEmpty { next = try reader.next() }
    guard let start = next?.inputs.first?.time else {
      return Played(visit: nil, reports: 0)
    }
    var engine = Engine(configuration, startingAt: start)
    var run = Run(self, startingAt: start)
    var told: [Delivery] = []
    let guide = engine.connect()
    engine.watchSightings()
    engine.request(.range(plan.constraint), by: guide, into: &told)
    while let batch = next {
      var index: Int? = 0
      while let from = index {
        index = engine.hear(batch, from: from, into: &told)
        run.take(&told)
      }
      next = try reader.next()
    }
    while engine.end(into: &told) { run.take(&told) }
    return Played(visit: run.end(at: engine.now), reports: engine.statistics.reports)
  }

  /// One recording being played.
  private struct Run {
    private let replay: VisitReplay
    private var choice = ExhibitChoice()
    private var recorder: VisitRecorder
    private var strangers: [BeaconIdentity: Int] = [:]

    /// Foreign beacons beyond so many are counted under none of their names: the air could make them up without end.
    private static let mostStrangers = 1000

    init(_ replay: VisitReplay, startingAt start: Timestamp) {
      self.replay = replay
      recorder = VisitRecorder(startingAt: start)
    }

    mutating func take(_ told: inout [Delivery]) {
      for delivery in told {
        switch delivery.event {
        case .sighting(let sighting): count(sighting.identity)
        case .ranged(let entries): tick(entries, at: delivery.time)
        default: break
        }
      }
      told.removeAll(keepingCapacity: true)
    }

    private mutating func count(_ identity: BeaconIdentity) {
      guard replay.exhibits[identity] == nil else { return }
      guard strangers[identity] != nil || strangers.count < Self.mostStrangers else { return }
      strangers[identity, default: 0] += 1
    }

    private mutating func tick(_ entries: [ConstraintRanging], at time: Timestamp) {
      let beacons = entries.first?.beacons ?? []
      choice.hear(beacons)
      let exhibit = choice.exhibit.flatMap { replay.exhibits[$0] }
      let room = choice.exhibit.flatMap { replay.rooms[$0.major] }
      recorder.note(room: room, exhibit: exhibit, at: time)
      if let beacon = beacons.first(where: { $0.identity == choice.exhibit }) {
        recorder.note(beacon.proximity, at: time)
      }
    }

    mutating func end(at time: Timestamp) -> Visit {
      recorder.note(
        strangers: strangers.map { Visit.Stranger(identity: $0.key, reports: $0.value) }
          .sorted { $0.identity < $1.identity }
      )
      return recorder.end(at: time)
    }
  }
}
