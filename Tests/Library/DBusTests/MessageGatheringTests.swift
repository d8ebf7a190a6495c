// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import DBus
import Testing

/// When messages collect between two reads.
@Suite struct MessageGatheringTests {
  private var gathering = MessageGathering(for: .milliseconds(30))

  private func time(_ milliseconds: Int64) -> Uptime {
    Uptime(nanoseconds: (1000 + milliseconds) * 1_000_000)
  }

  @Test mutating func `messages collect after two reads in short succession`() {
    gathering.hasRead(at: time(0))
    #expect(!gathering.isOn(at: time(0)))
    gathering.hasRead(at: time(32))
    #expect(gathering.isOn(at: time(61)) && !gathering.isOn(at: time(62)))
    #expect(gathering.end == time(62))
  }

  @Test mutating func `a read after a pause begins nothing`() {
    gathering.hasRead(at: time(0))
    gathering.hasRead(at: time(33))
    #expect(!gathering.isOn(at: time(33)))
  }

  @Test mutating func `several reads at one time are one`() {
    gathering.hasRead(at: time(0))
    gathering.hasRead(at: time(0))
    #expect(!gathering.isOn(at: time(0)))
  }

  @Test mutating func `another descriptor's data collects for the usual time`() {
    gathering.begin(at: time(0))
    #expect(gathering.isOn(at: time(5)) && !gathering.isOn(at: time(6)))
  }
}
