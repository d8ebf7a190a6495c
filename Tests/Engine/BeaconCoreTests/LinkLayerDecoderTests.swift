// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@Suite struct LinkLayerDecoderTests {
  struct Outcome {
    var reports: [AdvertisingReport] = []
    var payloads: [[UInt8]] = []
    var drops: Tally<DropReason>

    init(
      _ hex: String,
      checksum: LinkLayerDecoder.Checksum = .good,
      isCoded: Bool = false,
      rssi: Int8? = -60
    ) {
      // Bytes in front of the packet and behind it have no effect.
      let packet = HCIEventDecoderTests.bytes(hex)
      let bytes = [0xFF, 0xFF] + packet + [0xFF]
      var sink = ScanSink()
      sink.begin(blockCount: bytes.count, expecting: 1)
      LinkLayerDecoder.decode(
        bytes.span,
        in: 2..<2 + packet.count,
        isCoded: isCoded,
        checksum: checksum,
        rssi: rssi,
        receiver: 3,
        at: HCIEventDecoderTests.time,
        into: &sink
      )
      let batch = ScanBatch(bytes: bytes + sink.extraBytes, inputs: sink.inputs)
      for case .report(let report) in batch.inputs {
        reports.append(report)
        payloads.append(Array(batch.payload(of: report)))
      }
      drops = sink.drops
    }
  }

  static let access = "d6be898e"

  /// Row W5.
  @Test(
    arguments: [
      ("40", .connectable, [1, 2]), ("42", .nonConnectable, [1, 2]), ("44", .scanResponse, [1, 2]),
      ("46", .scannable, [1, 2]), ("41", .directed, []),
    ] as [(String, AdvertisingEventKind, [UInt8])]
  )
  func `every kind of packet that carries data is read`(
    _ header: String,
    _ kind: AdvertisingEventKind,
    _ payload: [UInt8]
  ) {
    let outcome = Outcome("\(Self.access) \(header)08 0600000000c0 0102 000000")
    #expect(outcome.reports.map(\.kind) == [kind])
    #expect(outcome.reports.map(\.address) == [DeviceAddress(0xC000_0000_0006, kind: .random)])
    #expect(outcome.reports.map(\.receiver) == [3])
    #expect(outcome.payloads == [payload])
  }

  @Test func `a public address is distinguished from a random one`() {
    let outcome = Outcome("\(Self.access) 0206 060504030201 000000")
    #expect(
      outcome.reports.map(\.address) == [DeviceAddress(0x0102_0304_0506, kind: .publicDevice)]
    )
  }

  @Test(arguments: [
    ("\(access) 430c 060504030201 060504030201 000000", "a scan request"),
    ("\(access) 4522 060504030201 000000", "a connection request, and too short"),
    ("11223344 4206 060504030201 000000", "another access address"),
    ("\(access) 4205 0605040302 000000", "too short for an address"),
    ("\(access) 4209 060504030201 0102 000000", "a length that reaches into the checksum"),
    ("\(access) 42", "a header that is cut"),
    ("", "nothing"),
  ])
  func `other packets are counted with their reason`(_ hex: String, _ what: String) {
    let outcome = Outcome(hex)
    #expect(outcome.reports.isEmpty, "\(what)")
    #expect(outcome.drops[.notAdvertising] == 1, "\(what)")
  }

  @Test func `a checksum known to be wrong drops the packet`() {
    let outcome = Outcome("\(Self.access) 4206 060504030201 000000", checksum: .bad)
    #expect(outcome.reports.isEmpty)
    #expect(outcome.drops[.badCRC] == 1)
  }

  /// The script that makes the fixtures computed the checksum, and tshark confirms it.
  @Test(arguments: [("ce0834", 0), ("ce0835", 1)])
  func `a checksum that was not checked is checked`(_ checksum: String, _ dropped: Int) {
    let outcome = Outcome("\(Self.access) 4208 0600000000c0 0102 \(checksum)", checksum: .unchecked)
    #expect(outcome.drops[.badCRC] == dropped)
    #expect(outcome.reports.count == 1 - dropped)
  }

  @Test func `the coding indicator is skipped`() {
    let outcome = Outcome("\(Self.access) 00 4208 0600000000c0 0102 000000", isCoded: true)
    #expect(outcome.payloads == [[1, 2]])
  }

  @Test(
    arguments: [
      ("address and data", "470c 07 01 0600000000c0 01020304", [[1, 2, 3, 4]]),
      (
        "address, data information, pointer and data", "470f 0c 19 0600000000c0 1122 334455 0102",
        [[1, 2]]
      ),
      ("a pointer without data", "470d 0c 19 0600000000c0 1122 334455", []),
      ("data without an address", "4706 03 08 1122 0102", []),
      ("a header longer than the packet", "4709 3f 01 0600000000c0 01", []),
      ("a header too short for its address", "4709 03 01 0600000000c0 01", []),
    ] as [(String, String, [[UInt8]])]
  )
  func `an extended packet is read as far as it carries data`(
    _ name: String,
    _ pdu: String,
    _ payloads: [[UInt8]]
  ) {
    let outcome = Outcome("\(Self.access) \(pdu) 000000")
    #expect(outcome.payloads == payloads, "\(name)")
    #expect(outcome.reports.allSatisfy { $0.kind == .extended })
    #expect(outcome.drops[.notAdvertising] == (payloads.isEmpty ? 1 : 0))
  }
}
