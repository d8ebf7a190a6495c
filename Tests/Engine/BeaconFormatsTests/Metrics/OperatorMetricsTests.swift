// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFormats

@Suite struct OperatorMetricsGoldenTests {
  static let one = TestScan.beacon(1, 1)

  static func second(_ seconds: Double, _ level: Int8?, _ identity: BeaconIdentity = one)
    -> OperatorInput
  {
    var second = ReceivedSecond(
      second: TestScan.at(seconds),
      identity: identity,
      receiver: "hci0",
      ReceivedSum()
    )
    second.sum.add(rssi: level, power: -59, at: TestScan.at(seconds))
    return .reports(second)
  }

  static func metrics() -> OperatorMetrics {
    var book = NameBook()
    book[one] = "a \"quoted\" \\ door\n"
    var metrics = OperatorMetrics(version: "0.1", book: book)
    metrics.add(.receiver("hci0", .listening, TestScan.at(0)))
    metrics.add(second(1, -70))
    metrics.add(second(2, -61))
    metrics.add(.unlisted(3, second: TestScan.at(2)))
    metrics.set("guide", "hall", .inside)
    metrics.set("guide", "cellar", .unknown)
    metrics.cross("guide", "hall", isEntry: true, at: TestScan.at(2))
    return metrics
  }

  static func text(
    _ metrics: OperatorMetrics,
    _ format: MetricsExposition.Format = .text
  ) -> String {
    String(decoding: metrics.exposition(format, use: (1.5, 20_000_000)), as: UTF8.self)
  }

  @Test func `the expositions are the golden files`() throws {
    try Golden.expect(Self.text(Self.metrics()), "metrics/metrics.txt")
    try Golden.expect(Self.text(Self.metrics(), .openMetrics), "metrics/metrics.openmetrics")
  }

  @Test func `what is known of a beacon comes from the receiver that has it strongest`() {
    var metrics = Self.metrics()
    var other = ReceivedSecond(
      second: TestScan.at(2),
      identity: Self.one,
      receiver: "hci1",
      ReceivedSum()
    )
    other.sum.add(rssi: -50, power: -59, at: TestScan.at(2))
    metrics.add(.reports(other))
    metrics.measure(Self.one, meters: 0.5, isNear: true, at: TestScan.at(3))
    let known = metrics.knowledge[Self.one]?.known
    #expect(known?.receiver == "hci1")
    #expect(known?.rssi == -50)
    #expect(known?.isReceived == true)
    #expect(known?.isNear == true)
    #expect(known?.meters == 0.5)
    metrics.add(.reached(TestScan.at(40)))
    #expect(metrics.knowledge[Self.one]?.known == OperatorMetrics.Knowledge(), "nothing is fresh")
  }

  @Test func `a place is shown while it is fresh, and until the source ends`() {
    var metrics = Self.metrics()
    let two = TestScan.beacon(1, 2)
    func position(_ identity: BeaconIdentity) -> BeaconPlace.Position? {
      metrics.knowledge[identity]?.known.position
    }
    metrics.add(.place(BeaconPlace(Self.one, .at("hall"), hundredths: 97), TestScan.at(3)))
    metrics.add(.place(BeaconPlace(two, .unknown), TestScan.at(3)))
    metrics.add(.place(BeaconPlace(nil, .unknown), TestScan.at(3)))
    #expect(position(Self.one) == .at("hall"))
    #expect(metrics.knowledge[Self.one]?.known.hundredths == 97)
    #expect(position(two) == .unknown)
    metrics.add(.place(BeaconPlace(Self.one, .at("hall"), hundredths: 97), TestScan.at(20)))
    metrics.add(.place(BeaconPlace(nil, .absent), TestScan.at(20)))
    #expect(position(Self.one) == .at("hall"))
    #expect(position(two) == .absent, "what is said of those that are not followed")
    metrics.add(.reached(TestScan.at(51)))
    #expect(position(Self.one) == nil)
    metrics.add(.place(BeaconPlace(Self.one, .at("hall"), hundredths: 97), TestScan.at(52)))
    metrics.end()
    #expect(position(Self.one) == nil)
  }

  @Test func `places are bounded as beacons are`() {
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    for minor in 0..<UInt16(OperatorMetrics.beaconLimit + 10) {
      metrics.add(.place(BeaconPlace(TestScan.beacon(9, minor), .at("hall")), TestScan.at(1)))
    }
    #expect(metrics.knowledge.count == OperatorMetrics.beaconLimit)
  }

  @Test func `unknown is absent`() {
    var metrics = Self.metrics()
    #expect(!Self.text(metrics).contains("region=\"cellar\"} 0"))
    let inside = #"beacons_region_inside{client="guide",region="hall"} 1"#
    #expect(Self.text(metrics).contains(inside))
    #expect(Self.text(metrics).contains("beacons_rssi_dbm{"))
    metrics.add(.reached(TestScan.at(33)))
    let later = Self.text(metrics)
    #expect(!later.contains("beacons_rssi_dbm{"))
    #expect(later.contains("beacons_last_received_timestamp_seconds{"))
    metrics.end()
    let over = Self.text(metrics)
    #expect(!over.contains("beacons_region_inside{"))
    #expect(!over.contains("beacons_receiver_state{"))
    #expect(metrics.regions.map(\.isInside) == [nil, true], "the state at the end")
  }

  @Test func `labels are escaped and have no control characters`() {
    let text = Self.text(Self.metrics())
    #expect(text.contains(#"beacon="a \"quoted\" \\ door\\u{A}""#), "\(text)")
  }

  @Test func `so many beacons become series and no more`() {
    var metrics = OperatorMetrics(version: "0", book: NameBook())
    for minor in 0..<UInt16(OperatorMetrics.beaconLimit + 7) {
      metrics.add(Self.second(1, -70, TestScan.beacon(1, minor)))
    }
    #expect(metrics.rows.count == OperatorMetrics.beaconLimit)
    let text = Self.text(metrics)
    #expect(text.contains("beacons_series_truncated_total 7"))
    #expect(text.utf8.count < 200_000)
  }

  @Test func `each series occurs once, also where two beacons have one name`() {
    var book = NameBook()
    book[Self.one] = "twin"
    book[TestScan.beacon(1, 2)] = "twin"
    var metrics = OperatorMetrics(version: "0", book: book)
    metrics.add(Self.second(1, -70))
    metrics.add(Self.second(1, -60, TestScan.beacon(1, 2)))
    let series = Self.text(metrics).split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: " ").dropLast().joined(separator: " ") }
    #expect(Set(series).count == series.count)
    #expect(
      Set(metrics.rows.map(\.beacon)) == [
        "twin \(Self.one)", "twin \(TestScan.beacon(1, 2))",
      ]
    )
  }
}
