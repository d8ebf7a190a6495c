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

  /// A field of a line that a spreadsheet separates at semicolons: quotes count only at the beginning of a line.
  @Test(arguments: [
    ";=1+1", "x;=HYPERLINK(\"http://a\")", "x;=1;+2", "x; =1", "x;\"=1+1", "x;\u{FF1D}1", "x;;@a",
    "-60;-60",
  ])
  func `no text has a formula after a semicolon`(text: String) {
    let field = Self.field(text)
    #expect(field.hasPrefix("\"") && field.hasSuffix("\""), "\(field)")
    var writer = CSVWriter()
    writer.row(["1", text])
    let cells = String(decoding: writer.bytes, as: UTF8.self).split(separator: ";").dropFirst()
    #expect(!cells.isEmpty)
    for cell in cells {
      let start = cell.drop { $0 == " " || $0 == "\"" }.unicodeScalars.first
      #expect(start.map { !"=+-@\u{FF1D}".unicodeScalars.contains($0) } ?? true, "\(field)")
    }
  }

  @Test(arguments: [("a;b", "\"a;b\""), ("a; b=c;", "\"a; b=c;\""), (";", "\";\"")])
  func `a semicolon is quoted, and other texts after it stay`(text: String, field: String) {
    #expect(Self.field(text) == field)
  }

  @Test func `quotes, commas and lines are fields, and the end of a line is chosen`() {
    var writer = CSVWriter(lineEnd: "\r\n")
    writer.row(["a,b", "a \"x\"", "=1,2"])
    #expect(
      String(decoding: writer.bytes, as: UTF8.self) == "\"a,b\",\"a \"\"x\"\"\",\"'=1,2\"\r\n"
    )
  }
}
