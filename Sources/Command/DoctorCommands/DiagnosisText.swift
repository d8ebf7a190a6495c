// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconFormats

/// A diagnosis as a user or a program reads it.
package enum DiagnosisText {
  /// Rows for a user: a mark, the subject, the findings; under it the command that fixes it.
  package static func table(_ diagnosis: Diagnosis, style: TextStyle) -> [UInt8] {
    var text = ""
    for finding in diagnosis.findings {
      let subject = Column.left(finding.subject, 11)
      let mark = style.level(finding.level, Column.left(word(finding.level), 5))
      text += "\(mark) \(subject) \(finding.text.printable)\n"
      if let remedy = finding.remedy?.printable, finding.level != .good {
        text += "      \(remedy)\n"
      }
    }
    return Array((text + style.bold(diagnosis.sentence.printable) + "\n").utf8)
  }

  private static func word(_ level: Finding.Level) -> String {
    switch level {
    case .good: "ok"
    case .note: "note"
    case .problem: "WRONG"
    }
  }

  /// One JSON object.
  package static func json(_ diagnosis: Diagnosis, _ examination: Examination) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginLine("doctor")
    writer.key("findings")
    writer.beginArray()
    for finding in diagnosis.findings {
      writer.beginObject()
      writer.string("level", finding.level.rawValue)
      writer.string("subject", finding.subject)
      writer.string("text", finding.text)
      writer.key("remedy")
      optional(finding.remedy, to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("air")
    scan(examination.scan, to: &writer)
    writer.key("range")
    optional(diagnosis.range, to: &writer)
    writer.key("next")
    optional(diagnosis.next, to: &writer)
    writer.string("sentence", diagnosis.sentence)
    writer.endLine()
    return writer.bytes
  }

  private static func scan(_ scan: ReceptionMeasurement?, to writer: inout JSONLineWriter) {
    guard let scan else { return writer.null() }
    writer.beginObject()
    writer.seconds("seconds", scan.span)
    writer.integer("reports", scan.reports)
    writer.hundredths("reports_per_second", scan.rate)
    writer.integer("beacons", scan.beaconCount)
    writer.key("median_gap")
    if let gap = scan.medianGap { writer.seconds(gap) } else { writer.null() }
    writer.integer("smallest_rssi_step", scan.smallestStep)
    writer.string("duplicates", scan.duplicates.rawValue)
    writer.endObject()
  }

  private static func optional(_ text: String?, to writer: inout JSONLineWriter) {
    if let text { writer.string(text) } else { writer.null() }
  }
}

extension TextStyle {
  /// Text in the color of how much a finding matters; the word states it as well.
  fileprivate func level(_ level: Finding.Level, _ text: String) -> String {
    switch level {
    case .good: wrap(text, TextStyle.good)
    case .note: wrap(text, TextStyle.warning)
    case .problem: wrap(text, "1;\(TextStyle.bad)")
    }
  }
}
