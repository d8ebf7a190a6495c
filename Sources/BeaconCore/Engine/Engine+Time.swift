// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// A kind of deadline, in the order in which deadlines of one instant are handled.
  enum Due {
    case authorization, region, tick
  }

  /// The earliest deadline and its kind; at the same time, authorization comes before regions, and regions before
  /// ticks.
  var nextDue: (time: Timestamp, kind: Due)? {
    var next: (time: Timestamp, kind: Due)?
    if let time = authorizationDeadline { next = (time, .authorization) }
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
    gap == nil && admission.isQuiet(before: stamp, until: due, longestGap: configuration.timing.gap)
  }

  /// Advances time until just before an input with a stamp, and delivers what is due on the way.
  ///
  /// - Returns: Whether something was delivered to a client, which may answer before the input; call again after it has.
  @inline(never)
  mutating func passTime(before stamp: Timestamp, into out: inout [Delivery]) -> Bool {
    let time = admission.time(for: stamp)
    if time - admission.lastInput > configuration.timing.gap || gap != nil {
      return passGap(to: time, into: &out)
    }
    guard let due = nextDue, due.time < time else { return false }
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

  /// Passes a gap: a time in which the source gave nothing, so that nobody knows which beacons were present.
  ///
  /// There are no ticks in a gap and the regions' clocks stop; authorization deadlines still apply.
  @inline(never)
  private mutating func passGap(to time: Timestamp, into out: inout [Delivery]) -> Bool {
    if gap == nil {
      let start = admission.lastInput
      if passDeadlines(before: start + TimeSpan(microseconds: 1), into: &out) { return true }
      ranging.skipTicks(to: time)
      standStill(from: start, to: time)
      admission.bridge(to: time)
      gap = (start, time)
    }
    if passDeadlines(before: time, into: &out) { return true }
    guard let passed = gap, passed.to <= time else { return false }
    gap = nil
    admission.received(upTo: passed.to)
    gate.clear()
    for client in clients {
      gate.deliver(
        open: .diagnostic(.timeGap(from: passed.from, to: passed.to)),
        to: client,
        at: passed.to,
        into: &out
      )
    }
    return gate.hasDelivered
  }

  /// Delivers the tick at a time to the next client; with the last client the tick ends.
  private mutating func passTick(at time: Timestamp, into out: inout [Delivery]) {
    var next = ranging.beginTick(at: time, tracks: &tracks)
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
