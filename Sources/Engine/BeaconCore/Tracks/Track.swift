// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The state of one beacon.
struct Track: Sendable {
  /// The filtered signal of one receiver.
  struct ReceiverSignal: Sendable {
    var filter: TrackFilter
    let receiver: UInt8
    /// How far the mean of the reports lies from the filter's level.
    var offset = MeanOffset()

    init(receiver: UInt8, filter: TrackFilter) {
      self.filter = filter
      self.receiver = receiver
    }

    /// Returns the level at a time; at the end of a second, learns from the mean of the second's reports.
    @inline(__always)
    mutating func level(at time: Timestamp, sum: Int32, reports: Int32) -> FilteredRSSI? {
      let level = filter.estimate(at: time)
      if let level, reports > 0, filter.standsStill {
        offset.learn(Double(sum) / Double(reports) - level.dBm, reports: reports)
      }
      return level
    }
  }

  /// The filtered signal of another receiver than the first, with its reports since the last tick.
  ///
  /// The first receiver's reports are the others of the track, so that a track with one receiver counts once.
  struct FurtherSignal: Sendable {
    var signal: ReceiverSignal
    var rssiCount: Int32 = 0
    var rssiSum: Int32 = 0

    mutating func add(_ rssi: Int8, at time: Timestamp) {
      signal.filter.add(rssi, at: time)
      rssiCount &+= 1
      rssiSum &+= Int32(rssi)
    }
  }

  // In this order the properties leave no gaps: most memory is used by tracks.

  /// The signal of the receiver that received the beacon first.
  var signal: ReceiverSignal
  /// Whether the track has not ended.
  private(set) var isLive = true
  /// Whether two devices send the beacon's identity, so that its distance is unknown.
  var isContested = false
  /// The announced power byte to which its levels refer, plausible or not; `nil` while only its presence is known.
  private(set) var announcedPower: Int8?
  /// Its index in the list of beacons in ticks; −1 when it is not listed.
  private var listedPlace: Int32 = -1
  /// The interval at which it is received.
  var interval = IntervalEstimate()
  /// Reports since the last tick, and the sum and number of those with an RSSI.
  var reports: Int32 = 0
  var rssiCount: Int32 = 0
  var rssiSum: Int32 = 0
  /// By how much that sum was raised, because reports announced another power than that of the levels.
  var raisedSum: Int32 = 0
  /// Its proximity over time.
  var classifier = ProximityClassifier()
  /// The raw value of the address in the last report: one number is compared and stored faster than an optional.
  private(set) var rawAddress = DeviceAddress.unknown
  /// When the beacon was last received.
  var lastReceived: Timestamp
  /// The order in which beacons were first received.
  let firstReceivedOrder: UInt64
  /// The signals of other receivers; most machines have only one.
  var furtherSignals: [FurtherSignal] = []
  /// The numbers of the other constraints; most beacons satisfy only one, which needs no array.
  private(set) var furtherMatches: [Int32] = []
  /// The number of the first ranged constraint it satisfies; −1 for none.
  private(set) var firstMatch: Int32 = -1
  /// The version of the constraints at the last look-up; 0 before the first.
  private(set) var matchesVersion: UInt32 = 0

  init(
    firstReceivedOrder: UInt64,
    receiver: UInt8,
    filter: borrowing RSSIFilterConfiguration,
    at time: Timestamp
  ) {
    self.firstReceivedOrder = firstReceivedOrder
    lastReceived = time
    signal = ReceiverSignal(receiver: receiver, filter: TrackFilter(filter))
  }

  /// Processes a report.
  ///
  /// - Returns: The RSSI that ``receivedElsewhere(_:by:at:filter:)`` must add, when another receiver than the first
  ///   received the report; `nil` when it is completely processed.
  @inline(__always)
  mutating func received(
    _ report: borrowing AdvertisingReport,
    measuredPower: Int8?,
    at time: Timestamp
  ) -> Int8? {
    interval.received(at: time)
    lastReceived = time
    rawAddress = DeviceAddress.rawValue(of: report.address)
    reports &+= 1
    // A frame that ends in front of its power byte counts only as presence.
    guard let rssi = report.rssi, measuredPower != nil else { return nil }
    rssiCount &+= 1
    rssiSum &+= Int32(rssi)
    guard report.receiver == signal.receiver else { return rssi }
    signal.filter.add(rssi, at: time)
    return nil
  }

  /// The meaning of a report that announces another power than the one to which the levels refer.
  enum PowerChange: Equatable {
    /// Its level must be raised by so many decibels.
    case raised(Int)
    /// It shows the beacon's presence only.
    case presence
    /// The levels now refer to its power; whether it can be compared with the report before.
    case replaced(isComparable: Bool)
  }

  /// Processes that a report announces another power than the one to which the levels refer.
  ///
  /// A beacon may send with two powers in turn, and announce each power's level at one meter. If one of them cannot be a
  /// calibration, no distance follows from the levels sent with it, and those sent with the other one count.
  mutating func changePower(
    to power: Int8,
    of identity: BeaconIdentity,
    at time: Timestamp,
    by configuration: borrowing RangingConfiguration
  ) -> PowerChange {
    guard let known = announcedPower else {
      announcedPower = power
      return .replaced(isComparable: true)
    }
    if let difference = configuration.calibration.difference(known, power, of: identity) {
      return .raised(difference)
    }
    if configuration.calibration.isUseless(power, beside: known, of: identity), hasLevel(at: time) {
      return .presence
    }
    announcedPower = power
    if configuration.calibration.isUseless(known, beside: power, of: identity) {
      forgetLevels(configuration.filter)
    }
    return .replaced(
      isComparable: configuration.calibration.areReplaced(known, power, of: identity)
    )
  }

  /// Whether a report's level still counts at a time.
  private func hasLevel(at time: Timestamp) -> Bool {
    // The filters are copied, since an estimate can change them.
    var own = signal.filter
    if own.estimate(at: time) != nil { return true }
    return furtherSignals.contains {
      var filter = $0.signal.filter
      return filter.estimate(at: time) != nil
    }
  }

  /// Forgets the levels so far: at which power they were sent is unknown.
  private mutating func forgetLevels(_ filter: borrowing RSSIFilterConfiguration) {
    signal = ReceiverSignal(receiver: signal.receiver, filter: TrackFilter(filter))
    for index in furtherSignals.indices {
      let receiver = furtherSignals[index].signal.receiver
      furtherSignals[index].signal = ReceiverSignal(receiver: receiver, filter: TrackFilter(filter))
    }
  }

  /// Returns whether the levels of two addresses must be compared: a report's address differs from that of the report
  /// before, or they were found to differ.
  ///
  /// It takes raw values and the track's property instead of the track: a method of a track in a span copies the whole track, which would
  /// cost a fifth of a report.
  @inline(__always)
  static func mustCompare(
    _ next: UInt64,
    after known: UInt64,
    isContested: Bool
  ) -> Bool {
    if isContested { return true }
    let unknown = DeviceAddress.unknown
    return next != known && next != unknown && known != unknown
  }

  /// Adds the RSSI of a report from another receiver than the first.
  @inline(never)
  mutating func receivedElsewhere(
    _ rssi: Int8,
    by receiver: UInt8,
    at time: Timestamp,
    filter: borrowing RSSIFilterConfiguration
  ) {
    if let index = furtherSignals.firstIndex(where: { $0.signal.receiver == receiver }) {
      furtherSignals[index].add(rssi, at: time)
    } else {
      let signal = ReceiverSignal(receiver: receiver, filter: TrackFilter(filter))
      var further = FurtherSignal(signal: signal)
      further.add(rssi, at: time)
      furtherSignals.append(further)
    }
  }

  /// Stores which ranged constraints the beacon satisfies.
  mutating func setMatches(_ numbers: [Int32], version: UInt32) {
    firstMatch = numbers.first ?? -1
    furtherMatches = numbers.count > 1 ? Array(numbers.dropFirst()) : []
    matchesVersion = version
  }

  /// Releases the storage of the track, when it has ended.
  mutating func release() {
    isLive = false
    furtherSignals = []
    furtherMatches = []
    signal.filter.release()
  }

  /// The address in the last report.
  @inline(__always)
  var address: DeviceAddress? { DeviceAddress(rawValue: rawAddress) }

  /// The sum of the reports' RSSI since the last tick, as received.
  @inline(__always)
  var receivedSum: Int32 { rssiSum &- raisedSum }

  /// Its index in the list of beacons in ticks; `nil` when it is not listed.
  var listedIndex: Int32? {
    get { listedPlace < 0 ? nil : listedPlace }
    set { listedPlace = newValue ?? -1 }
  }

  /// Clears the reports since the last tick.
  @inline(__always)
  mutating func beginSecond() {
    reports = 0
    rssiCount = 0
    rssiSum = 0
    raisedSum = 0
    if !furtherSignals.isEmpty { beginSecondElsewhere() }
  }

  @inline(never)
  private mutating func beginSecondElsewhere() {
    for index in furtherSignals.indices {
      furtherSignals[index].rssiCount = 0
      furtherSignals[index].rssiSum = 0
    }
  }
}
