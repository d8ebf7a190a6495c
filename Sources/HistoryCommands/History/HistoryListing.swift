// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// Writes the rows of a listing: a table for people, lines of JSON, or comma-separated values.
struct HistoryListing {
  private let type: String
  private let columns: [(name: String, width: Int)]
  private let format: OutputFormat
  private let io: CommandIO
  private var lines: EventLineWriter
  private var values = CSVWriter()
  private var text: [UInt8] = []
  private var clock: RowClock
  private var failure: (any Error)?
  private var isEmpty = true

  /// A write of so many bytes is as fast as one can be.
  private static let blockCount = 1 << 16

  /// - Parameters:
  ///   - type: The type of the lines of JSON.
  ///   - columns: The names of what follows the time, and how wide a table shows them; 0 as wide as they are.
  ///   - names: How times are written.
  ///   - format: How rows are written.
  ///   - io: Where they go.
  init(
    _ type: String,
    _ columns: [(name: String, width: Int)],
    _ names: EventNames,
    _ format: OutputFormat,
    _ io: CommandIO
  ) {
    (self.type, self.columns, self.format, self.io) = (type, columns, format, io)
    lines = EventLineWriter(names)
    clock = RowClock(names, dated: true)
    switch format {
    case .csv: values.row(["t"] + columns.map(\.name))
    case .table:
      let title = columns.map { Column.left($0.name.uppercased(), $0.width) }
      text = CommandIO.table([clock.title + title.joined(separator: "  ")])
    default: break
    }
  }

  /// Writes a row.
  ///
  /// - Returns: Whether more rows are wanted: not after a failure to write.
  mutating func append(at time: Timestamp, _ row: [EventValue]) -> Bool {
    isEmpty = false
    switch format {
    case .csv: values.row([RFC3339.string(time)] + row.map(\.csv))
    case .table: appendTable(time, row)
    default:
      let fields = zip(columns, row).map { EventField($0.name, $1) }
      lines.append(EventRecord(type: type, fields: fields), to: .theOperator, at: time)
    }
    guard bytes.count >= Self.blockCount else { return true }
    do {
      try flush()
    } catch {
      failure = error
    }
    return failure == nil
  }

  /// Writes what is left.
  mutating func end() throws {
    if let failure { throw failure }
    try flush()
  }

  private var bytes: [UInt8] {
    switch format {
    case .csv: values.bytes
    case .table: text
    default: lines.bytes
    }
  }

  private mutating func flush() throws {
    try io.output.write(bytes)
    values.removeAll()
    lines.removeAll()
    text.removeAll()
  }

  private mutating func appendTable(_ time: Timestamp, _ row: [EventValue]) {
    var rows = clock.heading(at: time).map { [$0] } ?? []
    var cells = ""
    for (column, value) in zip(columns, row) {
      var cell = value.csv.printable
      if case .time(let time) = value { cell = clock.prefix(at: time).trimmed }
      if case .null = value { cell = "-" }
      cells += Column.left(cell, column.width) + "  "
    }
    rows.append(clock.prefix(at: time) + cells.trimmed)
    text += CommandIO.table(rows)
  }
}

extension String {
  /// The text without blanks at its end.
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension EventValue {
  /// The value in a field of comma-separated values; a compound value as JSON.
  fileprivate var csv: String {
    switch self {
    case .null: ""
    case .text(let text): text
    case .boolean(let bool): "\(bool)"
    case .integer(let number): "\(number)"
    case .hundredths(let number): DecimalText.hundredths(number)
    case .span(let span): DecimalText.seconds(span)
    case .time(let time): RFC3339.string(time)
    case .list, .object: EventLineWriter.json(self)
    }
  }
}
