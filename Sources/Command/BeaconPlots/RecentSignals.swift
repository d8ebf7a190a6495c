// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The signals of the last minutes, of a run's regions and of the beacons that a page lists.
///
/// Two collectors overlap, so that there are always at least ten minutes to see, and never more than twenty.
package struct RecentSignals: Sendable {
  /// How long only one collector collects.
  private static let span = TimeSpan.seconds(600)
  /// The most regions, and the most beacons: some more than a page lists, so that those that left it can still be seen.
  private static let (mostRegions, mostBeacons) = (100, 240)

  /// How many beacons are followed although no page lists them.
  private static let first = 48

  /// How many regions of the run have no picture.
  package let furtherRegions: Int

  private var shown: SignalCollector
  private var next: SignalCollector?
  private var start: Timestamp?
  private var now = Timestamp.earliest
  private var receivers: [String] = []
  /// The distances below which a beacon is immediate, and near.
  private let limits: (immediate: Double, near: Double)
  /// How many regions come before the beacons.
  private let count: Int

  /// - Parameters:
  ///   - regions: The regions of the run.
  ///   - names: The names of beacons.
  ///   - limits: The distances below which a beacon is immediate, and near.
  package init(_ regions: [Region], _ names: NameBook, limits: (immediate: Double, near: Double)) {
    shown = SignalCollector(
      Array(regions.prefix(Self.mostRegions)),
      from: .earliest,
      in: .earliest..<Timestamp.latest,
      names
    )
    self.limits = limits
    furtherRegions = max(0, regions.count - Self.mostRegions)
    count = shown.plot.lanes.count
  }

  /// Adds deliveries.
  package mutating func add(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      pass(to: delivery.time)
      switch delivery.event {
      case .nearby(let beacons): followFirst(beacons)
      case .ranged(let entries): for entry in entries { followFirst(entry.beacons) }
      default: break
      }
      shown.add(delivery)
      next?.add(delivery)
    }
  }

  /// Adds the seconds of a client's ranging: it gets no single reports.
  package mutating func add(seconds deliveries: [Delivery]) {
    for delivery in deliveries {
      guard case .ranged(let entries) = delivery.event else { continue }
      pass(to: delivery.time)
      for entry in entries {
        followFirst(entry.beacons)
        for beacon in entry.beacons {
          shown.add(second: beacon, at: delivery.time)
          next?.add(second: beacon, at: delivery.time)
        }
      }
    }
  }

  /// Adds the states of receivers.
  package mutating func add(_ slice: ScanSlice, receivers names: [String]) {
    receivers = names
    for (input, time) in zip(slice.batch.inputs[slice.range], slice.admitted) {
      guard let receiver = input.receiver else { continue }
      pass(to: time)
      if case .radio(_, let state, _) = input {
        change(to: state, of: receiver, at: time)
      } else if !shown.plot.receivers.contains(where: { $0.number == receiver }) {
        // Without a recorded state, a receiver with reports listens.
        change(to: .listening, of: receiver, at: time)
      }
    }
  }

  private mutating func change(to state: RadioState, of receiver: UInt8, at time: Timestamp) {
    shown.add(state, of: receiver, at: time)
    next?.add(state, of: receiver, at: time)
  }

  /// Adds when a region is left if nothing more is received, and by which rule.
  package mutating func add(
    _ exit: (due: Timestamp, rule: Explanation.Rule),
    of region: RegionIdentifier,
    at time: Timestamp
  ) {
    shown.add(exit, of: region, at: time)
    next?.add(exit, of: region, at: time)
  }

  /// Notes that time has passed.
  package mutating func pass(to time: Timestamp) {
    now = max(now, time)
    guard let start else {
      start = now
      shown = shown.continued(from: now)
      return
    }
    if let next, now - start >= Self.span + Self.span {
      shown = next
      self.start = start + Self.span
      // After a long gap nothing of the past is left.
      if now - (start + Self.span) >= Self.span + Self.span { self.start = now }
      self.next = shown.continued(from: now)
    } else if next == nil, now - start >= Self.span {
      next = shown.continued(from: now)
    }
  }

  /// Follows the beacons that are received first.
  private mutating func followFirst(_ beacons: [RangedBeacon]) {
    guard shown.plot.lanes.count - count < Self.first else { return }
    follow(Set(beacons.prefix(Self.first).map(\.identity)))
  }

  /// Follows listed beacons from now on.
  ///
  /// Of those that are not listed any more the last received stay, as far as there is room.
  package mutating func follow(_ listed: Set<BeaconIdentity>) {
    var missing = listed
    for lane in shown.plot.lanes {
      if case .minor(let identity) = lane.region.constraint { missing.remove(identity) }
    }
    guard !missing.isEmpty else { return }
    let excess = shown.plot.lanes.count - count + missing.count - Self.mostBeacons
    if excess > 0 { remove(excess, except: listed) }
    for identity in missing.sorted() {
      let region = Region(RegionIdentifier("\(identity)"), .minor(identity))
      shown.follow(region)
      next?.follow(region)
    }
  }

  private mutating func remove(_ excess: Int, except listed: Set<BeaconIdentity>) {
    let candidates = shown.plot.lanes.indices.dropFirst(count).filter { index in
      guard case .minor(let identity) = shown.plot.lanes[index].region.constraint else {
        return false
      }
      return !listed.contains(identity)
    }
    let gone = candidates.sorted {
      (shown.plot.lanes[$0].lastReceived ?? .earliest, $0)
        < (shown.plot.lanes[$1].lastReceived ?? .earliest, $1)
    }
    for index in gone.prefix(excess).sorted(by: >) {
      shown.plot.lanes.remove(at: index)
      next?.plot.lanes.remove(at: index)
    }
  }

  /// The regions and beacons of which there is a picture.
  package var regions: [Region] { shown.plot.lanes.map(\.region) }

  /// Returns the plot of a region or beacon; `nil` if it is not followed.
  ///
  /// - Parameters:
  ///   - region: Its identifier.
  ///   - name: The name in the picture.
  /// - Returns: The plot.
  package func plot(of region: RegionIdentifier, named name: String) -> SignalPlot? {
    guard let index = shown.plot.lanes.firstIndex(where: { $0.region.identifier == region }) else {
      return nil
    }
    var collector = shown
    collector.end(at: now, captureEnd: nil, receivers: receivers)
    var plot = collector.plot
    var lane = plot.lanes[index]
    lane.region.identifier = RegionIdentifier(name)
    plot.lanes = [lane]
    plot.proximityLimits = limits
    return plot
  }
}

extension SignalCollector {
  /// Adds a region in which nothing has happened yet.
  fileprivate mutating func follow(_ region: Region) {
    plot.lanes.append(SignalPlot.Lane(region: region, columns: SignalCollector.fewColumns))
  }

  /// More gaps than a silence has.
  private static let keptGaps = 100

  /// A collector of the same regions from a time on, which knows the states at that time.
  fileprivate func continued(from time: Timestamp) -> SignalCollector {
    var next = SignalCollector(
      [],
      from: time,
      in: .earliest..<Timestamp.latest,
      names
    )
    next.plot.lanes = plot.lanes.map { SignalPlot.Lane(region: $0.region, columns: $0.most) }
    for receiver in plot.receivers {
      guard let state = receiver.states.last?.state else { continue }
      next.add(state, of: receiver.number, at: time)
    }
    // A silence counts from its start, without gaps.
    next.resumed = resumed
    next.plot.gaps = plot.gaps.suffix(Self.keptGaps)
    for (index, lane) in plot.lanes.enumerated() {
      let state = lane.states.last?.state
      next.plot.lanes[index].states = state.map { [(time, $0)] } ?? []
      guard state != .outside else { continue }
      next.plot.lanes[index].lastReceived = lane.lastReceived
      next.plot.lanes[index].allowed = lane.allowed
    }
    return next
  }
}
