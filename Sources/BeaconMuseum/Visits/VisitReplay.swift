// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Plays a recording of one visit through the engine and the guide, and says where the visitor was.
public struct VisitReplay: Sendable {
  private let configuration: Configuration
  /// A guide that has not begun: each visit takes a copy, since making one lays out the whole plan.
  private let guide: Guide
  private let exhibits: [BeaconIdentity: Int]
  private let rooms: [Plan.Room]

  /// Takes the museum, and how the engine works; what the plan calibrates goes before the configuration's own.
  public init(_ plan: Plan, _ configuration: Configuration = Configuration()) {
    var configuration = configuration
    // A plan that was read has no power that is no calibration.
    try? plan.calibrate(&configuration)
    self.configuration = configuration
    guide = Guide(plan, configuration: configuration)
    exhibits = Dictionary(
      plan.exhibits.enumerated().map { ($1.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    rooms = plan.rooms
  }

  /// What a recording held.
  public struct Played: Sendable {
    /// The visit; `nil` where the recording holds no input.
    public var visit: Visit?
    /// How many reports there were.
    public var reports: Int
    /// What the guide announced, in the order of time.
    public var announcements: [Announcement] = []
  }

  /// An exhibit announced to the visitor.
  public struct Announcement: Sendable, Hashable {
    /// The exhibit, an index into the plan.
    public var exhibit: Int
    /// When.
    public var time: Timestamp

    /// Creates an announcement.
    public init(exhibit: Int, time: Timestamp) {
      (self.exhibit, self.time) = (exhibit, time)
    }
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
    engine.watchSightings()
    run.begin(&engine, into: &told)
    while let batch = next {
      var index: Int? = 0
      while let from = index {
        index = engine.hear(batch, from: from, into: &told)
        run.take(&told, from: &engine)
      }
      next = try reader.next()
    }
    while engine.end(into: &told) { run.take(&told, from: &engine) }
    return Played(
      visit: run.end(at: engine.now),
      reports: engine.statistics.reports,
      announcements: run.announcements
    )
  }

  /// One recording being played.
  private struct Run {
    private let replay: VisitReplay
    private var guide: Guide
    private var client: ClientID?
    private var room: Int?
    private var exhibit: BeaconIdentity?
    private var recorder: VisitRecorder
    private(set) var announcements: [Announcement] = []
    private var strangers: [BeaconIdentity: Int] = [:]

    /// Foreign beacons beyond so many are not counted: the air could make them up without end.
    private static let mostStrangers = 1000

    init(_ replay: VisitReplay, startingAt start: Timestamp) {
      self.replay = replay
      guide = replay.guide
      recorder = VisitRecorder(startingAt: start)
    }

    /// Connects the guide, as one that may know all: a report is the operator's.
    mutating func begin(_ engine: inout Engine, into told: inout [Delivery]) {
      let client = engine.connect()
      self.client = client
      let actions = guide.begin(status: .authorizedAlways, accuracy: .full)
      perform(actions, at: engine.now, &engine, into: &told)
      take(&told, from: &engine)
    }

    /// Hands what was told to the guide, and what that asks for to the engine, until neither has more.
    mutating func take(_ told: inout [Delivery], from engine: inout Engine) {
      var next = 0
      while next < told.count {
        let delivery = told[next]
        next += 1
        if case .sighting(let sighting) = delivery.event {
          count(sighting.identity)
          continue
        }
        let actions = guide.take(delivery.event, at: delivery.time)
        perform(actions, at: delivery.time, &engine, into: &told)
        if case .ranged(let entries) = delivery.event {
          noteReach(entries, at: delivery.time)
          if let position = guide.position { recorder.note(position, at: delivery.time) }
        }
      }
      told.removeAll(keepingCapacity: true)
    }

    private mutating func perform(
      _ actions: [GuideAction],
      at time: Timestamp,
      _ engine: inout Engine,
      into told: inout [Delivery]
    ) {
      for action in actions {
        switch action {
        case .request(let request):
          if let client { engine.request(request, by: client, into: &told) }
        case .tell(let event): note(event, at: time)
        }
      }
    }

    private mutating func note(_ event: GuideEvent, at time: Timestamp) {
      switch event {
      case .status(.inside): return
      case .status: (room, exhibit) = (nil, nil)
      case .room(let known): room = replay.rooms.firstIndex(of: known)
      case .exhibit(let showing): exhibit = showing?.exhibit.identity
      }
      let number = exhibit.flatMap { replay.exhibits[$0] }
      if case .exhibit(let showing?) = event, showing.isAnnounced, let number {
        announcements.append(Announcement(exhibit: number, time: time))
      }
      recorder.note(room: room, exhibit: number, at: time)
    }

    private mutating func noteReach(_ entries: [ConstraintRanging], at time: Timestamp) {
      guard let exhibit else { return }
      for entry in entries {
        guard let beacon = entry.beacons.first(where: { $0.identity == exhibit }) else { continue }
        return recorder.note(beacon.proximity, at: time)
      }
    }

    private mutating func count(_ identity: BeaconIdentity) {
      guard replay.exhibits[identity] == nil else { return }
      guard strangers[identity] != nil || strangers.count < Self.mostStrangers else { return }
      strangers[identity, default: 0] += 1
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
