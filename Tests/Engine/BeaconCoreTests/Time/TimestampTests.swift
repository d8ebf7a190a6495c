// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Times and spans: earlier and later, within the years 1970 to 9999.
struct TimestampTests {
  private static let noon = Timestamp(microseconds: 1_780_315_200_000_000)

  @Test(arguments: [TimeSpan.zero, .seconds(5), .seconds(-5), TimeSpan(microseconds: 1)])
  func `subtracting a span and adding it again changes nothing`(_ span: TimeSpan) {
    #expect(Self.noon - span + span == Self.noon)
    #expect(Self.noon - (Self.noon - span) == span)
  }

  @Test func `no span leads out of the years there are`() {
    let longest = TimeSpan(microseconds: .max)
    let shortest = TimeSpan(microseconds: .min)
    #expect(Self.noon - longest == .earliest)
    #expect(Self.noon - shortest == .latest)
    #expect(Timestamp.earliest - shortest == .latest)
    #expect(Timestamp.latest - longest == .earliest)
    #expect(Timestamp.earliest - .seconds(1) == .earliest)
    #expect(Timestamp.latest - .seconds(-1) == .latest)
  }
}
