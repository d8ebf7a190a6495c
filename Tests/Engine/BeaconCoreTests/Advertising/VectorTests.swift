// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

/// Every byte vector decodes as expected: our own and those from other projects' tests and bug reports.
@Suite struct VectorTests {
  struct Row: Decodable, Sendable, CustomTestStringConvertible {
    struct Frame: Decodable, Equatable, Sendable {
      let uuid: String
      let major: UInt16
      let minor: UInt16
      let power: Int?
    }

    let `as`: String?
    let what: String?
    let hex: String
    let beacon: Frame?
    let expect: Frame?
    let presence: Frame?
    let reason: String?
    let note: String

    var testDescription: String { note }

    var bytes: [UInt8] {
      let digits = Array(hex)
      return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)!
      }
    }

    var reading: BeaconReading {
      switch `as` ?? what {
      case "hci", "hci_event": BeaconDecoder.read(packet: bytes)
      case "manufacturer", "manufacturer_data":
        BeaconDecoder.read(manufacturerData: bytes.span, in: 0..<bytes.count)
      default: BeaconDecoder.read(advertisingData: bytes.span, in: 0..<bytes.count)
      }
    }
  }

  static func rows(_ file: URL) -> [Row] {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map {
      try! JSONDecoder().decode(Row.self, from: Data($0.utf8))
    }
  }

  static let ours = rows(ProjectFiles.fixtures.appending(path: "vectors/ibeacon.jsonl"))
  static let gathered =
    ProjectFiles.data.map { rows($0.appending(path: "ibeacon-vectors.jsonl")) } ?? []

  private func frame(_ reading: BeaconReading) -> Row.Frame? {
    guard case .beacon(let identity, let power) = reading else { return nil }
    return Row.Frame(
      uuid: UUIDText.string(identity.uuid),
      major: identity.major,
      minor: identity.minor,
      power: Int(power)
    )
  }

  /// Rows W1, W2, W4, W6, W7, W11.
  @Test(arguments: ours) func `our own vectors`(_ row: Row) {
    let reading = row.reading
    #expect(frame(reading) == row.beacon)
    #expect(reading.reason?.name == row.reason)
    if case .presence(let identity) = reading {
      #expect(row.presence?.minor == identity.minor)
    } else {
      #expect(row.presence == nil)
    }
  }

  @Test func `our own vectors are complete`() {
    #expect(Self.ours.count >= 58)
  }

  @Test(
    .enabled(if: ProjectFiles.data != nil, "no ../shared/data and no $BEACON_DATA"),
    arguments: gathered
  )
  func `gathered vectors`(_ row: Row) {
    let expected = row.expect.map {
      Row.Frame(uuid: $0.uuid.uppercased(), major: $0.major, minor: $0.minor, power: $0.power)
    }
    #expect(frame(row.reading) == expected)
  }

  @Test(.enabled(if: ProjectFiles.data != nil, "no ../shared/data and no $BEACON_DATA"))
  func `all hundred gathered vectors are present`() {
    #expect(Self.gathered.count == 100)
  }
}
