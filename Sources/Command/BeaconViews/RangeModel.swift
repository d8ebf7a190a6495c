// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
package import BeaconCore
package import BeaconFormats

/// The deliveries of a run of ranging so far, as far as the view shows them.
package struct RangeModel: Sendable {
  /// A line of what happened.
  package struct Line: Sendable, Equatable {
    /// When on the timeline; `nil` for messages of the program.
    package let time: Timestamp?
    package let text: String
  }

  /// The beacons of the last tick.
  package private(set) var rows: [RangeRow.Key: RangeRow] = [:]
  /// What happened, the latest last.
  package private(set) var lines: [Line] = []
  /// The states of the receivers, by number, as far as the source reports them.
  package private(set) var radio: [UInt8: RadioState] = [:]
  /// The receivers that were never there: they stand for a source none of whose receivers is known yet.
  package private(set) var absent: Set<UInt8> = []
  /// The names of the receivers, by number.
  package private(set) var receivers: [String] = []
  /// The latest time of the timeline.
  package private(set) var now = Timestamp.earliest
  /// How many beacons the last tick had beyond those that are kept.
  package private(set) var further = 0
  /// What else advertises, by kind: devices of the last seconds.
  package private(set) var others = OtherDevices()
  /// Whether there was anything on the timeline yet.
  package private(set) var hasBegun = false
  /// Whether the source has ended.
  package private(set) var hasEnded = false
  /// The rate of all advertising reports, iBeacon or not.
  private var scan = RateMeter()
  private let mergesSameIdentity: Bool
  /// Whether everything nearby is shown, and so other frames are counted.
  private let countsOthers: Bool
  /// The names of beacons.
  var book: NameBook
  /// How long a silent beacon stays listed.
  private let linger: TimeSpan

  /// More rows than any list has, to move to an end of it.
  static let rowsLimit = 1 << 20
  /// The most beacons of everything nearby that are kept: the nearest.
  static let nearbyLimit = 500
  /// As many lines as a large terminal has, a few times over.
  private static let linesKept = 500

  /// Starts with nothing received.
  ///
  /// - Parameters:
  ///   - mergesSameIdentity: Whether beacons of one identity are one row, as the engine has them.
  ///   - countsOthers: Whether frames other than iBeacons are counted.
  ///   - book: The names of beacons.
  ///   - linger: How long a silent beacon stays listed.
  package init(
    mergesSameIdentity: Bool,
    countsOthers: Bool = false,
    book: NameBook = NameBook(),
    linger: TimeSpan = .seconds(10)
  ) {
    self.mergesSameIdentity = mergesSameIdentity
    self.countsOthers = countsOthers
    self.book = book
    self.linger = linger
  }

  /// Whether receivers are known and all of them are silent: the list is of the past.
  package var hasNoReceiver: Bool { !radio.isEmpty && !radio.values.contains(.listening) }

  /// Advertising reports a second, with any content; `nil` before a second has passed.
  package var reportRate: Double? { scan.rate }

  /// Receives a delivery.
  ///
  /// - Returns: Whether there is something new to see.
  package mutating func receive(_ delivery: Delivery) -> Bool {
    pass(to: delivery.time)
    switch delivery.event {
    case .sighting(let sighting):
      rows[key(of: sighting.identity, sighting.address)]?.scan.receive(sighting)
      return false
    case .ranged(let entries):
      receive(
        entries.map { (constraint: $0.constraint, beacons: $0.beacons[...]) },
        at: delivery.time
      )
    case .nearby(let beacons):
      further = max(0, beacons.count - Self.nearbyLimit)
      receive([(constraint: nil, beacons: beacons.prefix(Self.nearbyLimit))], at: delivery.time)
    default: show(EventSentence.text(of: delivery.event, book), at: delivery.time)
    }
    return true
  }

  /// Receives the reports and receiver states of a batch.
  ///
  /// - Returns: Whether there is something new to see.
  package mutating func receive(_ batch: ScanBatch, receivers names: [String]) -> Bool {
    var isNew = false
    receivers = names
    for input in batch.inputs {
      pass(to: input.time)
      switch input {
      case .report(let report):
        scan.count(at: input.time)
        if countsOthers { others.receive(report, in: batch.bytes.span) }
      case .level: scan.count(at: input.time)
      case .radio(let receiver, let state, _):
        isNew = isNew || radio[receiver] != state
        if state == .listening, let before = radio[receiver], before != .listening {
          show("\(names[safely: Int(receiver)] ?? "a receiver") listens again", at: input.time)
        }
        if state.isChange(from: radio[receiver]) {
          absent.remove(receiver)
        } else if radio[receiver] == nil {
          absent.insert(receiver)
        }
        radio[receiver] = state
      case .mark, .notice, .place: break
      }
    }
    if let time = batch.upTo { pass(to: time) }
    return isNew
  }

  /// Adds a line of what happened.
  package mutating func show(_ text: String, at time: Timestamp? = nil) {
    lines.append(Line(time: time, text: text))
    if lines.count > Self.linesKept { lines.removeFirst() }
  }

  /// The source has ended.
  package mutating func end() {
    hasEnded = true
  }

  /// Notes that time has passed.
  mutating func pass(to time: Timestamp) {
    hasBegun = true
    guard time > now else { return }
    now = time
    scan.pass(to: time)
    // Without a receiver no tick removes a beacon that is silent for too long.
    guard hasNoReceiver, !hasEnded else { return }
    rows = rows.filter { time - $0.value.beacon.lastReceived <= linger }
  }

  private func key(of identity: BeaconIdentity, _ address: DeviceAddress?) -> RangeRow.Key {
    RangeRow.Key(identity: identity, address: mergesSameIdentity ? nil : address)
  }

  private mutating func receive(
    _ entries: [(constraint: IdentityConstraint?, beacons: ArraySlice<RangedBeacon>)],
    at time: Timestamp
  ) {
    var listed: [RangeRow.Key: RangeRow] = [:]
    for entry in entries {
      for beacon in entry.beacons {
        let key = key(of: beacon.identity, beacon.address)
        // A beacon that satisfies two constraints is one row.
        guard listed[key] == nil else { continue }
        guard var row = rows.removeValue(forKey: key) else {
          listed[key] = RangeRow(key, beacon, of: entry.constraint, at: time)
          continue
        }
        row.receive(beacon, of: entry.constraint, at: time)
        listed[key] = row
      }
    }
    rows = listed
  }
}

/// Counts reports by the seconds of the timeline.
private struct RateMeter: Sendable {
  /// Five seconds: a user can read the number before it changes.
  private static let length: Int64 = 5

  private var counts = [Int](repeating: 0, count: Int(length))
  private var second: Int64?
  private var elapsed: Int64 = 0

  mutating func count(at time: Timestamp) {
    pass(to: time)
    // A delivery that a batch caused may come before the batch.
    let own = time.microseconds / 1_000_000
    guard let second, second - own < Self.length else { return }
    counts[Int(own % Self.length)] += 1
  }

  mutating func pass(to time: Timestamp) {
    let next = time.microseconds / 1_000_000
    guard let from = second else {
      second = next
      return
    }
    guard next > from else { return }
    for passed in (max(from, next - Self.length) + 1)...next {
      counts[Int(passed % Self.length)] = 0
    }
    elapsed = min(elapsed + next - from, Self.length - 1)
    second = next
  }

  /// Over the whole seconds kept, without the current one.
  var rate: Double? {
    guard let second, elapsed > 0 else { return nil }
    let whole = (1...elapsed).reduce(0) { $0 + counts[Int((second - $1) % Self.length)] }
    return Double(whole) / Double(elapsed)
  }
}

/// Devices that advertise something else than iBeacon, counted by kind; bounded, since an address costs a sender nothing.
package struct OtherDevices: Sendable {
  private var devices: [UInt64: (kind: AdvertisementKind, last: Timestamp)] = [:]
  private var nextPurge = Timestamp.earliest

  /// How long a device counts after its last report: as long as a silent beacon stays listed.
  private static let span = TimeSpan.seconds(10)
  /// More devices than a hall has.
  private static let limit = 4096

  /// The devices by kind.
  package var counts: Tally<AdvertisementKind> {
    var counts = Tally<AdvertisementKind>()
    for device in devices.values { counts.count(device.kind) }
    return counts
  }

  mutating func receive(_ report: AdvertisingReport, in bytes: Span<UInt8>) {
    if report.time >= nextPurge {
      devices = devices.filter { report.time - $0.value.last < Self.span }
      nextPurge = report.time + .seconds(1)
    }
    guard let address = report.address?.rawValue else { return }
    guard case .rejected(let reason) = BeaconDecoder.read(report, in: bytes),
      !reason.claimsToBeBeacon, devices[address] != nil || devices.count < Self.limit
    else { return }
    let kind = AdvertisementKind.read(advertisingData: bytes, in: report.payloadRange)
    // A device that advertises several kinds counts as the most specific of them.
    let known = devices[address]?.kind ?? kind
    devices[address] = (known.rawValue < kind.rawValue ? known : kind, report.time)
  }
}
