// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Turns a run's inputs and deliveries into the rows of its history.
///
/// It is pure, and time is an argument. It gives the same rows for the same admitted inputs and deliveries, however they
/// were cut into batches: a minute is complete when the inputs have passed its end, and the ticks of a time are delivered
/// before the inputs that follow it.
package struct HistoryAccumulator: Sendable {
  private struct Key: Hashable {
    let minute: Int64
    let identity: BeaconIdentity
    let receiver: String
  }

  fileprivate struct Ranged {
    var seconds = 0
    var centimeters = 0
    var measured = 0
    var last = Timestamp.earliest
  }

  private struct Subject: Hashable {
    let client: String
    let region: String
  }

  private struct RangedKey: Hashable {
    let minute: Int64
    let identity: BeaconIdentity
  }

  private let gap: TimeSpan
  private let isListed: @Sendable (BeaconIdentity) -> Bool
  private var rows: [HistoryRow] = []
  private var minute: Int64 = .min
  private var sums: [Key: ReceivedSum] = [:]
  private var ranged: [RangedKey: Ranged] = [:]
  private var visits: [Subject: HistoryVisit] = [:]
  private var places: [BeaconIdentity: (row: HistoryPlace, last: Timestamp)] = [:]
  private var receivers: [String: HistoryReceiverState.State] = [:]
  private var reached: Timestamp?
  /// The time of the last row of earlier runs, while this run is before it: the clock was set back.
  private var earlierEnd: Timestamp?

  private static let microsecondsPerMinute: Int64 = 60_000_000

  /// - Parameters:
  ///   - gap: Two inputs further apart than this bound a time about which nothing is known.
  ///   - isListed: Whether a beacon is listed, so that minutes of it are kept.
  package init(gap: TimeSpan, isListed: @escaping @Sendable (BeaconIdentity) -> Bool) {
    self.gap = gap
    self.isListed = isListed
  }

  /// Continues with the stays that earlier runs left open.
  ///
  /// They were not observed since then. A stay in a region that this run monitors lasts until the run knows more of it; the end
  /// of another one is not known.
  ///
  /// - Parameters:
  ///   - openVisits: The stays.
  ///   - end: The time of the last row of earlier runs; `nil` for a new history.
  ///   - client: The client of this run.
  ///   - regions: The regions that it monitors.
  package mutating func resume(
    _ openVisits: [HistoryVisit],
    after end: Timestamp? = nil,
    client: String,
    regions: Set<String>
  ) {
    earlierEnd = end
    // Of several open stays in a region, as a run that was killed leaves them, the last one lasts.
    for visit in openVisits.sorted(by: { $0.entered < $1.entered }) {
      let subject = Subject(client: visit.client, region: visit.region)
      loseEnd(of: subject)
      visits[subject] = visit
      if visit.client == client, regions.contains(visit.region) {
        // A gap in its observation matters more than an unobserved beginning.
        interrupt(subject, alsoBegunBefore: true)
      } else {
        loseEnd(of: subject)
      }
    }
  }

  /// Returns the rows that are complete, and forgets them.
  package mutating func takeRows() -> [HistoryRow] {
    defer { rows.removeAll(keepingCapacity: true) }
    return rows
  }

  // MARK: Inputs

  /// Adds an input of the operator's view, in the order of time.
  package mutating func add(_ input: OperatorInput) {
    switch input {
    case .reports(let second):
      reach(second.second)
      let key = Key(
        minute: Self.minute(of: second.second),
        identity: second.identity,
        receiver: second.receiver
      )
      sums[key, default: ReceivedSum()].add(second.sum)
    case .unlisted(_, let second): reach(second)
    case .place(let place, let time):
      reach(time)
      add(place, at: time)
    case .receiver(let name, let state, let time):
      reach(time)
      set(name, HistoryReceiverState.State(state), at: time)
    case .telemetry(_, _, let time), .reached(let time): reach(time)
    }
  }

  /// Ends the run: the last minute is complete, and from now on no run listens.
  package mutating func end(at time: Timestamp) {
    reach(time)
    finishMinutes(before: .max)
    let end = max(time, reached ?? time)
    for name in receivers.keys.sorted() { set(name, .ended, at: end) }
    endPlaces(at: end) { _ in true }
  }

  private static func minute(of time: Timestamp) -> Int64 {
    time.microseconds / microsecondsPerMinute
  }

  private mutating func reach(_ time: Timestamp) {
    guard let earlier = reached else {
      reached = time
      if let end = earlierEnd, time > end { earlierEnd = nil }
      minute = Self.minute(of: time)
      return
    }
    guard time > earlier else { return }
    reached = time
    if time - earlier > gap { noteGap(from: earlier, to: time) }
    if let end = earlierEnd, time > end { repeatStates(after: end) }
    // A tick at the end of a minute is of its last second, and comes after the inputs at that very time.
    let current = Self.minute(of: time - TimeSpan(microseconds: 1))
    guard current > minute else { return }
    minute = current
    finishMinutes(before: current)
    // Each second has a beacon's place; without one for so long, its place is not determined any more.
    endPlaces(at: .latest) { [gap] in time - $0 > gap }
  }

  private mutating func noteGap(from start: Timestamp, to end: Timestamp) {
    for (name, state) in receivers.sorted(by: { $0.key < $1.key }) {
      rows.append(.receiver(HistoryReceiverState(time: start, receiver: name, state: .gap)))
      rows.append(.receiver(HistoryReceiverState(time: end, receiver: name, state: state)))
    }
    endPlaces(at: start) { _ in true }
  }

  // MARK: Places

  private mutating func add(_ place: BeaconPlace, at time: Timestamp) {
    if let identity = place.identity { return move(identity, to: place, at: time) }
    // It comes at the end of a second, for every beacon without a place in that second.
    for identity in places.keys.sorted() {
      if let last = places[identity]?.last, last < time {
        move(identity, to: place, at: time)
      }
    }
  }

  private mutating func move(
    _ identity: BeaconIdentity,
    to place: BeaconPlace,
    at time: Timestamp
  ) {
    var row = HistoryPlace(entered: time, identity: identity, state: .unknown)
    switch place.position {
    case .at(let name):
      (row.state, row.place, row.percent) = (.known, name, Int(place.hundredths))
    case .absent: row.state = .absent
    case .unknown: break
    }
    if let known = places[identity]?.row {
      places[identity]?.last = time
      if known.state == row.state, known.place == row.place { return }
      endPlace(of: identity, at: time)
    }
    places[identity] = (row, time)
    rows.append(.place(row))
  }

  private mutating func endPlace(of identity: BeaconIdentity, at time: Timestamp) {
    guard var row = places.removeValue(forKey: identity)?.row else { return }
    row.left = max(row.entered, time)
    rows.append(.place(row))
  }

  /// Ends the places with the last input at a time, then or at a time before.
  private mutating func endPlaces(at time: Timestamp, where isOver: (Timestamp) -> Bool) {
    for (identity, place) in places.sorted(by: { $0.key < $1.key }) where isOver(place.last) {
      endPlace(of: identity, at: min(time, place.last))
    }
  }

  /// Repeats the states after the last row of earlier runs, which ended with no run listening.
  private mutating func repeatStates(after end: Timestamp) {
    earlierEnd = nil
    let time = end + TimeSpan(microseconds: 1)
    for (name, state) in receivers.sorted(by: { $0.key < $1.key }) {
      rows.append(.receiver(HistoryReceiverState(time: time, receiver: name, state: state)))
    }
  }

  private mutating func set(
    _ receiver: String,
    _ state: HistoryReceiverState.State,
    at time: Timestamp
  ) {
    guard receivers[receiver] != state else { return }
    receivers[receiver] = state
    rows.append(.receiver(HistoryReceiverState(time: time, receiver: receiver, state: state)))
  }

  private mutating func finishMinutes(before end: Int64) {
    let complete = sums.keys.filter { $0.minute < end }.sorted {
      ($0.minute, $0.identity, $0.receiver) < ($1.minute, $1.identity, $1.receiver)
    }
    for key in complete {
      guard let sum = sums.removeValue(forKey: key) else { continue }
      rows.append(.minute(row(key, sum)))
    }
    ranged = ranged.filter { $0.key.minute >= end }
  }

  private func row(_ key: Key, _ sum: ReceivedSum) -> HistoryMinute {
    var row = HistoryMinute(
      minute: Timestamp(microseconds: key.minute * Self.microsecondsPerMinute),
      identity: key.identity,
      receiver: key.receiver,
      reports: sum.reports
    )
    if sum.samples > 0 {
      row.rssiTenths = Self.divided(sum.total * 10, by: sum.samples)
      (row.weakest, row.strongest) = (Int(sum.weakest), Int(sum.strongest))
    }
    if let ranged = ranged[RangedKey(minute: key.minute, identity: key.identity)] {
      row.nearSeconds = ranged.seconds
      if ranged.measured > 0 {
        row.centimeters = Self.divided(ranged.centimeters, by: ranged.measured)
      }
    }
    return row
  }

  /// The quotient, a half rounded away from zero.
  private static func divided(_ sum: Int, by count: Int) -> Int {
    (sum < 0 ? sum - count / 2 : sum + count / 2) / count
  }

  // MARK: Events

  /// Takes what history keeps of a delivery.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - client: The client that received it.
  package mutating func add(_ event: HistoryEvent, client: String) {
    switch event {
    case .crossing(let crossing):
      rows.append(.crossing(crossing))
      cross(crossing)
    case .state(let region, let state, let time):
      determine(Subject(client: client, region: region), state, at: time)
    case .ranged(let beacons, let time): add(beacons, at: time)
    case .notice(let notice): rows.append(.notice(notice))
    }
  }

  private mutating func add(_ beacons: [HistoryEvent.Ranged], at time: Timestamp) {
    let minute = Self.minute(of: time - TimeSpan(microseconds: 1))
    for beacon in beacons where isListed(beacon.identity) {
      let key = RangedKey(minute: minute, identity: beacon.identity)
      ranged[key, default: Ranged()].add(beacon, at: time)
    }
  }

  private mutating func cross(_ crossing: HistoryCrossing) {
    let subject = Subject(client: crossing.client, region: crossing.region)
    switch crossing.kind {
    case .enter:
      loseEnd(of: subject)
      begin(subject, at: crossing.time, .whole)
    case .exit:
      guard var visit = visits.removeValue(forKey: subject) else { return }
      visit.left = max(visit.entered, crossing.time)
      rows.append(.visit(visit))
    }
  }

  private mutating func determine(_ subject: Subject, _ state: RegionState, at time: Timestamp) {
    switch state {
    case .inside where visits[subject] == nil: begin(subject, at: time, .beganBefore)
    case .inside: break
    case .outside: loseEnd(of: subject)
    case .unknown: interrupt(subject)
    }
  }

  private mutating func interrupt(_ subject: Subject, alsoBegunBefore: Bool = false) {
    guard var visit = visits[subject],
      visit.quality == .whole || alsoBegunBefore && visit.quality == .beganBefore
    else { return }
    visit.quality = .interrupted
    visits[subject] = visit
    rows.append(.visit(visit))
  }

  private mutating func begin(
    _ subject: Subject,
    at time: Timestamp,
    _ quality: HistoryVisit.Quality
  ) {
    let visit = HistoryVisit(
      entered: time,
      client: subject.client,
      region: subject.region,
      quality: quality
    )
    visits[subject] = visit
    rows.append(.visit(visit))
  }

  private mutating func loseEnd(of subject: Subject) {
    guard var visit = visits.removeValue(forKey: subject) else { return }
    visit.quality = .endUnknown
    rows.append(.visit(visit))
  }
}

extension HistoryAccumulator.Ranged {
  fileprivate mutating func add(_ beacon: HistoryEvent.Ranged, at time: Timestamp) {
    // A beacon of several constraints occurs several times in a tick.
    guard time != last else { return }
    last = time
    if beacon.isNear { seconds += 1 }
    guard let meters = beacon.meters, meters.isFinite else { return }
    centimeters += Int((min(max(meters, 0), 10_000) * 100).rounded())
    measured += 1
  }
}
