// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// A column of a listing, after that of the time.
struct HistoryColumn {
  /// The name of its values in JSON Lines and CSV.
  let name: String
  /// How wide a table shows it; the last one is as wide as its text.
  let width: Int
  /// Whether it holds times.
  let isTime: Bool

  init(_ name: String, _ width: Int = 0, isTime: Bool = false) {
    (self.name, self.width, self.isTime) = (name, width, isTime)
  }

  /// What stands above it in a table.
  var title: String { String(name.uppercased().map { $0 == "_" ? " " : $0 }) }
}

/// Writes the rows of a listing: a table for people, lines of JSON, or comma-separated values.
struct HistoryListing {
  private let type: String
  private let columns: [HistoryColumn]
  private let format: OutputFormat
  private let io: CommandIO
  private var lines: EventLineWriter
  private var values = CSVWriter()
  private var text: [UInt8] = []
  private var names: EventNames
  private var clock: RowClock
  private var failure: (any Error)?
  /// Whether there was no row yet.
  private(set) var isEmpty = true

  /// A write of so many bytes is as fast as one can be.
  private static let blockCount = 1 << 16

  /// - Parameters:
  ///   - type: The type of the lines of JSON.
  ///   - columns: What follows the time.
  ///   - names: How times are written.
  ///   - format: How rows are written.
  ///   - io: Where they go.
  init(
    _ type: String,
    _ columns: [HistoryColumn],
    _ names: EventNames,
    _ format: OutputFormat,
    _ io: CommandIO
  ) {
    (self.type, self.columns, self.format, self.io) = (type, columns, format, io)
    self.names = names
    lines = EventLineWriter(names)
    clock = RowClock(names, dated: true)
    switch format {
    case .csv: values.row(["t"] + columns.map(\.name))
    case .table:
      let title = columns.map { Column.left($0.title, width(of: $0)) }
      text = CommandIO.table([clock.title + title.joined(separator: "  ").trimmed])
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

  /// How wide a column of the table is.
  private func width(of column: HistoryColumn) -> Int {
    if column.name == columns.last?.name { return 0 }
    return max(column.title.count, column.isTime ? clock.title.count - 2 : column.width)
  }

  private mutating func appendTable(_ time: Timestamp, _ row: [EventValue]) {
    if names.start == .earliest {
      // Where no start is given, relative times count from the first row.
      names.start = time
      clock = RowClock(names, dated: true)
    }
    var rows = clock.heading(at: time).map { [$0] } ?? []
    var cells = ""
    for (column, value) in zip(columns, row) {
      let cell =
        switch value {
        case .time(let time): clock.prefix(at: time).trimmed
        case .span(let span): DecimalText.span(span)
        case .null: "-"
        default: value.csv.printable
        }
      cells += Column.left(cell, width(of: column)) + "  "
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
