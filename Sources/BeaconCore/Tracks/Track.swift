// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What is known of one beacon.
struct Track: Sendable {
  /// The filtered signal of one receiver.
  struct ReceiverSignal: Sendable {
    var filter: TrackFilter
    let receiver: UInt8

    init(receiver: UInt8, filter: TrackFilter) {
      self.filter = filter
      self.receiver = receiver
    }
  }

  // In this order the properties leave no gaps: tracks are what memory goes to.

  /// The signal of the receiver that first heard the beacon.
  var signal: ReceiverSignal
  /// Whether the track has not ended.
  private(set) var isLive = true
  /// The power byte last announced, whether it can serve or not; `nil` while only its presence was heard.
  var announcedPower: Int8?
  /// Where it stands in the list of beacons that ticks tell of; −1 once it has lingered out.
  private var listedPlace: Int32 = -1
  /// The interval at which it is received.
  var interval = IntervalEstimate()
  /// Reports since the last tick, and the sum and number of those with an RSSI.
  var reports: Int32 = 0
  var rssiCount: Int32 = 0
  var rssiSum: Int32 = 0
  /// Its proximity over time.
  var classifier = ProximityClassifier()
  /// The address it was last heard from.
  var address: DeviceAddress?
  /// When the beacon was last heard.
  var lastReceived: Timestamp
  /// The order in which beacons were first heard.
  let firstReceivedOrder: UInt64
  /// The signals of further receivers, which most machines do not have.
  var furtherSignals: [ReceiverSignal] = []
  /// The numbers of the other constraints; most beacons are ranged by one, which then costs no array.
  private(set) var furtherMatches: [Int32] = []
  /// The number of the first ranged constraint it satisfies; −1 for none.
  private(set) var firstMatch: Int32 = -1
  /// The version of the constraints that the matches were looked up in; 0 for never.
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

  /// Takes in a report.
  ///
  /// - Returns: Whether that is all; `false` where another receiver than the first heard it, whose signal is then to be
  ///   added by ``receivedElsewhere(_:at:filter:)``.
  @inline(__always)
  mutating func heard(
    _ report: borrowing AdvertisingReport,
    measuredPower: Int8?,
    at time: Timestamp
  ) -> Bool {
    interval.heard(at: time)
    lastReceived = time
    address = report.address
    if let measuredPower { announcedPower = measuredPower }
    reports &+= 1
    // A frame that ends before its power byte counts for presence alone.
    guard let rssi = report.rssi, measuredPower != nil else { return true }
    rssiCount &+= 1
    rssiSum &+= Int32(rssi)
    guard report.receiver == signal.receiver else { return false }
    signal.filter.add(rssi, at: time)
    return true
  }

  /// Takes the RSSI of a report that another receiver than the first heard.
  @inline(never)
  mutating func receivedElsewhere(
    _ report: borrowing AdvertisingReport,
    at time: Timestamp,
    filter: borrowing RSSIFilterConfiguration
  ) {
    guard let rssi = report.rssi else { return }
    let receiver = report.receiver
    if let index = furtherSignals.firstIndex(where: { $0.receiver == receiver }) {
      furtherSignals[index].filter.add(rssi, at: time)
    } else {
      var further = ReceiverSignal(receiver: receiver, filter: TrackFilter(filter))
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

  /// Gives back what the track holds, when it has ended.
  mutating func release() {
    isLive = false
    furtherSignals = []
    furtherMatches = []
    signal.filter.release()
  }

  /// Where it stands in the list of beacons that ticks tell of; `nil` once it has lingered out.
  var listedIndex: Int32? {
    get { listedPlace < 0 ? nil : listedPlace }
    set { listedPlace = newValue ?? -1 }
  }

  /// Forgets what was heard since the last tick.
  mutating func beginSecond() {
    reports = 0
    rssiCount = 0
    rssiSum = 0
  }
}
