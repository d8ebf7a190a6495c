// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ScanWatch {
  /// A scan, with the times at which it ends and starts by itself.
  struct Scan: Sendable, Equatable {
    /// Whether its reports are extended ones.
    var isExtended: Bool
    /// Its length; `nil` if only a command ends it.
    var duration: TimeSpan?
    /// How long after its start it starts again; `nil` if it does not.
    var period: TimeSpan?
    /// When it started.
    var start = Timestamp.earliest
  }

  /// Which advertisers a scan reports.
  enum Reach: Sendable, Equatable {
    case all
    /// Only those on a list, or only those that ask to be decided on.
    case some

    /// - Parameters:
    ///   - policy: The scanning filter policy.
    ///   - channels: The PHYs on whose primary channels it scans; nearly all advertisers use LE 1M.
    init(policy: UInt8, channels: UInt8 = 1) {
      let isListed = policy & 1 != 0
      let isDecision = policy & 0x0C == 0x08
      self = isListed || isDecision || channels & 1 == 0 ? .some : .all
    }
  }

  /// The state of one adapter, as far as it is known.
  struct Adapter: Sendable {
    enum Activity: Sendable {
      /// Nothing is known, so it may scan.
      case unknown
      case off
      case scanning(Scan)
      /// It waits for its next period.
      case resting(Scan)
    }

    let source: Source
    /// When it was announced; `nil` if it was not.
    var found: Timestamp?
    var isPresent = true
    var isOpen = true
    /// Whether its host sleeps.
    var isSuspended = false
    var activity = Activity.unknown
    /// Whether events, and reports of either kind, pass the event masks; unknown ones do.
    var passes = (all: true, legacy: true, extended: true)
    /// Which advertisers scans of either generation report.
    var reach: (legacy: Reach, extended: Reach) = (.all, .all)
    /// Whether it has scanned for all advertisers: only then a scan for some is a loss.
    var hasReachedAll = false
    /// Whether a recording states that it does not listen, and no scan has started since.
    var isStated = false
    /// Commands without an answer so far, with their times.
    var outstanding: [(command: HostScanCommand, time: Timestamp)] = []
    /// Since when it does not listen; `nil` while it does.
    var pausedSince: Timestamp?
    /// The latest returned state; an adapter listens until another one is.
    var stated = RadioState.listening
    /// Whether it is known to have listened at some time.
    var hasListened = false

    /// - Parameters:
    ///   - source: The receiver or adapter.
    ///   - isMet: Whether it counts as present before anything shows that it is.
    init(source: Source, isMet: Bool = true) {
      self.source = source
      guard !isMet else { return }
      (isPresent, stated, pausedSince) = (false, .gone, .earliest)
    }

    var state: RadioState {
      guard isPresent else { return .gone }
      guard isOpen, !isSuspended, passes.all else { return .off }
      switch activity {
      case .off, .resting: return .off
      case .scanning(let scan):
        let isReported = scan.isExtended ? passes.extended : passes.legacy
        return isReported && !isPartial(scan) ? .listening : .off
      case .unknown: return passes.legacy || passes.extended ? .listening : .off
      }
    }

    /// Whether a scan reports only some advertisers, although it reported all before.
    private func isPartial(_ scan: Scan) -> Bool {
      hasReachedAll && (scan.isExtended ? reach.extended : reach.legacy) != .all
    }

    /// Whether it can receive reports and yet is known not to listen.
    var leavesOut: Bool {
      if case .scanning(let scan) = activity, isPartial(scan) { return true }
      return isStated
    }

    /// Whether it is known to scan.
    var isScanning: Bool { if case .scanning = activity { true } else { false } }

    /// Whether its state depends on the time.
    var isDated: Bool { !outstanding.isEmpty || nextOfScan != nil }

    /// When its scan ends or starts by itself; `nil` if it does not, or not within the times that a capture can have.
    var nextOfScan: Timestamp? {
      let next: Timestamp? =
        switch activity {
        case .unknown, .off: nil
        case .scanning(let scan): scan.duration.map { scan.start + $0 }
        case .resting(let scan): scan.period.map { scan.start + $0 }
        }
      return next.flatMap { $0 < .latest ? $0 : nil }
    }

    /// Ends a scan with a duration, or starts the last period that had started by a time.
    ///
    /// - Returns: When it changed.
    mutating func changeScan(by time: Timestamp) -> Timestamp? {
      switch activity {
      case .unknown, .off: return nil
      case .scanning(let scan):
        guard let end = nextOfScan, end <= time else { return nil }
        activity = scan.period == nil ? .off : .resting(scan)
        return end
      case .resting(var scan):
        guard let next = nextOfScan, next <= time, let period = scan.period else { return nil }
        let periods = (time - scan.start).microseconds / max(1, period.microseconds)
        scan.start = scan.start + TimeSpan(microseconds: periods * period.microseconds)
        activity = .scanning(scan)
        return scan.start
      }
    }

    mutating func perform(_ command: HostScanCommand, at time: Timestamp) {
      isPresent = true
      switch command.effect {
      case .reset: reset()
      case .reach(true, let all): reach.extended = all
      case .reach(false, let all): reach.legacy = all
      case .scan(nil): activity = .off
      case .scan(var scan?):
        (isOpen, isStated, isSuspended) = (true, false, false)
        scan.start = time
        activity = .scanning(scan)
        if (scan.isExtended ? reach.extended : reach.legacy) == .all { hasReachedAll = true }
      case .eventMask(let all): passes.all = all
      case .lowEnergyEventMask(let legacy, let extended):
        (passes.legacy, passes.extended) = (legacy, extended)
      }
    }

    /// It no longer scans, and its parameters and event masks are those that a host replaces before it scans again.
    mutating func reset() {
      activity = .off
      passes = (true, true, true)
      reach = (.all, .all)
    }

    /// It receives, whatever the commands were.
    mutating func isReceiving(at time: Timestamp) {
      (isPresent, isOpen, isSuspended) = (true, true, false)
      if case .resting(var scan) = activity {
        // Its next period started earlier than expected.
        scan.start = time
        activity = .scanning(scan)
      } else {
        activity = .unknown
      }
      passes = (true, true, true)
    }
  }
}
