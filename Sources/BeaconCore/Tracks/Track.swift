// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What is known of one beacon.
struct Track: Sendable {
  /// The filtered signal of one receiver.
  struct ReceiverSignal: Sendable {
    let receiver: UInt8
    var filter: RSSIFilter
  }

  let key: TrackKey
  /// The order in which beacons were first heard.
  let firstHeardOrder: UInt64
  /// When the beacon was last heard.
  var lastHeard: Timestamp
  /// The address it was last heard from.
  var address: DeviceAddress?
  /// The power byte last announced, whether it can serve or not; `nil` while only its presence was heard.
  var announcedPower: Int8?
  /// Reports since the last tick, and the sum and number of those with an RSSI.
  var reports: Int32 = 0
  var rssiCount: Int32 = 0
  var rssiSum: Int64 = 0
  /// The signal of the receiver that first heard the beacon.
  var signal: ReceiverSignal
  /// The signals of further receivers, which most machines do not have.
  var furtherSignals: [ReceiverSignal] = []
  /// The interval at which it is received.
  var interval = IntervalEstimate()
  /// What its own gaps say about how long it may be silent and still be there.
  var gaps = GapStatistics()
  /// The regions it marks.
  private(set) var regions: [RegionReference] = []
  /// Whether any of them is a zone, which must be told the distance.
  private(set) var marksZone = false
  /// The version of the regions that these were looked up in; 0 for never.
  private(set) var regionsVersion: UInt32 = 0
  /// Its proximity over time.
  var classifier = ProximityClassifier()
  /// Where it stands in the list of beacons that ticks tell of; `nil` once it has lingered out.
  var listedIndex: Int32?
  /// Whether the track has not ended.
  private(set) var isLive = true
  /// The number of the first ranged constraint it satisfies; −1 for none.
  private(set) var firstMatch: Int32 = -1
  /// The numbers of the others; most beacons are ranged by one constraint, which then costs no array.
  private(set) var furtherMatches: [Int32] = []
  /// The version of the constraints that the matches were looked up in; 0 for never.
  private(set) var matchesVersion: UInt32 = 0

  init(
    key: TrackKey,
    firstHeardOrder: UInt64,
    receiver: UInt8,
    filter: RSSIFilterConfiguration,
    at time: Timestamp
  ) {
    self.key = key
    self.firstHeardOrder = firstHeardOrder
    lastHeard = time
    signal = ReceiverSignal(receiver: receiver, filter: filter.makeFilter())
  }

  /// Takes in a report.
  mutating func heard(
    _ report: borrowing AdvertisingReport,
    measuredPower: Int8?,
    at time: Timestamp,
    filter: borrowing RSSIFilterConfiguration
  ) {
    interval.heard(at: time)
    lastHeard = time
    address = report.address
    if let measuredPower { announcedPower = measuredPower }
    reports &+= 1
    // A frame that ends before its power byte counts for presence alone.
    guard let rssi = report.rssi, measuredPower != nil else { return }
    rssiCount &+= 1
    rssiSum &+= Int64(rssi)
    if report.receiver == signal.receiver {
      signal.filter.add(rssi, at: time)
    } else {
      addFurther(rssi, receiver: report.receiver, at: time, filter: filter)
    }
  }

  @inline(never)
  private mutating func addFurther(
    _ rssi: Int8,
    receiver: UInt8,
    at time: Timestamp,
    filter: borrowing RSSIFilterConfiguration
  ) {
    if let index = furtherSignals.firstIndex(where: { $0.receiver == receiver }) {
      furtherSignals[index].filter.add(rssi, at: time)
    } else {
      var further = ReceiverSignal(receiver: receiver, filter: filter.makeFilter())
      further.filter.add(rssi, at: time)
      furtherSignals.append(further)
    }
  }

  /// Remembers which ranged constraints the beacon satisfies.
  mutating func setMatches(_ numbers: [Int32], version: UInt32) {
    firstMatch = numbers.first ?? -1
    furtherMatches = Array(numbers.dropFirst())
    matchesVersion = version
  }

  /// Remembers which regions the beacon marks.
  mutating func setRegions(_ found: [RegionReference], marksZone: Bool, version: UInt32) {
    regions = found
    self.marksZone = marksZone
    regionsVersion = version
  }

  /// Gives back what the track holds, when it has ended.
  mutating func release() {
    isLive = false
    furtherSignals = []
    furtherMatches = []
    regions = []
    signal.filter = RSSIFilterConfiguration.latest(LatestFilter.Parameters()).makeFilter()
  }

  /// Forgets what was heard since the last tick.
  mutating func beginSecond() {
    reports = 0
    rssiCount = 0
    rssiSum = 0
  }
}
