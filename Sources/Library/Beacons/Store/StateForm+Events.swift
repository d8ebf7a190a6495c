// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension StateForm {
  /// The stored form of a crossing's explanation.
  struct ExplanationForm: Codable {
    var beacon: String?
    var reports: Int
    var rssi: Int8?
    var power: Int8?
    var distance: Double?
    var interval: Int64?
    var gap: Int64?
    /// Exactly one of the four has a value.
    var silence: Int64?
    var meters: Double?
    var count: Int?
    var wanted: String?
    var rule: String
    var place: String?
    var probability: Double?

    init(_ why: Explanation) {
      beacon = why.identity?.description
      reports = why.reports
      rssi = why.rssi
      power = why.power
      distance = why.distance.flatMap { $0.isFinite ? $0 : nil }
      interval = why.interval?.microseconds
      gap = why.gap?.microseconds
      rule = why.rule.rawValue
      place = why.place
      probability = why.probability.flatMap { $0.isFinite ? $0 : nil }
      switch why.threshold {
      case .silence(let span): silence = span.microseconds
      case .distance(let distance): meters = distance
      case .reports(let number): count = number
      case .place(let name): wanted = name
      }
    }

    var value: Explanation {
      get throws(Damage) {
        let threshold: Explanation.Threshold
        switch (silence, meters, count, wanted) {
        case (let silence?, nil, nil, nil): threshold = .silence(TimeSpan(microseconds: silence))
        case (nil, let meters?, nil, nil): threshold = .distance(meters: meters)
        case (nil, nil, let count?, nil): threshold = .reports(count)
        case (nil, nil, nil, let wanted?): threshold = .place(wanted)
        default: throw Damage(description: "an explanation without its one threshold")
        }
        var identity: BeaconIdentity?
        if let beacon { identity = try StateForm.identity(beacon) }
        return Explanation(
          identity: identity,
          reports: reports,
          rssi: rssi,
          power: power,
          distance: distance,
          interval: interval.map(TimeSpan.init(microseconds:)),
          gap: gap.map(TimeSpan.init(microseconds:)),
          threshold: threshold,
          rule: try named(rule),
          place: place,
          probability: probability
        )
      }
    }
  }

  /// The stored form of a region event that is held back until a provisional grant is decided.
  struct HeldEventForm: Codable {
    var region: String
    var entered: Bool?
    var state: String?
    var origin: String?
    var reason: String
    var why: ExplanationForm?

    /// Creates the form of a region event; `nil` for other events, which are never held back.
    init?(_ event: Event) {
      switch event {
      case .regionEntered(let region, let reason, let why):
        self.region = region.rawValue
        (entered, self.reason, self.why) = (true, reason.rawValue, ExplanationForm(why))
      case .regionExited(let region, let reason, let why):
        self.region = region.rawValue
        (entered, self.reason, self.why) = (false, reason.rawValue, ExplanationForm(why))
      case .regionState(let region, let state, let origin, let reason):
        self.region = region.rawValue
        (self.state, self.origin) = (state.description, origin.rawValue)
        self.reason = reason.rawValue
      default: return nil
      }
    }

    var value: Event {
      get throws(Damage) {
        let identifier = RegionIdentifier(region)
        let reason: RegionStateReason = try named(reason)
        if let state, let origin {
          return .regionState(identifier, try StateForm.state(state), try named(origin), reason)
        }
        guard let entered, let why = try why?.value else {
          throw Damage(description: "a held event that says neither a state nor a crossing")
        }
        return entered
          ? .regionEntered(identifier, reason, why) : .regionExited(identifier, reason, why)
      }
    }
  }

  /// The stored form of a monitor's event.
  struct MonitorEventForm: Codable {
    var condition: String
    var time: Int64
    var state: String
    var origin: String
    var reason: String
    var refinement: String?
    var why: ExplanationForm?

    init(_ event: MonitorEvent) {
      condition = event.identifier.rawValue
      time = event.time.microseconds
      state = event.state.rawValue
      origin = event.origin.rawValue
      reason = event.reason.rawValue
      refinement = event.refinement?.description
      why = event.why.map(ExplanationForm.init)
    }

    var value: MonitorEvent {
      get throws(Damage) {
        var beacon: BeaconIdentity?
        if let refinement { beacon = try identity(refinement) }
        return MonitorEvent(
          identifier: RegionIdentifier(condition),
          time: Timestamp(microseconds: time),
          state: try named(state),
          origin: try named(origin),
          reason: try named(reason),
          refinement: beacon,
          why: try why?.value
        )
      }
    }
  }
}
