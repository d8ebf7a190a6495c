// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

/// Where tshark is; outside of the suite, because the suite's own trait uses it.
enum Wireshark {
  static let tshark = ["/usr/bin/tshark", "/usr/local/bin/tshark"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}

/// The counts agree with those of tshark, which reads the same files.
@Suite(.enabled(if: Wireshark.tshark != nil, "tshark is not installed"))
struct WiresharkAgreementTests {
  /// Fixtures and real captures that tshark can read.
  static var files: [URL] {
    let ours = FixtureCaptureTests.rows
      .filter { $0.format != .hcidumpText && $0.format != .hcidump }
      .map { ProjectFiles.fixtures.appending(path: "captures/\($0.name)") }
    guard let data = ProjectFiles.data else { return ours }
    let theirs = RealCaptureTests.rows.filter { $0.format != .hcidumpText }.map(\.file)
    let sniffed = ["nrf52", "ubertooth"].map { "pact-linklayer/confroom-6ft-\($0)-0deg.pcapng" }
    return ours + (theirs + sniffed).map { data.appending(path: $0) }
  }

  @Test(.slow, .timeLimit(.minutes(10)), arguments: files)
  func `reports are as many as tshark finds`(_ file: URL) throws {
    let contents = try CaptureContents(file)
    #expect(try contents.reports.count == Self.reports(in: file))
  }

  /// Reports in HCI events, and advertising packets with a right checksum and an address.
  static func reports(in file: URL) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Wireshark.tshark))
    let sniffed =
      "btle.advertising_header.pdu_type in {0, 1, 2, 4, 6} and btle.advertising_address"
      + " and not btle.crc.incorrect and not nordic_ble.crcok == 0 and not _ws.malformed"
    process.arguments = [
      "-r", file.path, "-T", "fields", "-e", "bthci_evt.le_num_reports", "-e", "frame.number",
      "-Y", "bthci_evt.le_meta_subevent in {2, 13} or (\(sniffed))",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
      let first = line.split(separator: "\t", omittingEmptySubsequences: false).first ?? ""
      // A link-layer packet has no count, and is one report.
      return sum + (Int(first) ?? 1)
    }
  }
}
