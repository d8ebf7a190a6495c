// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Replays the recording of one visit through the engine and the guide, and finds the visitor's places.
public struct VisitReplay: Sendable {
  private let configuration: Configuration
  private let rules: GuideConfiguration
  /// A guide that has not started; each visit uses a copy, because creating one computes all places of the plan.
  private let guide: Guide
  private let exhibits: [BeaconIdentity: Int]
  private let rooms: [Plan.Room]

  /// Creates a replay.
  ///
  /// - Parameters:
  ///   - plan: The museum; its calibration replaces that of the configuration.
  ///   - configuration: The engine's configuration.
  ///   - rules: The guide's settings.
  public init(
    _ plan: Plan,
    _ configuration: Configuration = Configuration(),
    rules: GuideConfiguration = GuideConfiguration()
  ) {
    var configuration = configuration
    // A plan read from a file has only powers that can be a calibration.
    try? plan.calibrate(&configuration)
    self.configuration = configuration
    self.rules = rules
    guide = Guide(plan, configuration: configuration, rules: rules)
    exhibits = Dictionary(
      plan.exhibits.enumerated().map { ($1.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    rooms = plan.rooms
  }

  /// The result of replaying a recording.
  public struct Played: Sendable {
    /// The visit; `nil` if the recording contains no input.
    public var visit: Visit?
    /// The number of reports.
    public var reports: Int
    /// How many reports came from beacons of the plan.
    public var planReports = 0
    /// The guide's announcements, in the order of time.
    public var announcements: [Announcement] = []
    /// The guide's showings, in the order of time; the visit's own stays come from the analysis afterwards.
    public var showings: [Showing] = []
    /// The times at which the guide ranged, in order.
    public var rangings: [Range<Timestamp>] = []
    /// The rooms as the guide named them; those of the visit come from the analysis afterwards.
    public var rooms: [Visit.RoomStay] = []
    /// The sketch by which copies of the recording are recognized.
    var sketch = RecordingSketch()
  }

  /// Connects the client of a replay.
  package typealias Connecting = (inout RunContext) -> ClientID?

  /// An exhibit announced to the visitor.
  public struct Announcement: Sendable, Hashable {
    /// The exhibit's index in the plan.
    public var exhibit: Int
    /// The time of the announcement.
    public var time: Timestamp

    /// Creates an announcement.
    public init(exhibit: Int, time: Timestamp) {
      (self.exhibit, self.time) = (exhibit, time)
    }
  }

  /// A time at which an exhibit was shown to the visitor.
  public struct Showing: Sendable, Hashable {
    /// The exhibit's index in the plan.
    public var exhibit: Int
    /// When it started.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp
  }

  /// Replays a recording to its end.
  ///
  /// - Parameter reader: The recording.
  /// - Returns: The visit and the guide's actions.
  /// - Throws: The reader's errors.
  package func play(_ reader: inout some ScanReader) throws -> Played {
    try play(&reader, unless: {})
  }

  /// Replays a recording to its end, unless a check before each batch throws.
  ///
  /// - Parameters:
  ///   - reader: The recording.
  ///   - user: Performs the recorded actions of the visitor; `nil` for none.
  ///   - connect: Connects the guide, by default with every permission.
  ///   - check: The check.
  /// - Returns: The visit and the guide's actions.
  /// - Throws: The errors of the reader, the participant and the check.
  package func play(
    _ reader: inout some ScanReader,
    by user: (any RunParticipant)? = nil,
    connecting connect: @escaping Connecting = { $0.driver?.connect() },
    unless check: () throws -> Void
  ) throws -> Played {
    try check()
    var next = try reader.next()
    while let batch = next, batch.inputs.isEmpty { next = try reader.next() }
    guard let start = next?.inputs.first?.time else {
      return Played(visit: nil, reports: 0)
    }
    let walk = Walk(self, startingAt: start, connect)
    var unheard = UnheardTimes(configuration.timing)
    var sketch = RecordingSketch()
    var run = RunCore(
      RunEngine(EngineDriver(configuration, startingAt: start)),
      participants: (user.map { [$0] } ?? []) + [walk]
    )
    try run.begin()
    while true {
      switch try run.advance() {
      case .batch:
        try check()
        if let batch = try next.take() ?? reader.next() {
          unheard.add(batch)
          sketch.add(batch)
          try run.supply(batch, receivers: [])
        } else {
          try run.end(.sourceEnded)
        }
      case .programs, .deliveries, .user, .draining: continue
      case .ended:
        let now = run.context.now
        sketch.end(from: start, until: now)
        let visit = walk.end(at: now, unheard: unheard.all(until: now))
        return Played(
          visit: visit,
          reports: run.context.engine.statistics?.reports ?? 0,
          planReports: walk.planReports,
          announcements: walk.announcements,
          showings: walk.showings,
          rangings: walk.rangings,
          rooms: walk.rooms,
          sketch: sketch
        )
      }
    }
  }

  /// The replay of one recording.
  private final class Walk: RunParticipant {
    private let replay: VisitReplay
    private let connect: Connecting
    private var guide: Guide
    private var room: Int?
    private var exhibit: Int?
    private var shown: Showing?
    private var smoother: Smoother
    private var recorder: VisitRecorder
    private(set) var announcements: [Announcement] = []
    private(set) var showings: [Showing] = []
    private(set) var rangings: [Range<Timestamp>] = []
    private var rangingSince: Timestamp?
    /// The times in which the guide was not allowed to know the place.
    private var limited: [Range<Timestamp>] = []
    private var limitedSince: Timestamp?
    private var strangers: [BeaconIdentity: Int] = [:]
    private(set) var planReports = 0

    /// The maximum number of foreign beacons that are counted; a sender could make up any number.
    private static let mostStrangers = 1000

    init(_ replay: VisitReplay, startingAt start: Timestamp, _ connect: @escaping Connecting) {
      (self.replay, self.connect) = (replay, connect)
      guide = replay.guide
      smoother = Smoother(replay.rules)
      recorder = VisitRecorder(startingAt: start)
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins:
        run.driver?.watchSightings()
        run.client = connect(&run)
        perform(guide.begin(run.snapshot), at: run.now, &run)
        noteLimit(run)
      case .delivered(let deliveries):
        process(deliveries, &run)
        noteLimit(run)
      case .recordedAction(let action):
        perform(action.action, &run)
        noteLimit(run)
      case .settled: noteLimit(run)
      default: break
      }
    }

    /// Lets the guide answer an action of its visitor.
    private func perform(_ action: UserAction, _ run: inout RunContext) {
      // Only a shown notification can be tapped.
      if case .tapNotification = action, let client = run.client,
        run.driver?.isForeground(client) == false
      {
        return
      }
      perform(guide.answer(action), at: run.now, &run)
      if case .start = action { perform(guide.begin(run.snapshot), at: run.now, &run) }
    }

    /// Notes from when until when the guide may not know the place.
    private func noteLimit(_ run: borrowing RunContext) {
      let isAllowed =
        run.snapshot.map {
          $0.withholding == nil && ($0.isInUse || $0.effective == .always)
        } ?? true
      if !isAllowed { limitedSince = limitedSince ?? run.now }
      if isAllowed { endLimit(at: run.now) }
    }

    private func endLimit(at time: Timestamp) {
      if let limitedSince, limitedSince < time { limited.append(limitedSince..<time) }
      limitedSince = nil
    }

    /// Passes deliveries to the guide, makes its requests, and notes the visitor's place.
    private func process(_ deliveries: [Delivery], _ run: inout RunContext) {
      for delivery in deliveries {
        if case .sighting(let sighting) = delivery.event {
          count(sighting.identity)
          continue
        }
        perform(guide.answer(delivery), at: delivery.time, &run)
        if case .ranged(let entries) = delivery.event {
          look(back: entries, at: delivery.time)
        }
      }
    }

    private func perform(
      _ answer: ProgramAnswer<GuideEvent>,
      at time: Timestamp,
      _ run: inout RunContext
    ) {
      for request in answer.requests {
        run.engine.request(request, by: run.client)
        note(request, at: time)
      }
      for event in answer.notices { note(event, at: time) }
    }

    private func note(_ request: ClientRequest, at time: Timestamp) {
      switch request {
      case .range: rangingSince = time
      case .stopRanging: endRanging(at: time)
      default: break
      }
    }

    private func endRanging(at time: Timestamp) {
      if let rangingSince { rangings.append(rangingSince..<max(rangingSince, time)) }
      rangingSince = nil
    }

    private func note(_ event: GuideEvent, at time: Timestamp) {
      switch event {
      case .status(.inside), .returned: return
      case .status: (room, exhibit) = (nil, nil)
      case .room(let known): room = replay.rooms.firstIndex(of: known)
      case .exhibit(let showing):
        exhibit = showing.flatMap { replay.exhibits[$0.exhibit.identity] }
        if let exhibit, showing?.isAnnounced ?? false {
          announcements.append(Announcement(exhibit: exhibit, time: time))
        }
      }
      recorder.note(room: room, at: time)
      show(at: time)
    }

    /// Notes the exhibit shown from a time on.
    private func show(at time: Timestamp) {
      guard shown?.exhibit != exhibit else { return }
      if var shown {
        shown.end = time
        showings.append(shown)
      }
      shown = exhibit.map { Showing(exhibit: $0, start: time, end: time) }
    }

    private func look(back entries: [ConstraintRanging], at time: Timestamp) {
      let reaches = entries.flatMap(\.beacons).compactMap { beacon in
        replay.exhibits[beacon.identity].map { ($0, beacon.proximity) }
      }
      for estimate in smoother.add(guide.belief, reaches: reaches, at: time) {
        recorder.note(estimate)
      }
    }

    private func count(_ identity: BeaconIdentity) {
      guard replay.exhibits[identity] == nil else {
        planReports += 1
        return
      }
      guard strangers[identity] != nil || strangers.count < Self.mostStrangers else { return }
      strangers[identity, default: 0] += 1
    }

    /// The rooms as the guide named them.
    var rooms: [Visit.RoomStay] { recorder.named }

    func end(at time: Timestamp, unheard: [Range<Timestamp>]) -> Visit {
      exhibit = nil
      endLimit(at: time)
      show(at: time)
      endRanging(at: time)
      smoother.end(guide.belief.places).forEach { recorder.note($0) }
      recorder.note(
        strangers: strangers.map { Visit.Stranger(identity: $0.key, reports: $0.value) }
          .sorted { $0.identity < $1.identity }
      )
      return recorder.end(at: time, unheard: unheard, limited: limited)
    }
  }
}
