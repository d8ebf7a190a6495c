// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The knowledge of one beacon at one receiver.
struct FleetLink: Sendable {
  /// The reports of the current minute.
  var minute = ReceivedSum()
  /// The gap before the last event, in seconds.
  var lastGap: Double?
  /// The last announced power, from the last address.
  var power: Int8?
  /// The last two addresses.
  var address: DeviceAddress?
  var earlierAddress: DeviceAddress?
  /// Of the minutes in which a receiver received the beacon and this receiver could, the part in which it did.
  var usual = 0.0
  var minutes = 0
  /// Minutes in succession in which the beacon was received clearly although that was not usual.
  var unusual = 0
  var levels = LinkLevels()

  /// A day is usual.
  private static let memory = Int(FleetTime.minutesPerDay)

  /// The weight of a silent minute of this receiver: the logarithm of how improbable it is.
  var weight: Double {
    // A hundredth is the least that is believed: silences have reasons that last.
    -DeterministicMath.log(1 - min(usual, 0.99))
  }

  /// - Parameter minutes: For how many minutes others received the beacon, and this receiver could have.
  init(after minutes: Int) {
    self.minutes = min(minutes, Self.memory)
  }

  mutating func endMinute(isReceived: Bool, isCounted: Bool) {
    if isReceived, isCounted || minute.reports > 0 {
      minutes = min(minutes + 1, Self.memory)
      usual += ((minute.reports > 0 ? 1 : 0) - usual) / Double(minutes)
    }
    levels.add(minute)
  }

  mutating func forgetMinute() { minute = ReceivedSum() }
}

/// The knowledge of one beacon of the fleet.
struct FleetBeacon: Sendable {
  /// When a receiver received the last event first, and in which stretch of uninterrupted listening that was.
  struct Event {
    var time: Timestamp?
    var stretch = 0
  }

  let identity: BeaconIdentity
  let isListed: Bool
  /// By the number of the receiver.
  var links: [FleetLink] = []
  /// The last event at each of them; apart from the rest, since each report is compared with all of them.
  var events: [Event] = []
  var intervals = IntervalWatch()
  var senders = SenderWatch()
  var absences = AbsenceMemory()
  var battery = BatteryWatch()
  /// The power that it announced last.
  var power: Int8?
  /// The last power that it announced that cannot be its measured power, and when.
  var implausible: (power: Int8, time: Timestamp)?
  /// The address that is known to be its own.
  var address: DeviceAddress?
  /// The minutes in which it was received.
  private(set) var received = 0
  /// When it was received last.
  var last: Timestamp?
  /// How many minutes it has been silent, each by its weight; and the minute in which that started.
  private(set) var silence = 0.0
  /// How improbable that is if nothing is wrong: the sum of the logarithms.
  private(set) var surprise = 0.0
  /// Of the last minutes in which its receivers could receive it, the part in which one did; and before the silence.
  private var share = 0.0
  private var shareBefore = 0.0
  private var shareMinutes = 0.0
  private(set) var silentSince: Int64 = 0
  /// The minutes in which some receiver received anything, before the beacon was received at all.
  var waited = 0

  init(_ identity: BeaconIdentity, isListed: Bool) {
    self.identity = identity
    self.isListed = isListed
  }

  /// How many minutes are remembered: people and doors let a beacon near a receiver's limit fade.
  ///
  /// Each minute of a silence is remembered as well, and makes the next one less improbable: it may have faded further.
  private static let shareMemory = 20.0
  /// A hundredth is the least that is believed, as at a receiver; and nothing fades for ten hours.
  private static let shareBounds = (least: 0.02, most: 0.99)

  /// Adds a minute in which it was received.
  mutating func receiveMinute() {
    received += 1
    shareMinutes = min(shareMinutes + 1, Self.shareMemory)
    share += (1 - share) / shareMinutes
    shareBefore = share
  }

  /// Adds a minute in which it was not received; its weight is from 0 to 1.
  mutating func extendSilence(in minute: Int64, weight: Double) {
    if silence == 0 { silentSince = minute }
    silence += weight
    let part = min(max(share, Self.shareBounds.least), Self.shareBounds.most)
    surprise -= weight * DeterministicMath.log(1 - part)
    share -= weight * share / Self.shareMemory
  }

  /// Ends a silence; a long one, such as a night, is no evidence of the reports after it.
  mutating func endSilence() {
    guard silence > 0 else { return }
    let length = Int64(silence.rounded(.up))
    absences.add(start: silentSince, length: length)
    if length >= AbsenceMemory.longFrom { share = shareBefore }
    (silence, surprise) = (0, 0)
  }

  /// The usual reception of the best receiver of the beacon.
  var best: Double { links.reduce(0) { max($0, $1.usual) } }
  /// Whether a receiver received it in the minute.
  var isReceived: Bool { links.contains { $0.minute.reports > 0 } }

  mutating func endMinuteOfLinks(isReceived: Bool, _ isCounted: [Bool]) {
    for link in links.indices {
      links[link].endMinute(isReceived: isReceived, isCounted: isCounted[link])
    }
  }

  mutating func forgetMinute() {
    for link in links.indices { links[link].forgetMinute() }
  }
}

/// The knowledge of one receiver.
struct FleetReceiver: Sendable {
  /// `nil` before its state or a report of it is known.
  var state: RadioState?
  /// Whether it did not listen at some time of the minute.
  private(set) var paused = true
  /// Since when it has listened in the minute; `nil` while it does not.
  private var since: Timestamp?
  /// How long it listened in the minute before that, in seconds; and usually in the last minutes.
  private var (seconds, usualSeconds) = (0.0, 60.0)
  /// Reports of any device in the minute.
  var reports = 0
  /// Of the minutes in which it listened, the part with reports.
  var share = 0.0
  var minutes = 0
  /// Minutes in succession in which it listened and received nothing, or did not listen.
  var silent = 0
  var down = 0
  var silentSince: Int64 = 0
  var absences = AbsenceMemory()

  /// Whether it listened and received something, so that a silence is evidence.
  var isCounted: Bool { listened && reports > 0 }
  /// Whether it listened all the time, or for as long as usual if it listens in turns.
  var listened: Bool {
    guard paused else { return state == .listening }
    return usualSeconds < Self.turns.most && seconds > usualSeconds * Self.turns.part
  }

  /// Who usually listens for less than this in a minute, in seconds, listens in turns; and the part of it that is as usual.
  private static let turns = (most: 57.0, part: 0.75, memory: 20.0)

  /// Processes a state.
  mutating func set(_ new: RadioState, at time: Timestamp) {
    stop(at: time)
    state = new
    if new == .listening { since = time }
  }

  /// Processes that nothing is known from now on until a time.
  mutating func stop(at time: Timestamp, until end: Timestamp? = nil) {
    paused = true
    if let since { seconds += max(time - since, .zero).seconds }
    since = state == .listening ? end : nil
  }

  /// Ends the minute, whose length in seconds it usually listens is learned unless a gap is in it.
  mutating func endMinute(at end: Timestamp) {
    (reports, seconds) = (0, 0)
    paused = state != .listening
    if since != nil { since = end }
  }

  /// Adds the time for which it listened until the end of the minute.
  mutating func reachEnd(at end: Timestamp) {
    if let since { seconds += max(end - since, .zero).seconds }
    if state != nil { usualSeconds += (seconds - usualSeconds) / Self.turns.memory }
  }
}
