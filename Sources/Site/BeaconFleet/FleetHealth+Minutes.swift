// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The judgements of each minute: silences, receivers, identities that two devices send, unknown identities.
extension FleetHealth {
  /// A receiver that is silent, or does not listen, for so many minutes is reported; restarts take less.
  private static let deafAfter = 5
  private static let downAfter = 10
  /// How many minutes of a receiver show its usual values.
  private static let receiverLearned = 60
  /// A receiver that usually receives something in nearly every minute.
  private static let receiverShare = 0.8
  /// A beacon is judged once it was received in so many minutes.
  private static let beaconLearned = 30
  /// The fewest silent minutes: in the first day of a beacon, and later.
  private static let silence = (first: 9.0, later: 4.0)
  /// Half as long again as the longest silence, and two minutes.
  private static let silenceShare = 1.5
  private static let silenceMargin = 2.0
  /// A silence as improbable as one in 160,000: a beacon that is received in half of the minutes is silent for some often.
  private static let surprise = 12.0
  /// Of the receiver that receives the beacon best, the part that makes another one a usual receiver.
  private static let usualPart = 0.5
  /// A listed beacon that was never received is missing after an hour.
  private static let neverReceived = 60
  /// An identity is unknown, not damaged, from so many reports in two minutes on.
  private static let strangerReports = 5
  private static let strangerMinutes = 2
  /// The most unknown identities that are reported at a time.
  private static let strangersShown = 50
  /// A place with reports in fewer than one minute of fifty is not usual; clearly is above −80 dBm.
  private static let unusual = (share: 0.02, level: -80.0, minutes: 10)
  /// A level that differs by less than this is as before.
  private static let asBefore = 6.0
  /// A beacon whose reports have announced only valid powers for ten minutes is corrected: slots may be sent seldom.
  private static let powerPatience = TimeSpan.seconds(600)

  mutating func endMinute(_ minute: Int64) {
    let end = Timestamp(microseconds: (minute + 1) * FleetTime.microsecondsPerMinute)
    for receiver in receivers.indices { receivers[receiver].reachEnd(at: end) }
    let isCounted = receivers.map(\.isCounted)
    for index in beacons.indices { endMinute(of: index, minute, isCounted) }
    for receiver in receivers.indices { endMinute(ofReceiver: receiver, minute) }
    endMinuteOfStrangers()
    for index in beacons.indices { beacons[index].forgetMinute() }
    for receiver in receivers.indices { receivers[receiver].endMinute(at: end) }
  }

  // MARK: Beacons

  private mutating func endMinute(of index: Int, _ minute: Int64, _ isCounted: [Bool]) {
    let isReceived = beacons[index].isReceived
    beacons[index].endMinuteOfLinks(isReceived: isReceived, isCounted)
    let subject = FleetFinding.Subject.beacon(beacons[index].identity)
    if isReceived {
      beacons[index].endSilence()
      beacons[index].receiveMinute()
      set(.missing, subject, nil)
      judgePlaces(of: index, minute)
      judgePower(of: index)
    } else {
      extendSilence(of: index, minute, isCounted)
    }
    let wasContested = isOpen(.contested, subject)
    beacons[index].senders.endMinute(minute)
    if beacons[index].battery.goesBack { beacons[index].senders.add(.counters, in: minute) }
    let evidence = beacons[index].senders.evidence(in: minute)
    guard wasContested || !evidence.isEmpty else { return }
    let since = beacons[index].senders.since ?? now
    set(
      .contested,
      subject,
      evidence.isEmpty
        ? nil : FleetFinding(.contested, subject, since: since, found: now, evidence: evidence)
    )
  }

  private mutating func judgePower(of index: Int) {
    guard let (power, time) = beacons[index].implausible else { return }
    let subject = FleetFinding.Subject.beacon(beacons[index].identity)
    let isCorrected = now - time > Self.powerPatience
    let finding = FleetFinding(
      .powerImplausible,
      subject,
      since: now,
      found: now,
      after: Double(power)
    )
    if isCorrected { beacons[index].implausible = nil }
    set(.powerImplausible, subject, isCorrected ? nil : finding)
  }

  private mutating func extendSilence(of index: Int, _ minute: Int64, _ isCounted: [Bool]) {
    let subject = FleetFinding.Subject.beacon(beacons[index].identity)
    guard let last = beacons[index].last else {
      guard beacons[index].isListed, isCounted.contains(true) else { return }
      beacons[index].waited += 1
      guard beacons[index].waited >= Self.neverReceived else { return }
      return set(
        .missing,
        subject,
        FleetFinding(.missing, subject, since: start ?? now, found: now)
      )
    }
    let weight = weight(of: index, isCounted)
    guard weight > 0 else { return }
    beacons[index].extendSilence(in: minute, weight: weight)
    guard beacons[index].received >= Self.beaconLearned,
      beacons[index].surprise >= Self.surprise
    else { return }
    let isNew = beacons[index].received < Int(FleetTime.minutesPerDay)
    let longest = Double(beacons[index].absences.longestShort)
    let limit = max(
      isNew ? Self.silence.first : Self.silence.later,
      longest * Self.silenceShare + Self.silenceMargin
    )
    let expected = beacons[index].absences.expected(from: beacons[index].silentSince)
    guard beacons[index].silence >= limit, beacons[index].silence > Double(expected) else { return }
    set(.missing, subject, FleetFinding(.missing, subject, since: last, found: now))
  }

  /// The weight of a silent minute of a beacon, from 0 to 1: the part of its usual receivers.
  private func weight(of index: Int, _ isCounted: [Bool]) -> Double {
    let least = Self.usualPart * beacons[index].best
    var (counted, all) = (0.0, 0.0)
    for receiver in beacons[index].links.indices {
      let usual = beacons[index].links[receiver].usual
      guard usual > 0, usual >= least else { continue }
      let weight = beacons[index].links[receiver].weight
      if isCounted[receiver] || isAlone(index, at: receiver) { counted += weight }
      if receivers[receiver].down < Int(FleetTime.minutesPerDay) { all += weight }
    }
    return all > 0 ? min(1, counted / all) : 0
  }

  /// Whether a receiver listens and has nothing but this beacon to receive: then its silence is the beacon's.
  private func isAlone(_ index: Int, at receiver: Int) -> Bool {
    guard receivers[receiver].listened, receivers[receiver].reports == 0 else { return false }
    return !beacons.indices.contains { other in
      other != index && receiver < beacons[other].links.count
        && beacons[other].links[receiver].usual > 0
    }
  }

  /// Notices that a beacon is received clearly at a new place, and elsewhere as before.
  private mutating func judgePlaces(of index: Int, _ minute: Int64) {
    var isElsewhere: Bool?
    for receiver in beacons[index].links.indices {
      guard isUnusual(index, at: receiver) else {
        beacons[index].links[receiver].unusual = 0
        continue
      }
      let isThere = isElsewhere ?? isAsBefore(index)
      isElsewhere = isThere
      let minutes = isThere ? beacons[index].links[receiver].unusual + 1 : 0
      beacons[index].links[receiver].unusual = minutes
      if minutes >= Self.unusual.minutes { beacons[index].senders.add(.twoPlaces, in: minute) }
    }
  }

  /// Whether a receiver that never received a beacon in a day receives it clearly.
  private func isUnusual(_ index: Int, at receiver: Int) -> Bool {
    guard let mean = beacons[index].links[receiver].minute.mean,
      beacons[index].links[receiver].usual < Self.unusual.share
    else { return false }
    return receivers[receiver].minutes >= Int(FleetTime.minutesPerDay)
      && mean >= Self.unusual.level
  }

  /// Whether all usual receivers receive a beacon as before; one that was moved is not received so.
  private func isAsBefore(_ index: Int) -> Bool {
    let least = Self.usualPart * beacons[index].best
    return beacons[index].links.allSatisfy { link in
      guard link.usual >= least else { return true }
      guard let mean = link.minute.mean, let last = link.levels.last else { return false }
      return (mean - last).magnitude < Self.asBefore
    }
  }

  // MARK: Receivers

  private mutating func endMinute(ofReceiver receiver: Int, _ minute: Int64) {
    guard let state = receivers[receiver].state else { return }
    let subject = FleetFinding.Subject.receiver(receiver)
    if receivers[receiver].reports > 0 {
      let silent = Int64(max(receivers[receiver].silent, receivers[receiver].down))
      if silent > 0 {
        receivers[receiver].absences.add(start: receivers[receiver].silentSince, length: silent)
      }
      (receivers[receiver].silent, receivers[receiver].down) = (0, 0)
      learn(receiver, isReceiving: true)
      return set(.deafReceiver, subject, nil)
    }
    if receivers[receiver].silent + receivers[receiver].down == 0 {
      receivers[receiver].silentSince = minute
    }
    if receivers[receiver].listened {
      receivers[receiver].silent += 1
      if receivers[receiver].silent <= Self.deafAfter { learn(receiver, isReceiving: false) }
    } else if state == .listening {
      return
    } else {
      receivers[receiver].down += 1
    }
    guard isDeaf(receiver) else { return }
    let since = Timestamp(
      microseconds: receivers[receiver].silentSince * FleetTime.microsecondsPerMinute
    )
    set(
      .deafReceiver,
      subject,
      FleetFinding(
        .deafReceiver,
        subject,
        since: since,
        found: now,
        state: state == .listening ? nil : state
      )
    )
  }

  private mutating func learn(_ receiver: Int, isReceiving: Bool) {
    let minutes = min(receivers[receiver].minutes + 1, Int(FleetTime.minutesPerDay))
    receivers[receiver].minutes = minutes
    receivers[receiver].share +=
      ((isReceiving ? 1 : 0) - receivers[receiver].share) / Double(minutes)
  }

  private func isDeaf(_ number: Int) -> Bool {
    let receiver = receivers[number]
    let expected = receiver.absences.expected(from: receiver.silentSince)
    guard Int64(max(receiver.silent, receiver.down)) > expected else { return false }
    if receiver.down >= Self.downAfter { return true }
    let longest = Double(receiver.absences.longestShort) * Self.silenceShare
    guard receiver.silent >= max(Self.deafAfter, Int(longest)),
      receiver.minutes >= Self.receiverLearned, receiver.share >= Self.receiverShare
    else { return false }
    // The only beacon that it received may be missing instead.
    let usual = beacons.filter {
      $0.links.count > number && $0.links[number].usual >= Self.usualPart
    }
    return usual.count != 1 || usual[0].links.contains { $0.minute.reports > 0 }
  }

  // MARK: Unknown identities

  private mutating func endMinuteOfStrangers() {
    guard !strangers.isEmpty else { return }
    var shown = open.keys.count { $0.kind == .unknownIdentity }
    for identity in strangers.keys.sorted() {
      guard let stranger = strangers[identity] else { continue }
      let subject = FleetFinding.Subject.beacon(identity)
      if now - stranger.last > .seconds(86_400) {
        strangers[identity] = nil
        set(.unknownIdentity, subject, nil)
      } else if stranger.reports >= Self.strangerReports,
        stranger.minutes >= Self.strangerMinutes, shown < Self.strangersShown,
        !isOpen(.unknownIdentity, subject)
      {
        shown += 1
        let since = stranger.first
        set(
          .unknownIdentity,
          subject,
          FleetFinding(.unknownIdentity, subject, since: since, found: now)
        )
      }
    }
  }
}
