// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconFormats

/// Comma-separated values that a spreadsheet opens.
@Suite struct CSVWriterTests {
  private static func field(_ text: String) -> String {
    var writer = CSVWriter()
    writer.row([text])
    return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
  }

  @Test(arguments: [
    "=cmd|' /C calc'!A0", "+1+cmd|x", "-1+1", "@SUM(1)", "\u{FF1D}1+1", "\u{FF20}x", "--1", "+",
    "-inf", " =1+1", "\u{A0}=1+1",
  ])
  func `no text is a formula`(text: String) {
    #expect(Self.field(text).trimmingPrefix("\"").hasPrefix("'"), "\(text)")
  }

  @Test(arguments: ["-60", "-60.5", "+3", "-1e-3", "", "Astrolabe", "a=b", "'=x", "4/5"])
  func `numbers and other texts stay as they are`(text: String) {
    #expect(Self.field(text) == text)
  }

  @Test func `quotes, commas and lines are fields, and the end of a line is chosen`() {
    var writer = CSVWriter(lineEnd: "\r\n")
    writer.row(["a,b", "a \"x\"", "=1,2"])
    #expect(
      String(decoding: writer.bytes, as: UTF8.self) == "\"a,b\",\"a \"\"x\"\"\",\"'=1,2\"\r\n"
    )
  }
}
