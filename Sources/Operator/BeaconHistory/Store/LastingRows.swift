// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The rows of a history that are open at a time: at its end, those that the next run needs; at a removal, those that
/// begin there in place of the removed ones.
struct LastingRows {
  /// The state of each receiver, by its name.
  private(set) var receivers: [String: HistoryReceiverState] = [:]
  /// The places in which beacons are.
  private(set) var places: [HistoryPlace] = []
  /// The stays that have no end.
  private(set) var visits: [HistoryVisit] = []
  /// The time of the last row of all; `nil` for an empty history.
  private(set) var lastTime: Timestamp?
  /// The time of the last row that no wrong clock made: rows after a gap of more than a month may be of one, until a
  /// receiver has listened for a day there.
  private(set) var sureTime: Timestamp?
  /// The number after that of the last crossing.
  private(set) var nextSequence = 1
  /// The start of the rows after the last gap of more than a month; `nil` without such a gap.
  private var stretch: Timestamp?
  /// For how long each receiver listened since then.
  private var listened: [String: TimeSpan] = [:]

  /// A clock that is further ahead of a history is doubted, and for so long.
  static let (jump, doubt) = (TimeSpan.seconds(31 * 86_400), TimeSpan.seconds(86_400))

  /// No history has more crossings; one from outside may hold any number.
  private static let mostCrossings: Int64 = 1 << 53

  /// Reads the open rows at a time, by default at the end of the history.
  ///
  /// A file that is damaged or of a later version is left out.
  ///
  /// - Throws: ``HistoryError`` if a file cannot be read for another reason.
  init(in folder: HistoryFolder, at time: Timestamp = .latest) throws(HistoryError) {
    nextSequence = folder.keptSequence ?? 1
    for month in try folder.months() {
      do throws(HistoryError) {
        try add(try HistoryReader.open(folder.file(month), mayBeEmpty: true), at: time)
      } catch {
        switch error {
        case .damaged, .newer, .unknownFormat: continue
        default: throw error
        }
      }
    }
  }

  private mutating func add(_ database: Database, at time: Timestamp) throws(HistoryError) {
    guard try !HistorySchema.isEmpty(database) else { return }
    let file = MonthFile(database)
    let last = try file.lastTime()
    if let first = try file.firstTime(), let lastTime, first - lastTime > Self.jump {
      (stretch, listened) = (first, [:])
    }
    if let last { lastTime = max(last, lastTime ?? last) }
    let number = try database.integer("SELECT ifnull(max(seq), 0) FROM crossing") ?? 0
    nextSequence = max(nextSequence, Int(clamping: min(number, Self.mostCrossings)) + 1)
    try database.read(
      """
      SELECT t, name, state FROM receiver_state JOIN receiver ON receiver.id = receiver
      WHERE t < ? ORDER BY t, name
      """,
      [.integer(time.microseconds)]
    ) { row in
      guard let state = HistoryReceiverState(row) else { return true }
      listened[state.receiver] = listening(of: state.receiver, until: state.time)
      receivers[state.receiver] = state
      return true
    }
    if let last { confirm(until: last) }
    try HistoryReader.visits(in: database, openAlone: true) { visits.append($0) }
    try HistoryReader.places(in: database) { place in
      if place.entered < time, (place.left ?? .latest) > time || place.left == nil {
        places.append(place)
      }
    }
  }

  /// For how long a receiver listened since the last long gap.
  private func listening(of name: String, until time: Timestamp) -> TimeSpan {
    let known = listened[name] ?? .zero
    guard let stretch, let state = receivers[name], state.state == .listening else { return known }
    return known + max(time - max(state.time, stretch), .zero)
  }

  /// Notes that rows until a time are of no wrong clock, if a receiver has listened for a day or no long gap precedes them.
  private mutating func confirm(until time: Timestamp) {
    // A clock that continued for a month there was not only wrong at one start.
    let isSure =
      stretch.map { time - $0 > Self.jump } ?? true
      || receivers.keys.contains { listening(of: $0, until: time) >= Self.doubt }
    if isSure { sureTime = max(time, sureTime ?? time) }
  }

  /// The rows that a killed run did not write: after its last row no run listened, and places were not known.
  var endings: [HistoryRow] {
    guard let lastTime, HistoryFolder.Month(of: lastTime).isOfAFile else { return [] }
    let time = lastTime + TimeSpan(microseconds: 1)
    let open = receivers.filter { $0.value.state != .ended }.keys.sorted()
    let ended = open.map { name in
      HistoryRow.receiver(HistoryReceiverState(time: time, receiver: name, state: .ended))
    }
    return ended
      + places.filter { $0.left == nil }.map { place in
        var place = place
        place.left = max(place.entered, lastTime)
        return .place(place)
      }
  }

  /// What begins at a time before which everything is removed.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - isListening: Whether a run continues after the last row.
  /// - Returns: The rows, which begin at the time.
  func beginnings(at time: Timestamp, isListening: Bool = false) -> [HistoryRow] {
    // Otherwise no run listened after the last row.
    guard isListening || lastTime.map({ $0 >= time }) ?? false else { return [] }
    let states = receivers.values.filter { $0.state != .ended }.sorted { $0.receiver < $1.receiver }
    let begun = states.map { state in
      HistoryRow.receiver(
        HistoryReceiverState(time: time, receiver: state.receiver, state: state.state)
      )
    }
    return begun
      + places.map { place in
        var place = place
        place.entered = time
        return .place(place)
      }
  }
}
