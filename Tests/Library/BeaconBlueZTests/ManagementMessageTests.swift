// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconTestSupport
import Testing

struct ManagementMessageTests {
  /// Row B22.
  @Test func `the message that adds a monitor has the forty-one bytes that a kernel accepted`() {
    let head: [UInt8] = [0x52, 0, 1, 0, 0x23, 0, 1, 0xFF, 0, 4, 0x4C, 0, 2, 0x15]
    #expect(ManagementMessage.adding(1) == head + [UInt8](repeating: 0, count: 27))
    #expect(ManagementMessage.reading(1) == [0x51, 0, 1, 0, 0, 0])
    #expect(ManagementMessage.removing(0x0102, 1) == [0x53, 0, 1, 0, 2, 0, 2, 1])
  }

  /// Row B27: by BlueZ's `doc/mgmt-api.txt`.
  @Test func `the messages of an advertisement have the control channel's layout`() {
    #expect(ManagementMessage.readingAdvertising(2) == [0x3D, 0, 2, 0, 0, 0])
    #expect(
      ManagementMessage.adding([0xAA, 0xBB], instance: 5, seconds: 0x0102, 2)
        == [0x3E, 0, 2, 0, 13, 0, 5, 8, 0, 0, 0, 0, 0, 2, 1, 2, 0, 0xAA, 0xBB]
    )
    #expect(ManagementMessage.removingAdvertising(5, 2) == [0x3F, 0, 2, 0, 1, 0, 5])
    #expect(
      ManagementMessage.event([0x24, 0, 2, 0, 1, 0, 5])
        == .advertisingRemoved(controller: 2, instance: 5)
    )
    let features: [UInt8] = [0x7F, 0, 0, 0, 31, 31, 5]
    let read = ManagementMessage.advertising(features + [2, 1, 5])
    #expect(read?.possible == 5 && read?.used == [1, 5])
    for short in [features, features + [2, 1]] {
      #expect(ManagementMessage.advertising(short) == nil)
    }
  }

  @Test func `the kernel's answers are read`() {
    #expect(
      ManagementMessage.event([1, 0, 2, 0, 5, 0, 0x52, 0, 0, 7, 0])
        == .completed(command: 0x52, controller: 2, status: 0, parameters: [7, 0])
    )
    #expect(
      ManagementMessage.event([2, 0, 2, 0, 3, 0, 0x52, 0, 0x14])
        == .completed(command: 0x52, controller: 2, status: 0x14, parameters: [])
    )
    #expect(
      ManagementMessage.event([0x31, 0, 2, 0, 2, 0, 7, 0])
        == .monitorRemoved(controller: 2, handle: 7)
    )
    #expect(
      ManagementMessage.event([0x13, 0, 2, 0, 2, 0, 6, 0]) == .discoveryEnded(controller: 2)
    )
    #expect(ManagementMessage.event([0x13, 0, 2, 0, 2, 0, 6, 1]) == nil)
    let features: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 32, 0, 16]
    #expect(ManagementMessage.handles(features + [2, 0, 1, 0, 5, 0]) == [1, 5])
    #expect(ManagementMessage.handles(features + [0, 0]) == [])
    #expect(ManagementMessage.handles(features + [3, 0, 1, 0, 5, 0]) == nil)
  }

  @Test func `no bytes trap`() {
    var random = SplitMix64(seed: 9)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...60, using: &random) }
      if case .completed(_, _, _, let parameters) = ManagementMessage.event(bytes) {
        #expect(parameters.count <= count)
        _ = ManagementMessage.handles(parameters)
        _ = ManagementMessage.advertising(parameters)
      }
    }
  }
}
