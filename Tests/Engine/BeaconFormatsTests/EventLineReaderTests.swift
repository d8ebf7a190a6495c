// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconCore

/// What the writer of events writes, the reader reads back: a program of the service knows what its engine delivered.
struct EventLineReaderTests {
  private static let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E
  private static let constraints: [IdentityConstraint] = [
    .uuid(uuid), .major(uuid, 0), .minor(BeaconIdentity(uuid: uuid, major: 7, minor: 65_535)),
  ]
  private static let regions: [RegionIdentifier] = ["hall", "a \"b\"\n\\", "Gemälde 1"]

  /// Random events of every kind that a client can get.
  private static func events(_ random: inout SplitMix64) -> [Event] {
    let time = Timestamp(microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &random))
    let region = regions.randomElement(using: &random) ?? "hall"
    let constraint = constraints.randomElement(using: &random) ?? .uuid(uuid)
    let reason = RegionStateReason.allCases.randomElement(using: &random) ?? .received
    let why = explanation(&random)
    let status = AuthorizationStatus.allCases.randomElement(using: &random) ?? .denied
    let span = TimeSpan(microseconds: Int64.random(in: 0...90_000_000, using: &random))
    let code = LocationErrorCode.allCases.randomElement(using: &random) ?? .denied
    return [
      .ranged([ConstraintRanging(constraint: constraint, beacons: beacons(&random, near: time))]),
      .regionEntered(region, reason, why), .regionExited(region, reason, why),
      .regionState(
        region,
        RegionState.allCases.randomElement(using: &random) ?? .unknown,
        RegionStateOrigin.allCases.randomElement(using: &random) ?? .observed,
        reason
      ),
      .authorization(status, Bool.random(using: &random) ? .full : .reduced),
      .prompt(
        Prompt(
          kind: Prompt.Kind.allCases.randomElement(using: &random) ?? .always,
          choices: [.once, .dontAllow],
          text: region.rawValue,
          offersPrecise: Bool.random(using: &random),
          purpose: Bool.random(using: &random) ? "tour" : nil
        )
      ),
      .promptWithdrawn, .completion(.monitor(region), error: code),
      .completion(.temporaryFull(purpose: region.rawValue), error: nil),
      .failure(code, .region(region)), .failure(code, .constraint(constraint)),
      .notification(region),
      .indicator(UsageIndicator.Style.allCases.randomElement(using: &random) ?? .solid),
      .serviceDiagnostics(id: 7, [.accuracyLimited, .insufficientlyInUse]),
      .diagnostic(.timeGap(from: time, to: time + span)), .diagnostic(.radio(.radioDeaf)),
      .diagnostic(.source(.late(by: span))),
      .diagnostic(.source(.dropped(DropReason.allCases[0], count: 3))),
      .diagnostic(.regionLimitExceeded(region)),
      .diagnostic(.rangingSuspended(constraint, while: region, .outside)),
      .diagnostic(.powerImplausible(BeaconIdentity(uuid: uuid, major: 1, minor: 2), announced: -3)),
      .diagnostic(
        .exitTimeTooShort(
          region,
          Reception(interval: span, share: 0.25, silence: span, advised: span),
          longest: span
        )
      ),
      .diagnostic(.exitTimeTooShort(region, Self.beyondLongest, longest: span)),
      .diagnostic(.authorization(.usageTextMissing(key: "NSKey"))),
      .diagnostic(.authorization(.insufficientlyInUse)),
    ]
  }

  /// Of a beacon whose interval is too long to be learned.
  private static var beyondLongest: Reception {
    var reception = Reception(
      interval: .seconds(16),
      share: nil,
      silence: .seconds(40),
      advised: .seconds(60)
    )
    reception.isLeastInterval = true
    return reception
  }

  @Test func `an interval that is too long to be learned is said to be at least so long`() {
    let advice = EventSentence.capAdvice(Self.beyondLongest)
    #expect(advice.hasPrefix("sends at intervals of at least 16 s and comes back"))
  }

  private static func explanation(_ random: inout SplitMix64) -> Explanation {
    let rule = Explanation.Rule.allCases.randomElement(using: &random) ?? .firstReport
    let threshold: Explanation.Threshold =
      switch rule {
      case .firstReport, .enoughReports: .reports(3)
      case .enterWithin, .leaveBeyond: .distance(meters: 2.5)
      case .atPlace, .atOtherPlace, .nowhere: .place("hall \u{1B}\"")
      default: .silence(TimeSpan(microseconds: Int64.random(in: 0...99_000_000, using: &random)))
      }
    return Explanation(
      identity: BeaconIdentity(uuid: uuid, major: 1, minor: 65_535),
      reports: Int.random(in: 0...9, using: &random),
      rssi: Bool.random(using: &random) ? -60 : nil,
      power: -59,
      distance: Bool.random(using: &random) ? 1.25 : nil,
      interval: Bool.random(using: &random) ? TimeSpan(microseconds: 152_500) : nil,
      gap: nil,
      threshold: threshold,
      rule: rule,
      place: rule == .atPlace ? "hall" : nil,
      probability: rule == .atPlace ? 0.97 : nil
    )
  }

  private static func beacons(_ random: inout SplitMix64, near time: Timestamp) -> [RangedBeacon] {
    (0..<Int.random(in: 0...4, using: &random)).map { minor in
      let hundredths = Int.random(in: 0...9000, using: &random)
      let (meters, high) = (Double(hundredths) / 100, Double(hundredths + 100) / 100)
      return RangedBeacon(
        ranged: BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(minor)),
        Proximity.allCases.randomElement(using: &random) ?? .near,
        Bool.random(using: &random)
          ? DistanceEstimate(meters: meters, low: 0.5, high: high) : nil,
        rssi: Bool.random(using: &random) ? -71 : nil,
        reports: Int.random(in: 0...40, using: &random),
        lastReceived: time,
        isContested: Bool.random(using: &random),
        isHeld: Bool.random(using: &random)
      )
    }
  }

  private static func line(_ event: Event, at time: Timestamp) -> [UInt8] {
    var writer = EventLineWriter(EventNames(clients: ["user:anna/guide"]))
    let client = ClientID(number: 0)
    writer.append(Delivery(ofService: event, to: .client(client), at: time))
    return writer.bytes
  }

  @Test func `every event is read back as it was, and its line is the same again`() throws {
    var random = SplitMix64(seed: 20)
    for _ in 0..<200 {
      let time = Timestamp(
        microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &random)
      )
      for event in Self.events(&random) {
        let bytes = Self.line(event, at: time)
        let line = try #require(EventLineReader.read(Array(bytes.dropLast())))
        #expect(line.event == event)
        #expect(line.time == time && line.sequence == nil)
        #expect(Self.line(line.event, at: line.time) == bytes)
      }
    }
  }

  @Test func `no tick is longer than a line may be, and the beacons it leaves out are counted`()
    throws
  {
    let beacons = (0..<UInt16(1200)).map { minor in
      RangedBeacon(
        ranged: BeaconIdentity(uuid: Self.uuid, major: 65_535, minor: 64_000 + minor),
        .immediate,
        DistanceEstimate(meters: 12_345.67, low: 12_345.67, high: 12_345.67),
        rssi: -101,
        reports: 1_000_000,
        lastReceived: Timestamp(microseconds: 1),
        isContested: true
      )
    }
    var names = EventNames(clients: ["user:anna/guide"], showsAddresses: true)
    for beacon in beacons { names.book[beacon.identity] = String(repeating: "\u{1}", count: 80) }
    var writer = EventLineWriter(names)
    let client = Recipient.client(ClientID(number: 0))
    let tick = Event.ranged([ConstraintRanging(constraint: .uuid(Self.uuid), beacons: beacons)])
    writer.append(Delivery(ofService: tick, to: client, at: Timestamp(microseconds: 1)))
    #expect(writer.bytes.count < EventLineReader.longestLine)
    #expect(writer.bytes.count > EventLineReader.longestLine / 2)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(text.hasSuffix("],\"more\":200}\n"))
    let line = try #require(EventLineReader.read(Array(writer.bytes.dropLast())))
    if case .ranged(let entries) = line.event {
      #expect(entries.map(\.beacons.count) == [EventRecord.constraintLimit])
    } else {
      Issue.record("\(line.event)")
    }
  }

  /// The lines of ticks and sightings are written without their forms, which would cost time.
  @Test func `the fast lines of ticks and sightings are those of their forms`() {
    var random = SplitMix64(seed: 21)
    let names = EventNames(clients: ["user:anna/guide"], receivers: ["hci0"], showsAddresses: true)
    for _ in 0..<200 {
      let time = Timestamp(microseconds: 1_700_000_000_000_000)
      let beacons = Self.beacons(&random, near: time)
      let sighting = Sighting(
        time: time,
        identity: BeaconIdentity(uuid: Self.uuid, major: 1, minor: 2),
        measuredPower: -59,
        rssi: Bool.random(using: &random) ? -60 : nil,
        receiver: UInt8.random(in: 0...1, using: &random),
        address: Bool.random(using: &random) ? DeviceAddress(0xC0DE, kind: .random) : nil
      )
      let tick = Event.ranged([ConstraintRanging(constraint: .uuid(Self.uuid), beacons: beacons)])
      for (event, recipient) in [
        (tick, Recipient.client(ClientID(number: 0))), (.sighting(sighting), .theOperator),
      ] {
        var fast = EventLineWriter(names)
        fast.append(Delivery(ofService: event, to: recipient, at: time))
        var form = EventLineWriter(names)
        for record in EventRecord.records(of: event, names) {
          form.append(record, to: recipient, at: time)
        }
        #expect(
          String(decoding: fast.bytes, as: UTF8.self) == String(decoding: form.bytes, as: UTF8.self)
        )
      }
    }
  }

  @Test func `a crossing has its number, and what is not known is no line`() {
    let line = #"""
      {"v":1,"type":"region.state","t":"2026-01-01T00:00:00.000000Z","region":"a","state":"inside",\#
      "origin":"observed","reason":"heard","sequence":12}
      """#
    #expect(EventLineReader.read(Array(line.utf8))?.sequence == 12)
    for text in ["", "{}", "null", "[1]", "{\"type\":\"ranged\"}", "\u{1}"] {
      #expect(EventLineReader.read(Array(text.utf8)) == nil)
    }
    let other = line.replacing("region.state", with: "region.moved")
    #expect(EventLineReader.read(Array(other.utf8)) == nil)
  }

  @Test func `damaged lines are left out or read, and never trap`() {
    var random = SplitMix64(seed: 21)
    var read = 0
    for event in Self.events(&random) {
      let bytes = Array(Self.line(event, at: Timestamp(microseconds: 1)).dropLast())
      for _ in 0..<50 {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(
            in: 0...255,
            using: &random
          )
        }
        damaged.removeLast(Int.random(in: 0...2, using: &random))
        if EventLineReader.read(damaged) != nil { read += 1 }
      }
    }
    #expect(read < 50 * Self.events(&random).count)
  }
}
