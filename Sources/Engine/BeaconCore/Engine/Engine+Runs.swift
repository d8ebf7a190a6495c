// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// The request, if a run of reports can be processed with one check for all of them.
  enum RunKind {
    /// Clients only range.
    case ranging
    /// The operator only receives sightings.
    case sightings
  }

  /// The request; `nil` if it is more than one thing, or inputs are recorded.
  var runKind: RunKind? {
    guard admissions == nil, regionIndex.isEmpty, !ranging.listsAll else { return nil }
    switch (ranging.constraints.isEmpty, sightingFilter == nil) {
    case (false, true): return .ranging
    case (true, false): return .sightings
    default: return nil
    }
  }

  /// Processes reports for as long as each is stamped no earlier than the one before and has no beacon, has one that
  /// no client ranges, or has one that is already listed and sent from the same address and with the same announced
  /// power as before.
  ///
  /// It does the same as ``process(_:in:into:)`` for such reports, but makes the checks once for all of them. Reports that
  /// their source decoded are left to that function.
  ///
  /// - Precondition: Clients only range.
  /// - Parameters:
  ///   - inputs: The inputs of a batch.
  ///   - bytes: The bytes that contain their payloads.
  ///   - first: The index of the first input that was not processed yet.
  ///   - due: The time of ``nextDue``, or the latest possible time.
  /// - Returns: The index of the first input of another kind, or of the first input with something due before it.
  @inline(__always)
  mutating func processRangingRun(
    of inputs: Span<ScanInput>,
    in bytes: Span<UInt8>,
    from first: Int,
    before due: Timestamp
  ) -> Int {
    let inputs = inputs.extracting(first...)
    guard var clock = runClock(for: inputs, before: due) else { return first }
    let (filter, merges) = (configuration.ranging.filter, configuration.ranging.mergesSameIdentity)
    let constraints = ranging.constraints.index
    let receivers = receivers
    var (index, beacons) = (0, 0)
    tracks.update { tracks, identities in
      while index < inputs.count, case .report(let report) = inputs[index],
        clock.admits(report, of: receivers)
      {
        switch BeaconDecoder.read(advertisingData: bytes, in: report.payloadRange) {
        case .beacon(let identity, let power):
          let address = DeviceAddress.rawValue(of: report.address)
          let isKeyless = merges || address == DeviceAddress.unknown
          if let slot = identities.slot(of: TrackKey(identity, address: isKeyless ? 0 : address)) {
            let (before, isContested) = (tracks[slot].rawAddress, tracks[slot].isContested)
            guard tracks[slot].listedIndex != nil, tracks[slot].announcedPower == power,
              !Track.mustCompare(address, after: before, isContested: isContested)
            else { return }
            let (time, receiver) = (report.time, report.receiver)
            if let rssi = tracks[slot].received(report, measuredPower: power, at: time) {
              tracks[slot].receivedElsewhere(rssi, by: receiver, at: time, filter: filter)
            }
          } else {
            guard !constraints.matchesAny(identity) else { return }
          }
          beacons &+= 1
        case .presence:
          return
        case .rejected(let reason):
          guard !reason.claimsToBeBeacon else { return }
        }
        clock.admit(report)
        index &+= 1
      }
    }
    finishRun(clock, reports: index, ofBeacons: beacons)
    return first &+ index
  }

  /// Delivers the sightings of reports for as long as each is stamped no earlier than the one before and has a beacon
  /// or none, as ``processRangingRun(of:in:from:before:)`` does for ranging.
  ///
  /// - Precondition: The operator only receives sightings.
  /// - Parameters:
  ///   - inputs: The inputs of a batch.
  ///   - bytes: The bytes that contain their payloads.
  ///   - first: The index of the first input that was not processed yet.
  ///   - due: The time of ``nextDue``, or the latest possible time.
  ///   - out: Where deliveries are appended.
  /// - Returns: The index of the first input of another kind, or of the first input with something due before it.
  @inline(__always)
  mutating func processSightingRun(
    of inputs: Span<ScanInput>,
    in bytes: Span<UInt8>,
    from first: Int,
    before due: Timestamp,
    into out: inout [Delivery]
  ) -> Int {
    let inputs = inputs.extracting(first...)
    guard var clock = runClock(for: inputs, before: due) else { return first }
    let receivers = receivers
    var (index, beacons) = (0, 0)
    run: while index < inputs.count, case .report(let report) = inputs[index],
      clock.admits(report, of: receivers)
    {
      switch BeaconDecoder.read(advertisingData: bytes, in: report.payloadRange) {
      case .beacon(let identity, let power):
        deliverSighting(of: identity, power, report, at: report.time, into: &out)
        beacons &+= 1
      case .presence:
        break run
      case .rejected(let reason):
        if reason.claimsToBeBeacon { break run }
      }
      clock.admit(report)
      index &+= 1
    }
    finishRun(clock, reports: index, ofBeacons: beacons)
    return first &+ index
  }

  /// Returns the clock of a run; `nil` if its first input has to wait for something.
  @inline(__always)
  private func runClock(for inputs: Span<ScanInput>, before due: Timestamp) -> RunClock? {
    let longestGap = configuration.timing.gap
    guard gapStart == nil, !stated.isUndecided, !inputs.isEmpty,
      case .report(let report) = inputs[0],
      !report.found.isKnown,
      admission.isQuiet(before: report.time, until: due, longestGap: longestGap)
    else { return nil }
    return RunClock(due: due, longestGap: longestGap, latest: admission.earliest)
  }

  @inline(__always)
  private mutating func finishRun(_ clock: RunClock, reports: Int, ofBeacons beacons: Int) {
    if reports > 0 { _ = admission.admit(clock.latest) }
    counts.reports &+= reports
    counts.beaconReports &+= beacons
  }
}

/// Admits the reports of a run, each at its own stamp.
private struct RunClock {
  let due: Timestamp
  let longestGap: TimeSpan
  /// The time of the last report, or the earliest time of the first.
  private(set) var latest: Timestamp
  /// The receiver of the last report, since reports of one receiver follow each other; −1 before the first.
  private var receiver = -1

  init(due: Timestamp, longestGap: TimeSpan, latest: Timestamp) {
    self.due = due
    self.longestGap = longestGap
    self.latest = latest
  }

  /// Returns whether nothing is due before a report, its stamp is not before the last one's, and its receiver is known
  /// to listen.
  @inline(__always)
  mutating func admits(_ report: AdvertisingReport, of receivers: ReceiverStates) -> Bool {
    // A step back, a negative number, is without its sign a large one.
    let step = UInt64(bitPattern: (report.time - latest).microseconds)
    guard report.time <= due, step <= longestGap.microseconds.magnitude else { return false }
    if Int(report.receiver) != receiver {
      guard receivers.listens(report.receiver) else { return false }
      receiver = Int(report.receiver)
    }
    return true
  }

  @inline(__always)
  mutating func admit(_ report: AdvertisingReport) { latest = report.time }
}
