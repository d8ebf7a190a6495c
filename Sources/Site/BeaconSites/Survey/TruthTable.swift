// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The true places of a beacon: stays in places, as a user wrote them down.
///
/// The file has comma-separated values with a line of titles: `start`, `end` and `name`, and `beacon` where several
/// were carried; other columns are ignored. Stays of a beacon in two places do not overlap. A time is RFC 3339, or a number of seconds: since 1970, or since the start
/// of the capture if it is below 10⁸.
package struct TruthTable: Sendable, Equatable {
  /// The most stays.
  package static let stayLimit = 2_000_000
  /// The most faults reported.
  private static let faultLimit = 100
  /// Smaller numbers are seconds since the start of the capture.
  private static let relativeBelow = 1e8

  private struct Stay: Sendable, Equatable {
    var start: Int64
    var end: Int64
    var place: Int
    /// The line of the file.
    var line: Int32
  }

  /// The places' names, in the order of their first stay in the file.
  package private(set) var names: [String] = []
  /// Whether the stays name their beacon.
  package private(set) var namesBeacons = false
  /// The stays of each beacon, ordered by their start; those of the only beacon if the file names none.
  private var stays: [BeaconIdentity?: [Stay]] = [:]

  /// How many stays there are.
  package private(set) var count = 0

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The file, in UTF-8.
  ///   - start: The start of the capture.
  /// - Throws: ``JSON5Faults`` with the first hundred faults, each with line and column.
  package init(_ bytes: [UInt8], startingAt start: Timestamp) throws(JSON5Faults) {
    var reader = TruthReader(bytes, start)
    while reader.faults.count < Self.faultLimit, let row = reader.nextRow() {
      guard let columns = reader.columns else {
        if reader.faults.isEmpty { reader.readTitles(row) }
        if reader.columns == nil { break }
        continue
      }
      guard let stay = reader.stay(row, columns, &names) else { continue }
      stays[stay.beacon, default: []]
        .append(
          Stay(start: stay.start, end: stay.end, place: stay.place, line: Int32(reader.line))
        )
      count += 1
      if count > Self.stayLimit {
        reader.addFault("a file has at most \(Self.stayLimit) stays", column: 1)
        break
      }
    }
    if reader.columns == nil, reader.faults.isEmpty {
      reader.addFault("the file is empty; its first line is 'start,end,name'", column: 1)
    }
    namesBeacons = reader.columns?.beacon != nil
    for beacon in stays.keys {
      stays[beacon]?.sort { ($0.start, $0.line) < ($1.start, $1.line) }
      addOverlaps(of: stays[beacon] ?? [], to: &reader)
    }
    guard reader.faults.isEmpty else {
      throw JSON5Faults(reader.faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
    }
  }

  /// Creates the places of the only beacon, from stays one after the other.
  init(_ stays: [LiveSurvey.Stay]) {
    count = stays.count
    let all = stays.map { stay in
      let place = names.firstIndex(of: stay.place) ?? names.count
      if place == names.count { names.append(stay.place) }
      return Stay(
        start: stay.start.microseconds,
        end: stay.end.microseconds,
        place: place,
        line: 0
      )
    }
    self.stays[nil] = all
  }

  /// Adds a fault for each stay that begins before one in another place has ended.
  private func addOverlaps(of stays: [Stay], to reader: inout TruthReader) {
    guard var last = stays.first else { return }
    for stay in stays.dropFirst() {
      if stay.start < last.end, stay.end > stay.start, stay.place != last.place {
        guard reader.faults.count < Self.faultLimit else { return }
        let (later, earlier) = stay.line > last.line ? (stay, last) : (last, stay)
        reader.addFault(
          "the stay in '\(names[later.place].excerpt)' overlaps that in"
            + " '\(names[earlier.place].excerpt)' of line \(earlier.line);"
            + " a beacon is in one place at a time, so correct the times of one of them",
          column: 1,
          line: Int(later.line)
        )
      }
      if stay.end > last.end { last = stay }
    }
  }

  /// Returns the place in which a beacon was, by its number in ``names``; `nil` without a label.
  package func place(of beacon: BeaconIdentity, at time: Timestamp) -> Int? {
    guard let stays = stays[namesBeacons ? beacon : nil] else { return nil }
    var (low, high) = (0, stays.count)
    while low < high {
      let middle = (low + high) / 2
      if stays[middle].start <= time.microseconds { low = middle + 1 } else { high = middle }
    }
    guard low > 0, time.microseconds < stays[low - 1].end else { return nil }
    return stays[low - 1].place
  }

  /// Reads the rows of the file.
  private struct TruthReader: ~Copyable {
    struct Columns {
      var start: Int
      var end: Int
      var name: Int
      var beacon: Int?
    }

    struct Field {
      var text: String
      /// Its column in the line, from 1.
      var column: Int
    }

    struct Row {
      var start: Int64
      var end: Int64
      var place: Int
      var beacon: BeaconIdentity?
    }

    private let bytes: [UInt8]
    private let start: Timestamp
    private var offset = 0
    private(set) var line = 0
    private var lineStart = 0
    private var places: [String: Int] = [:]
    var columns: Columns?
    var faults: [JSON5Fault] = []

    init(_ bytes: [UInt8], _ start: Timestamp) {
      self.bytes = bytes
      self.start = start
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    mutating func addFault(_ message: String, column: Int, line: Int? = nil) {
      let position = TextPosition(
        line: max(1, line ?? self.line),
        column: column,
        offset: lineStart
      )
      faults.append(JSON5Fault(message, at: position))
    }

    /// The fields of the next line that is not empty; `nil` at the end.
    mutating func nextRow() -> [Field]? {
      while offset < bytes.count, faults.count < TruthTable.faultLimit {
        lineStart = offset
        line += 1
        var end = offset
        while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        offset = end + 1
        if end < bytes.count, bytes[end] == 0x0D, offset < bytes.count, bytes[offset] == 0x0A {
          offset += 1
        }
        if end > lineStart, let fields = fields(bytes[lineStart..<end]) { return fields }
      }
      return nil
    }

    /// Divides a line at its commas, but not within double quotes; `nil` after a fault.
    private mutating func fields(_ line: ArraySlice<UInt8>) -> [Field]? {
      var fields: [Field] = []
      var (field, column): ([UInt8], Int) = ([], 1)
      var isQuoted = false
      func text(_ bytes: [UInt8]) -> String {
        let first = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.endIndex
        let last = bytes.lastIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.startIndex - 1
        return first <= last ? String(decoding: bytes[first...last], as: UTF8.self) : ""
      }
      for (index, byte) in zip(line.indices, line) {
        if byte == 0x22 {
          if isQuoted, index > line.startIndex, index + 1 < line.endIndex, line[index + 1] == 0x22 {
            field.append(byte)
          }
          isQuoted.toggle()
        } else if byte == 0x2C, !isQuoted {
          fields.append(Field(text: text(field), column: column))
          (field, column) = ([], index - line.startIndex + 2)
        } else {
          field.append(byte)
        }
        // The result of a hostile line is bounded by that of our lines.
        if fields.count > 64 { break }
      }
      guard !isQuoted else {
        addFault(
          "a quotation mark is not closed in this line; add another \" to it",
          column: column
        )
        return nil
      }
      fields.append(Field(text: text(field), column: column))
      return fields
    }

    mutating func readTitles(_ row: [Field]) {
      let titles = row.map { $0.text.lowercased() }
      let (start, end) = (titles.firstIndex(of: "start"), titles.firstIndex(of: "end"))
      guard let start, let end, let name = titles.firstIndex(of: "name") else {
        let missing = ["start", "end", "name"].first { !titles.contains($0) } ?? "start"
        return addFault(
          "no column has the title '\(missing)'; the first line is 'start,end,name'",
          column: 1
        )
      }
      columns = Columns(start: start, end: end, name: name, beacon: titles.firstIndex(of: "beacon"))
    }

    /// Reads a stay; adds a fault if it cannot.
    mutating func stay(_ row: [Field], _ columns: Columns, _ names: inout [String]) -> Row? {
      let last = max(columns.start, columns.end, columns.name, columns.beacon ?? 0)
      guard row.count > last else {
        addFault("the line has \(row.count) values, and the titles ask for \(last + 1)", column: 1)
        return nil
      }
      guard let start = time(row[columns.start]), let end = time(row[columns.end]),
        let place = place(row[columns.name], &names)
      else { return nil }
      guard start <= end else {
        addFault("the stay ends before it starts", column: row[columns.end].column)
        return nil
      }
      var stay = Row(start: start, end: end, place: place)
      if let column = columns.beacon {
        guard case .minor(let beacon)? = try? IdentityConstraint(parsing: row[column].text) else {
          addFault("a beacon is UUID/MAJOR/MINOR", column: row[column].column)
          return nil
        }
        stay.beacon = beacon
      }
      return stay
    }

    private mutating func time(_ field: Field) -> Int64? {
      if let number = Double(field.text), number.isFinite, number >= 0, number < 1e11 {
        let microseconds = Int64((number * 1_000_000).rounded())
        return number < TruthTable.relativeBelow ? start.microseconds + microseconds : microseconds
      }
      let text = field.text.split(separator: " ", maxSplits: 1).joined(separator: "T")
      if let time = RFC3339.parse(text) { return time.microseconds }
      addFault(
        "'\(field.text.excerpt)' is neither seconds nor a time like 2026-05-02T10:00:00Z",
        column: field.column
      )
      return nil
    }

    private mutating func place(_ field: Field, _ names: inout [String]) -> Int? {
      if let known = places[field.text] { return known }
      if field.text.isEmpty || field.text.count > SiteModel.longestName {
        addFault(
          "a place's name has 1 to \(SiteModel.longestName) characters",
          column: field.column
        )
        return nil
      }
      if names.count >= SiteModel.placeLimit {
        addFault("a model has at most \(SiteModel.placeLimit) places", column: field.column)
        return nil
      }
      names.append(field.text)
      places[field.text] = names.count - 1
      return names.count - 1
    }
  }
}
