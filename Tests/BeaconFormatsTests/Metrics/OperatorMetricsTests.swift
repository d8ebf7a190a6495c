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
    var sum = ReceivedSecond(
      second: TestScan.at(seconds),
      identity: identity,
      receiver: "hci0",
      power: -59,
      last: TestScan.at(seconds)
    )
    sum.add(rssi: level, power: -59, at: TestScan.at(seconds))
    return .reports(sum)
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
