// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

@testable import BeaconPlots

/// Traces in bounded memory, and the axes of a picture.
@Suite struct TraceTests {
  static let start = Timestamp(microseconds: 1_777_716_000_000_000)

  @Test func `a short trace keeps each value`() {
    var trace = ColumnTrace()
    for index in 0..<100 {
      trace.add(Double(index), at: Self.start + .milliseconds(Int64(index) * 2))
    }
    #expect(trace.columns.map(\.mean) == (0..<100).map(Double.init))
  }

  @Test func `a long trace has few columns, and keeps its extremes and its mean`() {
    var trace = ColumnTrace()
    for index in 0..<100_000 {
      let value = index == 77_777 ? -104 : index == 5 ? -20 : -60.0
      trace.add(value, at: Self.start + .milliseconds(Int64(index) * 864))
    }
    #expect((500...2048).contains(trace.columns.count), "\(trace.columns.count)")
    #expect(trace.columns.map(\.low).min() == -104)
    #expect(trace.columns.map(\.high).max() == -20)
    let last = trace.columns.last.map { trace.time(of: $0) } ?? .earliest
    #expect(abs((last - Self.start).seconds - 86_400) < 200)
  }

  @Test func `of many silences the longest are kept`() {
    var trace = SilenceTrace()
    var time = Self.start
    for index in 0..<50_000 {
      let end = time + .milliseconds(index % 1000 == 7 ? 20_000 : 900 + Int64(index % 7))
      trace.add(from: time, to: end)
      time = end
    }
    #expect(trace.silences.count <= 2048)
    let long = trace.silences.filter { $0.upperBound - $0.lowerBound == .seconds(20) }
    #expect(long.count == 50)
  }

  @Test func `labels are whole times of the local clock, also when it is changed`() {
    // At 01:00 UTC the offset changes from two hours to one.
    let change = Self.start
    let zone = LocalZone { $0 < change ? .seconds(7200) : .seconds(3600) }
    let axis = TimeAxis(
      change - .seconds(7200)...change + .seconds(7200),
      left: 0,
      right: 800,
      zone
    )
    let ticks = axis.ticks
    #expect(ticks.count > 5 && ticks.map(\.x) == ticks.map(\.x).sorted())
    #expect(ticks.allSatisfy { $0.label.hasSuffix("0") && $0.label.count == 5 }, "\(ticks)")
    for (first, second) in zip(ticks, ticks.dropFirst()) { #expect(second.x - first.x >= 72) }
    #expect(ticks.first?.note != nil && ticks.contains { $0.note == "UTC+01:00" })
    // The repeated hour has its labels twice.
    let hour = ticks.filter { $0.label.hasPrefix("11:") }
    #expect(hour.count == 4 && Set(hour.map(\.label)).count == 2, "\(ticks)")
    #expect(axis.changes == [change])
  }

  @Test(arguments: [0.05, 1, 20, 3600, 86_400, 4_000_000])
  func `every span has labels with room between them`(_ seconds: Double) {
    let axis = TimeAxis(
      Self.start...Self.start + TimeSpan(seconds: seconds),
      left: 70,
      right: 790,
      .utc
    )
    #expect((1...11).contains(axis.ticks.count), "\(axis.ticks)")
  }

  @Test func `distances have round labels that do not touch`() {
    let axis = ValueAxis(values: 0.13...180, top: 0, bottom: 72, isLogarithmic: true)
    let ticks = axis.ticks(5)
    #expect(ticks.contains(1) && ticks.contains(10) && ticks.contains(100))
    for (first, second) in zip(ticks, ticks.dropFirst()) {
      #expect(axis.y(first) - axis.y(second) > 13)
    }
  }
}
