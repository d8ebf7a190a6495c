// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// A column of a listing, after that of the time.
struct HistoryColumn {
  /// A value in a table.
  enum Kind {
    /// The value; too long a text is cut, with a mark.
    case value
    /// A time.
    case time
    /// The name of a beacon or its identity, whose UUID is shortened if it is too long.
    case beacon
    /// Nothing.
    case hidden
  }

  /// The name of its values in JSON Lines and CSV.
  let name: String
  /// How wide a table shows it at least.
  let least: Int
  /// How wide a table shows it if there is room.
  let most: Int
  /// The text in a table.
  let kind: Kind
  /// What stands above it in a table.
  let title: String

  init(
    _ name: String,
    _ least: Int = 0,
    most: Int? = nil,
    kind: Kind = .value,
    title: String? = nil
  ) {
    (self.name, self.kind) = (name, kind)
    self.title = title ?? String(name.uppercased().map { $0 == "_" ? " " : $0 })
    self.least = max(least, self.title.count)
    self.most = max(most ?? 0, self.least)
  }
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
  /// How times in columns are written; with the date, which is shown if it is another than that of the row.
  private var columnClock: RowClock
  /// Whether the time of a row is a whole minute.
  private let isByMinute: Bool
  /// How wide each column of the table is.
  private var widths: [Int] = []
  private var failure: (any Error)?
  /// Whether a row is still missing.
  private(set) var isEmpty = true

  /// A write of so many bytes is as fast as one can be.
  private static let blockCount = 1 << 16

  /// - Parameters:
  ///   - type: The type of the lines of JSON.
  ///   - columns: What follows the time.
  ///   - names: How times are written.
  ///   - format: How rows are written.
  ///   - isByMinute: Whether the time of a row is a whole minute.
  ///   - io: The destination of the rows.
  init(
    _ type: String,
    _ columns: [HistoryColumn],
    _ names: EventNames,
    _ format: OutputFormat,
    isByMinute: Bool = false,
    _ io: CommandIO
  ) {
    (self.type, self.columns, self.format, self.io) = (type, columns, format, io)
    self.names = names
    self.isByMinute = isByMinute
    lines = EventLineWriter(names)
    clock = RowClock(names)
    columnClock = RowClock(names, dated: true)
    switch format {
    case .csv: values.row(["t"] + columns.map(\.name))
    case .table:
      widths = tableWidths
      let titles = zip(columns, widths).filter { $0.0.kind != .hidden }
        .map { Column.left($0.title, $1) }
      text = CommandIO.table([timeTitle + titles.joined(separator: "  ").trimmed])
    default: break
    }
  }

  /// Writes a row.
  ///
  /// - Returns: Whether more rows are wanted: not after a failure to write.
  mutating func append(at time: Timestamp, _ row: [FormValue]) -> Bool {
    isEmpty = false
    switch format {
    case .csv: values.row([RFC3339.string(time)] + row.map(\.csv))
    case .table: appendTable(time, row)
    default:
      let fields = zip(columns, row).map { FormField($0.name, $1) }
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

  /// Writes the remaining rows.
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

  // MARK: Table

  private var showsDays: Bool { names.timeStyle == .local || names.timeStyle == .utc }

  private var timeTitle: String { showsDays && isByMinute ? "TIME   " : clock.title }

  /// How wide each column is: at least its need, then the rest, the first columns first.
  private var tableWidths: [Int] {
    let times = showsDays ? Self.dayAndTime : max(0, clock.title.count - 2)
    var widths = columns.map { $0.kind == .hidden ? 0 : $0.kind == .time ? times : $0.least }
    let shown = columns.count { $0.kind != .hidden }
    // In a pipe the width of lines is not known.
    let room = io.output.isTerminal ? io.columns : Self.usualWidth
    var spare = room - timeTitle.count - widths.reduce(0, +) - 2 * (shown - 1)
    for (index, column) in columns.enumerated() where spare > 0 && column.kind != .hidden {
      // The last column has the remaining width.
      let isLast = index == columns.count - 1
      let more = isLast ? spare : min(spare, max(0, column.most - widths[index]))
      widths[index] += more
      spare -= more
    }
    return widths
  }

  /// Month, day and time, without milliseconds.
  private static let dayAndTime = 14
  private static let usualWidth = 120

  /// A time in a column: the time of day on the day of the row, else with the day.
  private mutating func shown(_ time: Timestamp, besides row: Timestamp) -> String {
    let text = columnClock.prefix(at: time)
    guard showsDays else { return text.trimmed }
    let isSameDay = text.prefix(10) == columnClock.prefix(at: row).prefix(10)
    return String(isSameDay ? text.dropFirst(11) : text.dropFirst(5).prefix(Self.dayAndTime))
      .trimmed
  }

  private mutating func cell(
    _ value: FormValue,
    _ kind: HistoryColumn.Kind,
    _ width: Int,
    isLast: Bool,
    _ row: Timestamp
  ) -> String {
    let text =
      switch value {
      case .time(let time): shown(time, besides: row)
      case .span(let span): DecimalText.span(span)
      case .null: "-"
      default: value.csv.printable
      }
    // A number that is cut would be another number; after the last column a pipe has room.
    let isCut =
      switch value {
      case .text, .list, .object: text.count > width && !(isLast && !io.output.isTerminal)
      default: false
      }
    guard isCut else { return text }
    if kind == .beacon, text.count > 36, text.dropFirst(36).first == "/" {
      return "\(text.prefix(8))~\(text.dropFirst(36))"
    }
    return width > 1 ? "\(text.prefix(width - 1))~" : text
  }

  private mutating func appendTable(_ time: Timestamp, _ row: [FormValue]) {
    if names.start == .earliest {
      // If no start is given, relative times count from the first row.
      names.start = time
      clock = RowClock(names)
      columnClock = RowClock(names, dated: true)
    }
    var rows = clock.heading(at: time).map { [$0] } ?? []
    var cells = ""
    for (index, column) in columns.enumerated() where column.kind != .hidden {
      let isLast = index == columns.count - 1
      let text = cell(row[index], column.kind, widths[index], isLast: isLast, time)
      cells += Column.left(text, widths[index]) + "  "
    }
    let prefix = clock.prefix(at: time)
    rows.append((showsDays && isByMinute ? "\(prefix.prefix(5))  " : prefix) + cells.trimmed)
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
