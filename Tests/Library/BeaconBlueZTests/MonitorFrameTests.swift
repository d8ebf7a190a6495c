// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import Glibc
import Testing

struct MonitorFrameTests {
  private func frame(_ opcode: UInt16, _ payload: [UInt8]) -> MonitorFrame? {
    MonitorFrame(MonitorPair.packet(opcode, 3, payload).span)
  }

  /// Row B20.
  @Test func `every packet that passes the filter is read`() {
    let address: [UInt8] = [6, 5, 4, 3, 2, 1]
    #expect(
      frame(0, MonitorPair.newIndex())
        == .found(adapter: 3, address: 0x0102_0304_0506, name: "hci0")
    )
    #expect(
      frame(0, MonitorPair.newIndex([0, 0, 0, 0, 0, 0]))
        == .found(adapter: 3, address: nil, name: "hci0")
    )
    #expect(frame(1, []) == .gone(adapter: 3))
    #expect(frame(3, [0x3E, 0]) == .event(adapter: 3, 6..<8))
    #expect(frame(8, []) == .opened(adapter: 3))
    #expect(frame(9, []) == .closed(adapter: 3))
    #expect(frame(10, address + [0, 0]) == .identified(adapter: 3, address: 0x0102_0304_0506))
    #expect(frame(12, Array("Linux version 6.1\0rest".utf8)) == .note("Linux version 6.1"))
    #expect(frame(17, [1, 2, 3]) == .other)
  }

  @Test func `a packet whose length differs from its header is refused`() {
    #expect(MonitorFrame([3, 0, 0, 0, 1, 0].span) == nil)
    #expect(MonitorFrame([3, 0, 0, 0, 0, 0, 9].span) == nil)
    #expect(MonitorFrame([3, 0, 0].span) == nil)
    #expect(MonitorFrame([UInt8]().span) == nil)
    #expect(frame(0, [0, 1, 6, 5, 4]) == nil)
    #expect(frame(10, [1, 2, 3]) == nil)
  }

  @Test func `no bytes trap`() {
    var random = SplitMix64(seed: 11)
    var decoder = MonitorDecoder()
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...60, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Most packets should pass the check of the header.
      if count >= 6, Bool.random(using: &random) {
        bytes.replaceSubrange(
          0..<6,
          with: [UInt8.random(in: 0...18, using: &random), 0, 0, 0, UInt8(count - 6), 0]
        )
        if count > 8 { bytes[6] = 0x3E }
      }
      decoder.receive(bytes.span, at: Timestamp(microseconds: 0)) { _ in 0 }
      let batch = decoder.drainBatch()
      for case .report(let report) in batch.inputs {
        #expect(batch.payload(of: report).count == Int(report.payloadCount))
      }
    }
    #expect(decoder.malformed > 0)
  }

  @Test func `an adapter is the same as BlueZ's, unless its address differs`() {
    var adapter = MonitorAdapter(number: 0, address: nil, name: "hci0")
    #expect(adapter.mayHave(address: "01:02:03:04:05:06"))
    adapter.address = 0x0102_0304_0506
    #expect(adapter.mayHave(address: "01:02:03:04:05:06"))
    #expect(!adapter.mayHave(address: "01:02:03:04:05:07"))
    #expect(!adapter.mayHave(address: "nonsense"))
  }

  @Test func `each reason why the channel cannot be opened has its own error`() {
    #expect(MonitorSocket.reason(EAFNOSUPPORT) == .noKernelBluetooth)
    guard case .kernelNotPermitted(let program) = MonitorSocket.reason(EPERM) else {
      Issue.record("EPERM is a permission that is missing")
      return
    }
    #expect(program.hasPrefix("/"))
    #expect(MonitorSocket.reason(EPERM).isPermission)
    #expect(
      "\(MonitorSocket.reason(EPERM))".hasSuffix(
        "chgrp bluetooth \(program) && chmod 750 \(program) && setcap cap_net_raw+ep \(program)"
      )
    )
    #expect(!MonitorSocket.reason(ENOMEM).isPermission)
    // A socket needs no capability: what refuses it is a filter, or a security module.
    for error in [EPERM, EACCES] {
      #expect(MonitorSocket.reason(error, hasSocket: false) == .kernelForbidden)
    }
    #expect(BlueZUnavailable.kernelForbidden.isPermission)
  }
}
