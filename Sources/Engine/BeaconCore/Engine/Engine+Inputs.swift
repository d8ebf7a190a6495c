// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Processes the inputs of a batch from one index to another.
  ///
  /// It stops after the first input or deadline that delivered something to a client, so that the client can answer at that
  /// point of the timeline. Sightings do not stop it, since they are not answered.
  ///
  /// - Parameters:
  ///   - batch: The inputs.
  ///   - range: From the first input that was not processed yet to the first that must not be processed now.
  ///   - out: Where deliveries are appended.
  /// - Returns: The index to continue from, or `nil` when the range is processed.
  mutating func process(
    _ batch: borrowing ScanBatch,
    in range: Range<Int>,
    into out: inout [Delivery]
  ) -> Int? {
    gate.clear()
    let bytes = batch.bytes.span
    let inputs = batch.inputs.span.extracting(first: max(0, range.upperBound))
    var index = max(0, range.lowerBound)
    var due = nextDue?.time ?? .latest
    let runKind = runKind
    while index < inputs.count {
      switch runKind {
      case .ranging:
        index = processRangingRun(of: inputs, in: bytes, from: index, before: due)
      case .sightings:
        index = processSightingRun(of: inputs, in: bytes, from: index, before: due, into: &out)
      case nil: break
      }
      guard index < inputs.count else { break }
      switch inputs[index] {
      case .report(let report), .level(let report):
        // One check of the deadlines serves many reports: only regions set a deadline when they receive a report.
        if !isQuiet(before: report.time, nextDue: due) {
          if passTime(before: report.time, into: &out) { return index }
          due = nextDue?.time ?? .latest
        }
        process(report, in: bytes, into: &out)
        if !regionIndex.isEmpty { due = nextDue?.time ?? .latest }
      case .radio(let receiver, let state, let stamp):
        if passTime(before: stamp, into: &out) { return index }
        process(state, of: receiver, at: admission.admit(stamp), into: &out)
        due = nextDue?.time ?? .latest
      case .mark(let stamp):
        if passTime(before: stamp, into: &out) { return index }
        _ = admission.admit(stamp)
        due = nextDue?.time ?? .latest
      case .notice(let notice, let stamp):
        if passTime(before: stamp, into: &out) { return index }
        deliver(notice, at: admission.admit(stamp), into: &out)
        due = nextDue?.time ?? .latest
      case .place(let report):
        if passTime(before: report.time, into: &out) { return index }
        let time = admission.admit(report.time)
        if let place = batch.place(of: report) { process(place, at: time, into: &out) }
        due = nextDue?.time ?? .latest
      }
      index += 1
      admissions?.append(admission.now)
      if gate.hasDelivered { return index }
    }
    return nil
  }

  private mutating func deliver(
    _ notice: SourceNotice,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    for client in clients {
      gate.deliver(ofSource: .source(notice), to: client, at: time, into: &out)
    }
  }

  /// Advances time to ``ScanBatch/upTo``, the time up to which the source has delivered everything.
  ///
  /// - Returns: Whether something was delivered to a client, which may answer; call again until it is `false`.
  mutating func reach(_ time: Timestamp, into out: inout [Delivery]) -> Bool {
    if passTime(before: time, into: &out) { return true }
    admission.received(upTo: time)
    return false
  }

  /// Delivers everything still due at the current time after the source has ended.
  ///
  /// - Returns: Whether something was delivered to a client, which may answer; call again until it is `false`.
  mutating func end(into out: inout [Delivery]) -> Bool {
    passDeadlines(before: now + TimeSpan(microseconds: 1), into: &out)
  }

  /// Moves the timeline to the time of a request, after everything due before it was delivered.
  mutating func arrive(at time: Timestamp) {
    _ = admission.act(at: time)
  }

  /// After the source has ended, advances to the next deadline of a region, without inputs and with ranging stopped.
  ///
  /// - Returns: Whether there was one; call again until it is `false`, when every region has settled.
  mutating func drain(into out: inout [Delivery]) -> Bool {
    _ = leaveGap(at: now)
    guard regionDeadlines.first != nil else { return false }
    ranging.stopListingAll()
    for client in clients {
      for ranging in client.rangings {
        request(.stopRanging(ranging.constraint), by: client.id, into: &out)
      }
    }
    guard let due = regionDeadlines.first?.time else { return true }
    // Row T9: a deadline at the end of time does not pass, so its region does not settle.
    guard due < .latest else { return false }
    _ = passDeadlines(before: due + TimeSpan(microseconds: 1), into: &out)
    return true
  }

  /// Admits a report and processes it.
  @inline(__always)
  private mutating func process(
    _ report: borrowing AdvertisingReport,
    in bytes: borrowing Span<UInt8>,
    into out: inout [Delivery]
  ) {
    let time = admission.admit(report.time)
    counts.reports &+= 1
    if stated.isUndecided { _ = note(stated.received(by: report.receiver, at: time)) }
    if !receivers.listens(report.receiver) { receivedUnexpectedly(report, at: time, into: &out) }
    let identity: BeaconIdentity
    let measuredPower: Int8?
    switch BeaconDecoder.read(report, in: bytes) {
    case .beacon(let received, let power):
      (identity, measuredPower) = (received, power)
      counts.beaconReports &+= 1
      deliverSighting(of: identity, power, report, at: time, into: &out)
    case .presence(let received):
      (identity, measuredPower) = (received, nil)
      counts.rejected.count(.noMeasuredPower)
    case .rejected(let reason):
      if reason.claimsToBeBeacon { counts.rejected.count(reason) }
      return
    }
    guard tracksBeacons else { return }
    track(identity, measuredPower: measuredPower, report, at: time, into: &out)
  }

  /// Processes that a receiver reports that is not known to listen.
  ///
  /// It listens if the source has stated nothing of it. Otherwise its state is believed, since a scan may leave out most
  /// beacons; if no receiver listens, the operator learns once why the reports change nothing.
  @inline(never)
  private mutating func receivedUnexpectedly(
    _ report: borrowing AdvertisingReport,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard receivers.state(of: report.receiver) != nil else {
      return show(.listening, of: report.receiver, at: time, into: &out)
    }
    guard let reason = receivers.deafness, !clients.isEmpty, listened.isContradicted(at: time)
    else { return }
    for client in clients {
      gate.deliver(ofSource: .stateContradicted(reason), to: client, at: time, into: &out)
    }
  }

  /// Delivers the sighting of a beacon to the operator, if the operator wants it.
  @inline(__always)
  mutating func deliverSighting(
    of identity: BeaconIdentity,
    _ power: Int8,
    _ report: borrowing AdvertisingReport,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard isWanted(identity) else { return }
    gate.deliver(
      Sighting(
        time: time,
        identity: identity,
        measuredPower: power,
        rssi: report.rssi,
        receiver: report.receiver,
        address: report.address
      ),
      into: &out
    )
  }

  /// Whether a client asks for more of beacons than their sightings.
  private var tracksBeacons: Bool { !ranging.isIdle || !regionIndex.isEmpty }

  /// Adds a beacon's report to its track, and creates a track if a client asks for the beacon.
  @inline(__always)
  private mutating func track(
    _ identity: BeaconIdentity,
    measuredPower: Int8?,
    _ report: borrowing AdvertisingReport,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let isRanging = !ranging.isIdle
    let address = configuration.ranging.mergesSameIdentity ? 0 : report.address?.rawValue ?? 0
    let key = TrackKey(identity, address: address)
    let slot: Int
    if let known = tracks.slot(of: key) {
      slot = known
    } else {
      guard
        ranging.listsAll || ranging.constraints.index.matchesAny(identity)
          || regionIndex.matchesAny(identity)
      else { return }
      slot = beginTrack(key, receiver: report.receiver, at: time)
    }
    let last = tracks.tracks[slot].lastReceived
    if isRanging { ranging.list(slot, in: &tracks) }
    if measuredPower != tracks.tracks[slot].announcedPower, let measuredPower {
      add(report, announcing: measuredPower, to: slot, at: time, into: &out)
    } else {
      add(report, to: slot, measuredPower: measuredPower, at: time, into: &out)
    }
    guard !regionIndex.isEmpty else { return }
    // A gap in which no receiver was listening is no evidence about the beacon.
    let gap = last >= listened.since ? time - last : absence(since: last, until: time)
    processSighting(slot, report, measuredPower: measuredPower, after: gap, at: time, into: &out)
  }

  /// For how long receivers listened without the beacon, if they paused in that time and it is longer than any exit time.
  @inline(never)
  private func absence(since last: Timestamp, until time: Timestamp) -> TimeSpan? {
    guard let listened = listened.listened(from: last, to: time),
      listened > configuration.regions.learning.cap
    else { return nil }
    return listened
  }

  /// Adds a report to a track.
  @inline(__always)
  mutating func add(
    _ report: borrowing AdvertisingReport,
    to slot: Int,
    measuredPower: Int8?,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let (before, isContested) = (tracks.tracks[slot].rawAddress, tracks.tracks[slot].isContested)
    let next = DeviceAddress.rawValue(of: report.address)
    if Track.mustCompare(next, after: before, isContested: isContested) {
      processAddress(of: slot, report, measuredPower: measuredPower, at: time, into: &out)
    }
    receive(report, to: slot, measuredPower: measuredPower, at: time)
  }

  @inline(__always)
  mutating func receive(
    _ report: borrowing AdvertisingReport,
    to slot: Int,
    measuredPower: Int8?,
    at time: Timestamp
  ) {
    if let rssi = tracks.tracks[slot].received(report, measuredPower: measuredPower, at: time) {
      let filter = configuration.ranging.filter
      tracks.tracks[slot].receivedElsewhere(rssi, by: report.receiver, at: time, filter: filter)
    }
  }

  /// Returns whether the operator wants a beacon's sightings; if so, the beacon is remembered as sighted.
  @inline(__always)
  private mutating func isWanted(_ identity: BeaconIdentity) -> Bool {
    // Only wanted identities are remembered, and finding one there is cheaper than checking the constraints again.
    sightingFilter != nil && (sighted.contains(identity) || isNewlyWanted(identity))
  }

  @inline(never)
  private mutating func isNewlyWanted(_ identity: BeaconIdentity) -> Bool {
    guard let sightingFilter, sightingFilter.wants(identity) else { return false }
    sighted.insert(identity)
    return true
  }

  private mutating func beginTrack(_ key: TrackKey, receiver: UInt8, at time: Timestamp) -> Int {
    if time >= nextPurge { purgeTracks(at: time) }
    if tracks.isFull, let slot = tracks.slotToEvict() {
      endTrack(slot)
      counts.dropped.count(.trackEvicted)
    }
    let filter = configuration.ranging.filter
    return tracks.begin(key) { order in
      Track(firstReceivedOrder: order, receiver: receiver, filter: filter, at: time)
    }
  }

  /// Removes the tracks of beacons that have been silent for longer than the retention time.
  ///
  /// Only a new beacon can make the table grow, so only a new beacon triggers the search, at most once per retention
  /// time.
  private mutating func purgeTracks(at time: Timestamp) {
    nextPurge = time + configuration.tracks.retention
    for slot in tracks.tracks.indices where tracks.isLive(slot) {
      if time - tracks.tracks[slot].lastReceived > configuration.tracks.retention { endTrack(slot) }
    }
  }

  private mutating func endTrack(_ slot: Int) {
    ranging.unlist(slot, in: &tracks)
    tracks.end(slot)
  }
}
