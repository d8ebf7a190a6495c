// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// A kind of deadline, in the order in which deadlines of one instant are handled.
  enum Due {
    case authorization, region, tick
  }

  /// The earliest deadline and its kind.
  ///
  /// At the same time, authorization comes before regions, and regions before ticks. In a gap only authorization has
  /// deadlines.
  var nextDue: (time: Timestamp, kind: Due)? {
    var next: (time: Timestamp, kind: Due)?
    if let time = authorizationDeadline { next = (time, .authorization) }
    if gapStart != nil { return next }
    if let time = regionDeadlines.first?.time, next.map({ time < $0.time }) ?? true {
      next = (time, .region)
    }
    if let time = ranging.nextTick, next.map({ time < $0.time }) ?? true { next = (time, .tick) }
    return next
  }

  /// Returns whether nothing is due before an input with a stamp, so that ``passTime(before:into:)`` would do nothing.
  ///
  /// - Parameters:
  ///   - stamp: The input's own stamp.
  ///   - due: The time of ``nextDue``, or the latest possible time.
  /// - Returns: Whether nothing is due; also `false` while there is a gap to pass or to deliver.
  @inline(__always)
  func isQuiet(before stamp: Timestamp, nextDue due: Timestamp) -> Bool {
    gapStart == nil
      && admission.isQuiet(before: stamp, until: due, longestGap: configuration.timing.gap)
  }

  /// Advances time until just before an input with a stamp, and delivers every due deadline on the way.
  ///
  /// - Returns: Whether something was delivered to a client, which may answer before the input; call again after it has.
  @inline(never)
  mutating func passTime(before stamp: Timestamp, into out: inout [Delivery]) -> Bool {
    let time = admission.time(for: stamp)
    if gapStart != nil || isGap(until: time) {
      if beginGap(into: &out) || passDeadlines(before: time, into: &out) { return true }
      return endGap(at: time, into: &out)
    }
    guard let due = nextDue, due.time < time else { return false }
    return passDeadlines(before: time, into: &out)
  }

  /// Advances time until just before a user action or a request at a time, and delivers every due deadline on the way.
  ///
  /// Neither ends a gap. Whether they lie in one depends on the next input.
  ///
  /// - Parameters:
  ///   - time: When the action is performed.
  ///   - nextInput: The stamp of the next input; `nil` if it is not known.
  ///   - out: Where deliveries are appended.
  /// - Returns: Whether something was delivered to a client, which may answer; call again until it is `false`.
  mutating func passTime(
    beforeActionAt time: Timestamp,
    nextInput: Timestamp?,
    into out: inout [Delivery]
  ) -> Bool {
    let isInGap = gapStart != nil || isGap(until: nextInput.map { max($0, time) } ?? time)
    if isInGap, time > admission.lastInput, beginGap(into: &out) { return true }
    return passDeadlines(before: time, into: &out)
  }

  /// Handles the deadlines before a time, in order, until something is delivered to a client.
  ///
  /// - Returns: Whether something was delivered.
  @inline(never)
  mutating func passDeadlines(before time: Timestamp, into out: inout [Delivery]) -> Bool {
    gate.clear()
    while let due = nextDue, due.time < time {
      switch due.kind {
      case .authorization:
        admission.passed(due.time)
        passAuthorizationDeadline(at: due.time, into: &out)
      case .region:
        // A postponed deadline has not been reached, so it does not move the clock.
        let before = admission
        admission.passed(due.time)
        if !passRegionDeadline(into: &out) { admission = before }
      case .tick:
        admission.passed(due.time)
        passTick(at: due.time, into: &out)
      }
      if gate.hasDelivered { return true }
    }
    return false
  }

  private func isGap(until time: Timestamp) -> Bool {
    time - admission.lastInput > configuration.timing.gap
  }

  /// Begins a gap, unless the timeline is in one: a time in which the source gave nothing, so that it is not known which
  /// beacons were present.
  ///
  /// A gap has no ticks and the regions' clocks stand still; authorization deadlines still apply.
  ///
  /// - Returns: Whether something that was due before the gap was delivered; call again until it is `false`.
  private mutating func beginGap(into out: inout [Delivery]) -> Bool {
    guard gapStart == nil else { return false }
    let start = admission.lastInput
    if passDeadlines(before: start + TimeSpan(microseconds: 1), into: &out) { return true }
    gapStart = start
    return false
  }

  /// Ends a gap when the source yields an input again.
  ///
  /// - Returns: Whether something was delivered.
  private mutating func endGap(at time: Timestamp, into out: inout [Delivery]) -> Bool {
    guard let start = leaveGap(at: time) else { return false }
    endedGap = time
    admission.received(upTo: time)
    gate.clear()
    for client in clients {
      gate.deliver(ofSource: .timeGap(from: start, to: time), to: client, at: time, into: &out)
    }
    return gate.hasDelivered
  }

  /// Lets the clocks run again that stood still in a gap, and returns the start of the gap.
  mutating func leaveGap(at time: Timestamp) -> Timestamp? {
    guard let start = gapStart.take() else { return nil }
    ranging.skipTicks(to: time)
    standStill(from: start, to: time)
    return start
  }

  /// Delivers the tick at a time to the next client; with the last client the tick ends.
  private mutating func passTick(at time: Timestamp, into out: inout [Delivery]) {
    var next = ranging.beginTick(at: time, tracks: &tracks)
    if next == 0, ranging.listsAll, receivers.receives {
      gate.deliver(nearby: ranging.nearby, at: time, into: &out)
    }
    while next < clients.count {
      let index = next
      next += 1
      ranging.servedClients = next
      guard receivers.receives else { continue }
      let entries = ranging.tick(for: clients[index], at: time)
      if entries.isEmpty { continue }
      if case .delivered = gate.deliver(tick: entries, to: clients[index], at: time, into: &out) {
        noteDelivery(isCrossing: false, to: index, at: time, into: &out)
        return
      }
    }
    ranging.endTick(at: time)
    for index in clients.indices where clients[index].hasEarlier { clients[index].endFirstSecond() }
  }
}
