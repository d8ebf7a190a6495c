// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@testable import BeaconFormats

@Suite struct AddressPseudonymsTests {
  @Test func `addresses are numbered as they appear and keep their kind`() {
    var pseudonyms = AddressPseudonyms()
    let one = DeviceAddress(0xAABB_CCDD_EEFF, kind: .random)
    let two = DeviceAddress(0xAABB_CCDD_EEFF, kind: .publicDevice)
    #expect(pseudonyms.pseudonym(for: one) == DeviceAddress(0x0200_0000_0001, kind: .random))
    #expect(pseudonyms.pseudonym(for: two) == DeviceAddress(0x0200_0000_0002, kind: .publicDevice))
    #expect(pseudonyms.pseudonym(for: one) == DeviceAddress(0x0200_0000_0001, kind: .random))
  }

  @Test func `the oldest is forgotten when the table is full`() {
    var pseudonyms = AddressPseudonyms(capacity: 2)
    let addresses = (0..<3).map { DeviceAddress($0, kind: .random) }
    let given = addresses.map { pseudonyms.pseudonym(for: $0).bits & 0xFF }
    #expect(given == [1, 2, 3])
    #expect(pseudonyms.forgotten == 1)
    #expect(pseudonyms.pseudonym(for: addresses[2]).bits & 0xFF == 3)
    #expect(pseudonyms.pseudonym(for: addresses[0]).bits & 0xFF == 4)
  }

  @Test func `a recording is redacted unless that is switched off`() throws {
    let secret = DeviceAddress(0xAABB_CCDD_EEFF, kind: .random)
    var batch = ScanBatch()
    batch.append(
      AdvertisingReport(
        time: .earliest,
        rssi: nil,
        address: secret,
        payloadStart: 0,
        payloadCount: 0
      ),
      payload: []
    )
    for redacting in [true, false] {
      var writer = CaptureLineWriter(CaptureHeader(), redacting: redacting)
      writer.append(batch)
      let lines = DecodedLines(writer.bytes)
      #expect(lines.decoder.header?.isRedacted == redacting)
      #expect((lines.reports.first?.address == secret) == !redacting)
    }
  }
}
