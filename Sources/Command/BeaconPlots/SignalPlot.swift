// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The contents of a picture of signals: for each region its reports, how long it was silent, and why it was entered and
/// left; and when each receiver listened.
package struct SignalPlot: Sendable {
  /// A region and what happened to it.
  package struct Lane: Sendable {
    /// The region.
    package internal(set) var region: Region
    /// The RSSI at each receiver, in the order in which they received; the last one is of all further ones.
    package internal(set) var signals: [Signal] = []
    /// The distance of the nearest beacon in meters, with its interval.
    package internal(set) var distance: ColumnTrace
    /// The times without a report.
    package internal(set) var silence: SilenceTrace
    /// How long the region may be silent, in seconds, if this was learned or set.
    package internal(set) var exitTime: ColumnTrace
    /// How long the region may be silent, in seconds, if nothing is learned.
    package internal(set) var assumedExitTime: ColumnTrace
    /// From when on the region had which state.
    package internal(set) var states: [(time: Timestamp, state: RegionState)] = []
    /// The crossings, and the states without a crossing, with their reasons.
    package internal(set) var notes: [Note] = []
    /// How many notes there would be without the limit.
    package internal(set) var noteCount = 0
    /// How many reports were received.
    package internal(set) var reports = 0
    /// When the last report was received.
    var lastReceived: Timestamp?
    /// The last exit time, in seconds.
    var allowed: (seconds: Double, isAssumed: Bool)?
    /// A remark about the region at the end of the capture.
    package internal(set) var remark: String?
    /// The most columns of a trace.
    let most: Int
    /// The last reports, for the detail of an exit.
    var recent = RecentReports()

    init(region: Region, columns: Int = ColumnTrace.usual) {
      (self.region, most) = (region, columns)
      (distance, exitTime) = (ColumnTrace(most: columns), ColumnTrace(most: columns))
      assumedExitTime = ColumnTrace(most: columns)
      silence = SilenceTrace(most: columns)
    }
  }

  /// The RSSI of a region's beacons at a receiver.
  package struct Signal: Sendable {
    /// The receiver; `nil` for several.
    package let receiver: UInt8?
    /// The beacon, in a region of several, and its name.
    var beacon: BeaconIdentity?
    var label: String?
    /// The RSSI in dBm.
    package internal(set) var rssi: ColumnTrace

    init(
      receiver: UInt8?,
      beacon: BeaconIdentity? = nil,
      label: String? = nil,
      columns: Int = ColumnTrace.usual
    ) {
      (self.receiver, self.beacon, self.label) = (receiver, beacon, label)
      rssi = ColumnTrace(most: columns)
    }
  }

  /// Something that happened to a region.
  package struct Note: Sendable {
    /// What happened.
    package enum Kind: Sendable {
      case entered, left, state
    }

    /// When.
    package let time: Timestamp
    /// What.
    package let kind: Kind
    /// What and why, in words.
    package let text: String
    /// The last reports before an exit.
    var detail: Detail?
  }

  /// The last reports of a region before an exit, each by itself.
  struct Detail: Sendable {
    var lane: Lane
    var span: ClosedRange<Timestamp>
  }

  /// A receiver and its states.
  package struct Receiver: Sendable {
    /// Its number in reports.
    package let number: UInt8
    /// From when on it had which state.
    package internal(set) var states: [(time: Timestamp, state: RadioState)]
  }

  /// The regions, in the order in which they are drawn.
  package internal(set) var lanes: [Lane]
  /// The receivers, by their number.
  package internal(set) var receivers: [Receiver] = []
  /// The names of the receivers, by their number.
  package var receiverNames: [String] = []
  /// The times of which nothing is known.
  package internal(set) var gaps: [Range<Timestamp>] = []
  /// When the capture ended, if the regions settled later.
  package internal(set) var captureEnd: Timestamp?
  /// The distances below which a beacon is immediate, and near.
  package var proximityLimits: (immediate: Double, near: Double) = (0, 0)
  /// The first and the last time of anything shown; `nil` for nothing.
  package internal(set) var extent: ClosedRange<Timestamp>?

  /// Creates a plot of regions in which nothing has happened yet.
  package init(of regions: [Region]) {
    lanes = regions.map { Lane(region: $0) }
  }
}

/// Collects a plot from a run's deliveries, in bounded memory however long it takes.
package struct SignalCollector: Sendable {
  /// The most receivers whose RSSI is drawn each by itself.
  static let mostSignals = 6
  /// The most notes of a region, changes of its state, changes of a receiver's state, and gaps.
  private static let most = 2000

  /// The most columns of a trace if there are many beacons.
  static let fewColumns = 512

  /// The collected plot.
  package internal(set) var plot: SignalPlot
  private let start: Timestamp
  private let span: Range<Timestamp>
  let names: NameBook
  /// Since when a receiver listens again, after a time in which none did: silence counts from there.
  var resumed = Timestamp.earliest

  /// - Parameters:
  ///   - regions: The regions to show.
  ///   - start: The start of the source.
  ///   - span: The time to show.
  ///   - names: The names of beacons.
  package init(
    _ regions: [Region],
    from start: Timestamp,
    in span: Range<Timestamp>,
    _ names: NameBook
  ) {
    plot = SignalPlot(of: regions)
    self.start = start
    self.span = span
    self.names = names
  }

  /// Adds a delivery.
  package mutating func add(_ delivery: Delivery) {
    switch delivery.event {
    case .sighting(let sighting):
      for index in plot.lanes.indices
      where plot.lanes[index].region.constraint.isSatisfied(by: sighting.identity) {
        add(sighting, to: index)
      }
    case .ranged(let entries) where span.contains(delivery.time):
      for index in plot.lanes.indices {
        let constraint = plot.lanes[index].region.constraint
        let entry = entries.first { $0.constraint == constraint }
        add(entry?.beacons.lazy.compactMap(\.distance).first, to: index, at: delivery.time)
      }
    case .nearby(let beacons) where span.contains(delivery.time):
      // They are ordered, the nearest first.
      for index in plot.lanes.indices {
        let constraint = plot.lanes[index].region.constraint
        let found = beacons.lazy.filter { constraint.isSatisfied(by: $0.identity) }
        add(found.compactMap(\.distance).first, to: index, at: delivery.time)
      }
    case .regionEntered(let name, _, _): note(.entered, delivery, name)
    case .regionExited(let name, _, _): note(.left, delivery, name)
    case .regionState(let name, let state, _, let reason):
      guard reason != .shutdown else { return }
      set(state, delivery, name)
    case .diagnostic(.timeGap(let start, let end)):
      guard start < end, plot.gaps.count < Self.most else { return }
      plot.gaps.append(start..<end)
    default: break
    }
  }

  private mutating func add(_ distance: DistanceEstimate?, to index: Int, at time: Timestamp) {
    guard let distance else { return }
    plot.lanes[index].recent.add(distance, at: time)
    plot.lanes[index].distance.add(
      distance.meters,
      low: distance.low,
      high: distance.high,
      at: time
    )
  }

  /// Adds the state of a receiver.
  package mutating func add(_ state: RadioState, of receiver: UInt8, at time: Timestamp) {
    if state == .listening, !plot.receivers.contains(where: { $0.states.last?.state == .listening })
    {
      resumed = time
    }
    guard let index = plot.receivers.firstIndex(where: { $0.number == receiver }) else {
      plot.receivers.append(SignalPlot.Receiver(number: receiver, states: [(time, state)]))
      plot.receivers.sort { $0.number < $1.number }
      return
    }
    guard plot.receivers[index].states.last?.state != state else { return }
    append((time, state), to: &plot.receivers[index].states)
  }

  /// Adds a state; of those before the span only the last matters.
  private func append<State>(
    _ change: (time: Timestamp, state: State),
    to states: inout [(time: Timestamp, state: State)]
  ) {
    if change.time < span.lowerBound { states = [] }
    if states.count < Self.most { states.append(change) }
  }

  /// Adds when a region is left if nothing more is received, and by which rule.
  package mutating func add(
    _ exit: (due: Timestamp, rule: Explanation.Rule),
    of region: RegionIdentifier,
    at time: Timestamp
  ) {
    guard time < span.upperBound,
      let index = plot.lanes.firstIndex(where: { $0.region.identifier == region }),
      let last = plot.lanes[index].lastReceived
    else { return }
    // Gaps have moved the time.
    let first = max(last, resumed)
    let seconds = (exit.due - first).seconds - plot.gapSeconds(from: first, to: exit.due)
    let isAssumed = exit.rule == .unlearnedExit || exit.rule == .silentAfterUnknown
    if time >= span.lowerBound {
      // The value at the start of the span.
      if let before = plot.lanes[index].allowed, plot.lanes[index].hasNoExitTime {
        plot.lanes[index].add(before, at: max(start, span.lowerBound))
      }
      plot.lanes[index].add((seconds, isAssumed), at: time)
    }
    plot.lanes[index].allowed = (seconds, isAssumed)
  }

  /// Ends the plot.
  ///
  /// - Parameters:
  ///   - time: How far the regions were followed.
  ///   - captureEnd: When the capture ended; `nil` if there is more to come.
  ///   - receivers: The names of the receivers.
  package mutating func end(at time: Timestamp, captureEnd: Timestamp?, receivers: [String]) {
    let (first, last) = (max(start, span.lowerBound), min(time, span.upperBound))
    plot.extent = first <= last ? first...last : nil
    plot.receiverNames = receivers
    let captureEnd = captureEnd.flatMap { span.contains($0) ? $0 : nil }
    if let captureEnd, captureEnd < last { plot.captureEnd = captureEnd }
    for index in plot.lanes.indices {
      guard let received = plot.lanes[index].lastReceived else { continue }
      if received < last { plot.lanes[index].silence.add(from: received, to: last) }
      guard let captureEnd, captureEnd >= last, plot.lanes[index].states.last?.state == .inside,
        let allowed = plot.lanes[index].allowed
      else { continue }
      let first = max(received, resumed)
      let silent = max(0, (last - first).seconds - plot.gapSeconds(from: first, to: last))
      plot.lanes[index].remark =
        "still inside at the capture's end: silent for \(DecimalText.fixed(silent, decimals: 1)) s of "
        + "\(DecimalText.fixed(allowed.seconds, decimals: 1)) s; --drain waits for the exit"
    }
  }

  /// Adds a second of a beacon that a client ranges.
  mutating func add(second beacon: RangedBeacon, at time: Timestamp) {
    let constraint = IdentityConstraint.minor(beacon.identity)
    guard let index = plot.lanes.firstIndex(where: { $0.region.constraint == constraint }) else {
      return
    }
    add(beacon.distance, to: index, at: time)
    guard let rssi = beacon.rssi else { return }
    noteReceived(index, at: time)
    plot.lanes[index].reports += 1
    if plot.lanes[index].signals.isEmpty {
      plot.lanes[index].signals.append(SignalPlot.Signal(receiver: nil))
    }
    plot.lanes[index].signals[0].rssi.add(rssi, at: time)
  }

  private mutating func noteReceived(_ index: Int, at time: Timestamp) {
    if let last = plot.lanes[index].lastReceived, last < time, time >= span.lowerBound,
      last < span.upperBound
    {
      plot.lanes[index].silence.add(from: last, to: time)
    }
    plot.lanes[index].lastReceived = time
  }

  private mutating func add(_ sighting: Sighting, to index: Int) {
    let time = sighting.time
    noteReceived(index, at: time)
    guard span.contains(time) else { return }
    plot.lanes[index].reports += 1
    guard let rssi = sighting.rssi else { return }
    let signal = signal(of: sighting, in: index)
    plot.lanes[index].recent.add(rssi, of: signal, at: time)
    plot.lanes[index].signals[signal].rssi.add(Double(rssi), at: time)
  }

  /// The signal of a sighting: that of its receiver; in a region of several beacons also of its beacon.
  private mutating func signal(of sighting: Sighting, in lane: Int) -> Int {
    let signals = plot.lanes[lane].signals
    let isExact = plot.lanes[lane].region.constraint.isExact
    let (receiver, beacon) = (sighting.receiver, isExact ? nil : sighting.identity)
    let found = signals.firstIndex { $0.receiver == receiver && $0.beacon == beacon }
    if let found { return found }
    let most = plot.lanes[lane].most
    guard signals.count < Self.mostSignals else {
      if signals.count == Self.mostSignals {
        plot.lanes[lane].signals.append(SignalPlot.Signal(receiver: nil, columns: most))
      }
      return Self.mostSignals
    }
    let label = beacon.map { names[$0] ?? "\($0.major)/\($0.minor)" }
    plot.lanes[lane].signals.append(
      SignalPlot.Signal(receiver: receiver, beacon: beacon, label: label, columns: most)
    )
    return signals.count
  }

  private mutating func set(_ state: RegionState, _ delivery: Delivery, _ name: RegionIdentifier) {
    guard let index = plot.lanes.firstIndex(where: { $0.region.identifier == name }) else { return }
    let isNew = plot.lanes[index].states.last?.state != state
    if isNew { append((delivery.time, state), to: &plot.lanes[index].states) }
    // A crossing has it already.
    let last = plot.lanes[index].notes.last
    if last?.time == delivery.time, last?.kind == (state == .inside ? .entered : .left) { return }
    if isNew { note(.state, delivery, name) }
  }

  private mutating func note(
    _ kind: SignalPlot.Note.Kind,
    _ delivery: Delivery,
    _ name: RegionIdentifier
  ) {
    guard span.contains(delivery.time),
      let index = plot.lanes.firstIndex(where: { $0.region.identifier == name })
    else { return }
    plot.lanes[index].noteCount += 1
    guard plot.lanes[index].notes.count < Self.most else { return }
    let text = EventSentence.text(of: delivery.event, names)
    var note = SignalPlot.Note(time: delivery.time, kind: kind, text: text)
    if case .regionExited(_, _, let why) = delivery.event {
      note.detail = plot.lanes[index].detail(at: delivery.time, why, since: resumed)
    }
    plot.lanes[index].notes.append(note)
  }
}

extension SignalPlot {
  /// How many seconds of a time are gaps.
  fileprivate func gapSeconds(from start: Timestamp, to end: Timestamp) -> Double {
    gaps.reduce(0) { sum, gap in
      sum + max(0, (min(gap.upperBound, end) - max(gap.lowerBound, start)).seconds)
    }
  }
}

extension SignalPlot.Lane {
  fileprivate var hasNoExitTime: Bool {
    exitTime.columns.isEmpty && assumedExitTime.columns.isEmpty
  }

  /// Adds how long the region may be silent.
  mutating func add(_ allowed: (seconds: Double, isAssumed: Bool), at time: Timestamp) {
    if allowed.isAssumed {
      assumedExitTime.add(allowed.seconds, at: time)
    } else {
      exitTime.add(allowed.seconds, at: time)
    }
  }
}
