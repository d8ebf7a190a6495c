// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Counts the contents of a capture, batch by batch.
///
/// A hostile transmitter can send any number of identities and addresses, so both are counted up to a limit, and what
/// exceeds it is counted apart.
public struct CaptureInspection: Sendable {
  /// Advertising reports, of whatever content.
  public private(set) var reports = 0
  /// Reports that are a valid iBeacon.
  public private(set) var beaconReports = 0
  /// The time of the earliest report, if any.
  public private(set) var first: Timestamp?
  /// The time of the latest report, if any.
  public private(set) var last: Timestamp?
  /// Reports that look like an iBeacon and are not a valid one.
  public private(set) var rejected = Tally<RejectReason>()
  /// Reports that are not iBeacon and do not claim to be, by kind.
  package private(set) var others = Tally<AdvertisementKind>()
  /// Reports with an earlier time than the report that precedes them.
  public private(set) var outOfOrder = 0
  /// The reports of each advertising channel, of whatever content, if the capture states the channel.
  public private(set) var channels = ChannelLevels()
  /// The receivers in the order of their numbers, each listening unless the capture shows that it does not.
  public var receivers: [ReceiverListening] { listening.receivers }
  /// The time of the earliest and of the latest report, state or mark, on the clock of a replay; `nil` without any.
  public var span: (start: Timestamp, end: Timestamp)? { listening.span }
  /// When the receivers listened.
  package var listening: ListeningTimes { heldListening.settled }
  /// Reports of identities beyond ``identityLimit``, which are counted together.
  public private(set) var reportsOfFurtherIdentities = 0

  private var heldListening = ListeningTimes()
  private var indices: [BeaconIdentity: Int] = [:]
  private var records: [IdentityRecord] = []
  private var addresses: Set<IdentityAddress> = []
  private var lastTime = Timestamp.earliest
  /// The address of each identity's last report, and the comparison of its addresses if there are several.
  private var lastAddresses: [DeviceAddress?] = []
  private var contests: [Int: AddressContest] = [:]
  /// The first announced power of each identity that can be one, to which the compared levels refer.
  private var firstPowers: [Int8] = []

  /// The most identities counted separately: far more than any site has, at about 200 bytes each.
  public static let identityLimit = 100_000
  /// The most pairs of identity and address counted.
  public static let addressLimit = 1_000_000

  private struct IdentityAddress: Hashable {
    let identity: Int
    let address: UInt64
  }

  /// Creates an empty inspection.
  public init() {}

  /// The beacons found, the one with the most reports first; equal counts by identity.
  public var identities: [IdentityRecord] {
    records.sorted { ($1.reports, $0.identity) < ($0.reports, $1.identity) }
  }

  /// Whether there were more identities or addresses than are counted separately.
  public var isCapped: Bool {
    reportsOfFurtherIdentities > 0 || addresses.count >= Self.addressLimit
  }

  /// Counts a batch.
  public mutating func add(_ batch: ScanBatch) {
    heldListening.add(batch)
    let bytes = batch.bytes.span
    for input in batch.inputs {
      guard case .report(let report) = input else { continue }
      let reading = BeaconDecoder.read(report, in: bytes)
      add(report, reading)
      if case .rejected(let reason) = reading, !reason.claimsToBeBeacon {
        others.count(AdvertisementKind.read(advertisingData: bytes, in: report.payloadRange))
      }
    }
  }

  private mutating func add(_ report: AdvertisingReport, _ reading: BeaconReading) {
    if reports > 0, report.time < lastTime { outOfOrder += 1 }
    lastTime = report.time
    reports += 1
    first = min(first ?? report.time, report.time)
    last = max(last ?? report.time, report.time)
    channels.add(report)
    switch reading {
    case .beacon(let identity, let power):
      beaconReports += 1
      add(report, of: identity, power: power)
    case .presence: rejected.count(.noMeasuredPower)
    case .rejected(let reason):
      if reason.claimsToBeBeacon { rejected.count(reason) }
    }
  }

  private mutating func add(_ report: AdvertisingReport, of identity: BeaconIdentity, power: Int8) {
    guard let index = index(of: identity, power: power, at: report.time) else {
      reportsOfFurtherIdentities += 1
      return
    }
    records[index].reports += 1
    if !isPlausible(power, identity) { records[index].implausiblePower = power }
    if records[index].power != power,
      isPlausible(power, identity) || !isPlausible(records[index].power, identity)
    {
      records[index].power = power
    }
    records[index].channels.add(report)
    records[index].first = min(records[index].first, report.time)
    records[index].last = max(records[index].last, report.time)
    if let rssi = report.rssi {
      records[index].weakest = min(records[index].weakest ?? rssi, rssi)
      records[index].strongest = max(records[index].strongest ?? rssi, rssi)
    }
    compare(report, power: power, of: index)
    guard let address = report.address, addresses.count < Self.addressLimit else { return }
    if addresses.insert(IdentityAddress(identity: index, address: address.rawValue)).inserted {
      records[index].addresses += 1
    }
  }

  /// Whether an announced power can be the beacon's: of several slots, one without a power does not count.
  private func isPlausible(_ power: Int8, _ identity: BeaconIdentity) -> Bool {
    Calibration().power(for: identity, announced: power) != nil
  }

  /// Compares the levels of an identity's addresses, as ranging does; a contested identity stays so.
  private mutating func compare(_ report: AdvertisingReport, power: Int8, of index: Int) {
    guard let address = report.address else { return }
    let identity = records[index].identity
    if isPlausible(power, identity), !isPlausible(firstPowers[index], identity) {
      (firstPowers[index], lastAddresses[index], contests[index]) = (power, nil, nil)
      records[index].contested = nil
    }
    let difference = Calibration().difference(firstPowers[index], power, of: identity)
    // Levels of different powers, of which one cannot be a measured power, cannot be compared.
    guard let raised = difference ?? (firstPowers[index] == power ? 0 : nil) else { return }
    var report = report
    report.rssi = report.rssi.map { Int8(clamping: Int($0) + raised) }
    defer { lastAddresses[index] = address }
    guard let last = lastAddresses[index], last != address else { return }
    let limit = RangingConfiguration.defaultContestedDifference
    var contest = contests[index] ?? AddressContest()
    _ = contest.add(report, raisedBy: raised, at: report.time, explaining: limit)
    if contest.isContested { records[index].contested = contest.levels }
    contests[index] = contest
  }

  private mutating func index(of identity: BeaconIdentity, power: Int8, at time: Timestamp) -> Int?
  {
    if let known = indices[identity] { return known }
    guard records.count < Self.identityLimit else { return nil }
    indices[identity] = records.count
    lastAddresses.append(nil)
    firstPowers.append(power)
    records.append(IdentityRecord(identity: identity, power: power, first: time, last: time))
    return records.count - 1
  }
}
