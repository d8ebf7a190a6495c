// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites
internal import BeaconTerminal

/// Writes estimates of places as JSON Lines.
struct PlaceLineWriter {
  private let model: SiteModel
  private var writer = JSONLineWriter()

  init(_ model: SiteModel) {
    self.model = model
  }

  /// Appends a line.
  mutating func append(_ estimate: PlaceEstimate) {
    writer.append(estimate.place(in: model), at: estimate.time)
  }

  /// Appends the line of a clock that is off.
  mutating func append(_ clock: SiteCaptures.Clock, at time: Timestamp) {
    clock.append(to: &writer, at: time)
  }

  /// Returns the written bytes since the last call.
  mutating func drainBytes() -> [UInt8] {
    defer { writer.removeAll() }
    return writer.bytes
  }
}

/// Rows for people: one for each change of a beacon's place, with times as other tables show them.
struct PlaceTable {
  private static let unknown = "unknown"

  private let places: [String]
  /// How wide the columns of places and of receivers are.
  private let widths: (place: Int, receivers: Int)
  /// How wide lines may be.
  private let columns: Int
  private var names: EventNames
  private var clock: RowClock
  private var shown: [PlaceEstimate] = []

  init(_ model: SiteModel, _ names: EventNames, columns: Int = .max) {
    self.columns = columns
    self.names = names
    clock = RowClock(names)
    places = model.places.map(\.name.printable)
    let most = Self.receivers(heard: model.receivers.count, deaf: model.receivers.count)
    let longest = (places + [Self.unknown]).map { CellWidth.of($0) }.max() ?? 0
    widths = (max(longest, "PLACE".count), max(most.count, "RECEIVERS".count))
  }

  /// What stands above the columns.
  var title: String { row(clock.title, "PLACE", "P", "RECEIVERS", "BEACON") }

  private func row(
    _ time: String,
    _ place: String,
    _ p: String,
    _ receivers: String,
    _ beacon: String
  ) -> String {
    let space = String(repeating: " ", count: max(0, widths.place - CellWidth.of(place)))
    let used = time.count + widths.place + 2 + 4 + 2 + widths.receivers + 2
    let isLong = beacon.count > 36 && used + beacon.count > columns
    // If the line is too long, the UUID is shortened as in other tables.
    let beacon = isLong ? "\(beacon.prefix(8))~\(beacon.dropFirst(36))" : beacon
    return time
      + [
        place + space, Column.left(p, 4), Column.left(receivers, widths.receivers), beacon,
      ].joined(separator: "  ")
  }

  private static func receivers(heard: Int, deaf: Int) -> String {
    "\(heard) heard" + (deaf > 0 ? ", \(deaf) deaf" : "")
  }

  /// Returns the rows for some estimates.
  mutating func rows(_ estimates: [PlaceEstimate]) -> [String] {
    var rows: [String] = []
    for estimate in estimates {
      if let index = shown.firstIndex(where: { $0.identity == estimate.identity }) {
        guard shown[index].place != estimate.place else { continue }
        shown[index] = estimate
      } else {
        shown.append(estimate)
      }
      if names.start == .earliest {
        // Relative times count from the first row.
        names.start = estimate.time
        clock = RowClock(names)
      }
      if let heading = clock.heading(at: estimate.time) { rows.append(heading) }
      rows.append(
        row(
          clock.prefix(at: estimate.time),
          estimate.place.map { places[$0] } ?? Self.unknown,
          DecimalText.hundredths((estimate.probability * 100).rounded(.down) / 100),
          Self.receivers(heard: estimate.heard, deaf: estimate.deaf),
          estimate.identity.description
        )
      )
    }
    return rows
  }
}
