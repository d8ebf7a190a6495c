// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// A visitor's guide through a museum: a client of the engine, and a pure state machine.
///
/// It follows the flow of Apple's talk on beacons (rows I7, G8, G20): it asks for authorization while in use, monitors
/// one region with the museum's UUID, ranges only while that region is inside, and shows the room and the exhibit. In a
/// room without beacons it stops ranging until the museum's beacons are received louder than in that room. Events go in
/// through ``process(_:at:)``. The guide answers with actions; the requests among them must be made immediately, at the time
/// of the event.
///
/// Under reduced accuracy the engine delivers nothing about received beacons. The guide then forgets the place of the
/// visitor, shows the reduced status, and asks for full accuracy only when the visitor wants what needs it.
///
/// ```swift
/// var guide = Guide(plan, configuration: configuration)
/// for action in guide.begin(status: .notDetermined, accuracy: .full) { perform(action) }
/// for action in guide.process(delivery.event, at: delivery.time) { perform(action) }
/// ```
public struct Guide: Sendable {
  /// The museum.
  public let plan: Plan
  /// The region the guide monitors: all beacons of the museum.
  public static let region = RegionIdentifier("museum")
  /// The region of the notification that greets a visitor while the guide is closed.
  public static let arrival = RegionIdentifier("museum.arrival")
  /// The region for a visitor in a room without beacons: it is entered when beacons are received louder than in that
  /// room.
  public static let nearer = RegionIdentifier("museum.nearer")
  /// The maximum number of remembered beacons that the plan does not contain; an attacker could send any number.
  static let strangerLimit = 1000
  /// How probable the first room must be: in the first second, rooms without beacons are as probable as large ones.
  static let firstRoom = 0.9

  private let rules: GuideConfiguration
  private let exponent: Double
  private let places: [BeaconIdentity: Int]
  private(set) var belief: PlaceBelief
  private var exhibit: Choice
  /// The exhibit on show: the chosen one, unless its visitor is leaving.
  private var shown: Int?
  /// The probability of being in each room, and not at a door, a second ago.
  private var inside: [Double] = []
  private var room: Choice
  private var rest: Rest
  private var desk: Desk
  private var announced: [Int: Timestamp] = [:]
  /// For how many seconds, weighted by sureness, the chosen exhibit was so probable that it may be announced.
  private var evidence: (exhibit: Int, time: Timestamp, seconds: Double)?
  private var near: [GuideView.Near] = []
  private var strangers: Set<BeaconIdentity> = []
  private var status = GuideStatus.looking
  private var authorization = AuthorizationStatus.notDetermined
  private var accuracy = AccuracyAuthorization.full
  /// Whether the visitor has the guide open.
  public internal(set) var isForeground = true
  private var isMonitoring = false
  private var isRanging = false
  private var isResting = false

  /// Creates a guide.
  ///
  /// - Parameters:
  ///   - plan: The museum.
  ///   - configuration: The engine's configuration; ``Plan/calibrate(_:)`` adds the plan's measurements to it.
  ///   - rules: The guide's own settings.
  public init(
    _ plan: Plan,
    configuration: Configuration = Configuration(),
    rules: GuideConfiguration = GuideConfiguration()
  ) {
    self.plan = plan
    self.rules = rules
    exponent = configuration.ranging.pathLoss.exponent ?? PathLoss.defaultExponent
    places = Dictionary(
      plan.exhibits.enumerated().map { ($1.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let exponent = plan.calibration.exponent ?? exponent
    belief = PlaceBelief(Places(plan, exponent: exponent, rules), rules)
    rest = Rest(plan, exponent: exponent, rules)
    desk = Desk(plan, rules)
    exhibit = Choice(
      Choice.Rule(
        confidence: rules.confidence,
        margin: rules.margin,
        dwell: rules.dwell,
        floor: 1 - rules.confidence,
        behind: rules.behind
      )
    )
    room = Choice(
      Choice.Rule(
        confidence: rules.roomConfidence,
        first: max(rules.roomConfidence, Self.firstRoom),
        margin: 1,
        dwell: rules.roomDwell,
        floor: 0
      )
    )
  }

  // MARK: The visitor's actions

  /// Starts the guide: it asks for authorization if the user has not decided yet, otherwise it monitors the museum.
  public mutating func begin(
    status: AuthorizationStatus,
    accuracy: AccuracyAuthorization
  ) -> [GuideAction] {
    authorization = status
    self.accuracy = accuracy
    var actions: [GuideAction] = []
    settle(&actions)
    return actions
  }

  /// Handles the visitor's opening of the guide; a temporary grant may have ended in the meantime.
  ///
  /// The engine then delivers the states of the guide's regions that changed out of use (row D8).
  public mutating func cameToForeground() -> [GuideAction] {
    isForeground = true
    var actions: [GuideAction] = []
    settle(&actions)
    return actions
  }

  /// Handles the visitor's closing of the guide.
  public mutating func wentToBackground() {
    isForeground = false
  }

  /// The control of `UserAction.press(control:)` with which the visitor asks for their place.
  public static let placeControl = "place"

  /// Handles the visitor's wish to see their place: asks for full accuracy for this use if it is reduced.
  public mutating func wantsPrecision() -> [GuideAction] {
    guard authorization.isAuthorized, accuracy == .reduced, let purpose else { return [] }
    return [.request(.authorize(.temporaryFull(purpose: purpose)))]
  }

  /// Forgets the visitor, for the next one: their place, the announcements, and how their body weakened the beacons.
  ///
  /// The permission is not the guide's to withdraw: `UserAction.nextVisitor` does both.
  public mutating func nextVisitor() -> [GuideAction] {
    let wasShowing = shown != nil
    belief.forgetVisitor()
    exhibit.forget()
    shown = nil
    inside = []
    room.forget()
    rest.forget()
    desk.forget()
    announced = [:]
    evidence = nil
    near = []
    isForeground = true
    return wasShowing ? [.emit(.exhibit(nil))] : []
  }

  /// The key of the purpose for full accuracy: the first one of the plan.
  private var purpose: String? { plan.manifest.purposes.first?.key }

  // MARK: Events from the engine

  /// Processes an event that was delivered to the guide.
  public mutating func process(_ event: Event, at time: Timestamp) -> [GuideAction] {
    var actions: [GuideAction] = []
    switch event {
    case .authorization(let status, let accuracy):
      (authorization, self.accuracy) = (status, accuracy)
      settle(&actions)
    case .regionState(Self.region, let state, _, _):
      process(state, &actions)
    case .regionState(Self.nearer, .inside, _, _), .failure(_, .region(Self.nearer)):
      endRest(&actions)
    case .ranged(let entries):
      for entry in entries where entry.constraint == plan.constraint {
        process(entry.beacons, at: time, &actions)
      }
    default: break
    }
    return actions
  }

  /// Adjusts the guide's requests to its grants.
  private mutating func settle(_ actions: inout [GuideAction]) {
    guard authorization.isAuthorized else {
      leave(for: authorization == .notDetermined ? .asking : .denied, &actions)
      if authorization == .notDetermined, isForeground {
        actions.append(.request(.authorize(.whenInUse)))
      }
      return
    }
    if !isMonitoring {
      isMonitoring = true
      actions.append(.request(.monitor(Region(Self.region, plan.constraint))))
      let arrival = Region(Self.arrival, plan.constraint, notifyOnExit: false)
      actions.append(.request(.notify(RegionNotification(arrival, repeats: true))))
    }
    guard accuracy == .full else {
      return leave(for: .reduced, &actions)
    }
    guard [.asking, .denied, .reduced].contains(status) else { return }
    leave(for: .looking, &actions)
    // The region's state may have been delivered or dropped earlier; a request for it is answered immediately.
    actions.append(.request(.requestState(Self.region)))
  }

  /// Ranges only while the region is inside; an unknown state does not count as inside (row G20).
  private mutating func process(_ state: RegionState, _ actions: inout [GuideAction]) {
    guard authorization.isAuthorized, accuracy == .full else { return }
    guard state == .inside else {
      leave(for: state == .outside ? .outside : .looking, &actions)
      return
    }
    change(to: .inside, &actions)
    guard !isRanging, !isResting else { return }
    isRanging = true
    actions.append(.request(.range(plan.constraint)))
  }

  /// Stops ranging and resets the knowledge of the visitor's place.
  private mutating func leave(for status: GuideStatus, _ actions: inout [GuideAction]) {
    stopRanging(&actions)
    if isResting {
      isResting = false
      actions.append(.request(.stopMonitoring(Self.nearer)))
    }
    rest.forget()
    belief.forget()
    exhibit.forget()
    shown = nil
    inside = []
    room.forget()
    evidence = nil
    near = []
    change(to: status, &actions)
  }

  private mutating func stopRanging(_ actions: inout [GuideAction]) {
    guard isRanging else { return }
    isRanging = false
    actions.append(.request(.stopRanging(plan.constraint)))
  }

  private mutating func change(to status: GuideStatus, _ actions: inout [GuideAction]) {
    guard self.status != status else { return }
    self.status = status
    actions.append(.emit(.status(status)))
  }

  // MARK: Rest

  /// Stops ranging in a room without beacons until beacons are received louder than there.
  private mutating func beginRest(receiving floor: Int8, _ actions: inout [GuideAction]) {
    stopRanging(&actions)
    isResting = true
    near = []
    let policy = EnterPolicy(sightings: Rest.sightings, rssiFloor: floor, window: Rest.window)
    actions.append(.request(.monitor(Region(Self.nearer, plan.constraint, enterPolicy: policy))))
  }

  private mutating func endRest(_ actions: inout [GuideAction]) {
    guard isResting else { return }
    isResting = false
    isRanging = true
    actions.append(.request(.stopMonitoring(Self.nearer)))
    actions.append(.request(.range(plan.constraint)))
  }

  // MARK: A second of ranging

  private mutating func process(
    _ beacons: [RangedBeacon],
    at time: Timestamp,
    _ actions: inout [GuideAction]
  ) {
    guard status == .inside else { return }
    var levels: [PlaceBelief.Level] = []
    var loudest: Double?
    for beacon in beacons {
      guard let exhibit = places[beacon.identity] else {
        if strangers.count < Self.strangerLimit { strangers.insert(beacon.identity) }
        continue
      }
      guard let rssi = beacon.rssi, let power = power(of: beacon, exhibit) else { continue }
      levels.append(PlaceBelief.Level(exhibit: exhibit, decibels: rssi - power))
      loudest = max(loudest ?? rssi, rssi)
    }
    belief.process(levels, at: time)
    let shares = belief.exhibitShares
    let rooms = belief.roomShares(plan.rooms.count)
    if room.weigh(rooms, at: time),
      let room = room.chosen.flatMap({ plan.rooms[safe: $0] })
    {
      actions.append(.emit(.room(room)))
    }
    if isElsewhere(exhibit.chosen) { exhibit.forget() }
    // An exhibit without its room would be named on less.
    if room.chosen != nil { _ = exhibit.weigh(shares, at: time) }
    let before = shown
    let inside = belief.insideShares(plan.rooms.count)
    shown = isLeaving(exhibit.chosen, inside) ? nil : exhibit.chosen
    self.inside = inside
    if shown != before {
      actions.append(.emit(.exhibit(showing(shares, isAnnounced: false, at: time))))
    }
    announce(shares, at: time, &actions)
    near = beacons.compactMap { beacon in
      guard let index = places[beacon.identity], beacon.proximity != .unknown else { return nil }
      return GuideView.Near(
        exhibit: plan.exhibits[index],
        proximity: beacon.proximity,
        isHeld: beacon.isHeld,
        distance: beacon.distance,
        confidence: shares[index]
      )
    }
    if desk.weigh(room.chosen, at: time) { actions.append(.emit(.returned)) }
    // At a desk the guide continues, or it would not know how long the device has been there.
    let isBare = exhibit.chosen == nil && !desk.isAt(room.chosen) && rest.isBare(room.chosen, rooms)
    if let floor = rest.weigh(isBare, receiving: loudest, offset: belief.offset, at: time) {
      beginRest(receiving: floor, &actions)
    }
  }

  /// Returns whether an exhibit is in another room than the one that the guide names.
  private func isElsewhere(_ index: Int?) -> Bool {
    guard let exhibit = index.flatMap({ plan.exhibits[safe: $0] }),
      let room = room.chosen.flatMap({ plan.rooms[safe: $0] })
    else { return false }
    return room.major != exhibit.identity.major
  }

  /// Returns whether the visitor may be at a door of an exhibit's room already, or beyond it.
  ///
  /// An exhibit on show stays for the next second of ranging; by its end they are through the door.
  private func isLeaving(_ index: Int?, _ inside: [Double]) -> Bool {
    guard let exhibit = index.flatMap({ plan.exhibits[safe: $0] }),
      let room = plan.rooms.firstIndex(where: { $0.major == exhibit.identity.major })
    else { return false }
    let (share, before) = (inside[room], self.inside[safe: room] ?? 0)
    guard 1 - share > rules.leaving else { return false }
    // A visitor who comes from a door gets less near to it.
    return share < before || share < rules.roomConfidence
  }

  /// Returns the beacon's power at 1 m: the plan's value, otherwise the one from which the engine estimated the
  /// distance.
  private func power(of beacon: RangedBeacon, _ exhibit: Int) -> Double? {
    if let power = plan.exhibits[exhibit].power ?? plan.calibration.power { return power }
    guard let filtered = beacon.filteredRSSI, let distance = beacon.distance?.meters,
      distance > 0
    else { return nil }
    return filtered + 10 * exponent * DeterministicMath.log10(distance)
  }

  private func showing(_ shares: [Double], isAnnounced: Bool, at time: Timestamp)
    -> GuideEvent.Showing?
  {
    guard let index = shown, let exhibit = plan.exhibits[safe: index] else { return nil }
    return GuideEvent.Showing(
      exhibit: exhibit,
      isAnnounced: isAnnounced,
      isKnown: !isAnnounced && isKnown(index, at: time),
      confidence: shares[safe: index] ?? 0
    )
  }

  /// Returns whether an exhibit was announced so recently that it is not announced again.
  private func isKnown(_ index: Int, at time: Timestamp) -> Bool {
    announced[index].map { time - $0 < rules.repeatAfter } ?? false
  }

  /// Announces the exhibit on show once it has been probable enough for a while, unless it was announced recently.
  private mutating func announce(
    _ shares: [Double],
    at time: Timestamp,
    _ actions: inout [GuideAction]
  ) {
    guard let index = exhibit.chosen else {
      evidence = nil
      return
    }
    // A share at a time is that of the second before it.
    if evidence?.exhibit != index { evidence = (index, time - .seconds(1), 0) }
    guard let before = evidence else { return }
    let (least, share) = (rules.announcingConfidence, shares[index])
    let part = (share - least) / (1 - least)
    let seconds = max(0, before.seconds + (time - before.time).seconds * part)
    evidence = (index, time, seconds)
    guard share >= least, seconds >= rules.announcingDwell.seconds, shown == index,
      !isKnown(index, at: time)
    else { return }
    announced[index] = time
    actions.append(.emit(.exhibit(showing(shares, isAnnounced: true, at: time))))
  }

  /// The exhibit that is announced when it is shown and has been probable for long enough, and how probable it is.
  package var candidate: (exhibit: Int, confidence: Double)? {
    exhibit.chosen.map { ($0, belief.exhibitShares[safe: $0] ?? 0) }
  }

  // MARK: The view

  /// The visitor's position on the room's floor; `nil` until it is known, or if the plan has no drawing.
  var position: Plan.Point? { room.chosen.flatMap(belief.middle) }

  /// The exhibit and room shown now.
  public var view: GuideView {
    let (room, exhibit) = (room.chosen, shown)
    return GuideView(
      status: status,
      room: room.flatMap { plan.rooms[safe: $0] },
      exhibit: exhibit.flatMap { plan.exhibits[safe: $0] },
      confidence: exhibit.flatMap { belief.exhibitShares[safe: $0] } ?? 0,
      position: position,
      spread: room.flatMap(belief.spread),
      near: near,
      strangers: strangers.sorted()
    )
  }
}
