// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites
internal import Beacons
internal import SystemKit

/// `site survey --live`: learns places while a user carries a beacon through them, and names each.
///
/// The inputs are kept, so that each stay is learned as in a walk that was recorded, and can be taken back.
struct LiveSurvey {
  /// A stay of the beacon in a place.
  private struct Stay {
    let place: String
    let start: Timestamp
    let end: Timestamp
  }

  /// The most inputs that are kept: ten proxies with a hundred advertisements a second for a quarter of an hour.
  private static let inputLimit = 1_000_000
  /// The longest name of a place.
  private static let longestName = 64
  /// The user's choices.
  private static let hint =
    "write the name of the place in which the beacon is now; 'undo' to forget the last one; an empty line to end"

  private let accepts: [IdentityConstraint]
  private let length: TimeSpan
  private let io: CommandIO
  private var input = LineInput()
  private var batches: [ScanBatch] = []
  private var inputs = 0
  private var stays: [Stay] = []
  private var current: (place: String, start: Timestamp)?
  private var hasEnded = false

  init(_ accepts: [IdentityConstraint], stay length: TimeSpan, io: CommandIO) {
    (self.accepts, self.length, self.io) = (accepts, length, io)
  }

  /// Runs until the user ends it; returns the learned model, or `nil` if the user interrupted it.
  mutating func run(_ connection: AdditionalSource.Connection) async throws -> SiteModel? {
    let source = connection.source
    var time = try await source.now
    io.show(Self.hint)
    while !hasEnded, let batch = try await source.next(until: nil) {
      connection.drainRemarks().forEach(io.show)
      if io.isInterrupted() { return nil }
      keep(batch)
      time = batch.upTo ?? time
      let names = await source.receiverNames
      if let current {
        guard time >= current.start + length else { continue }
        finish(current, names)
      } else {
        readLine(at: time)
      }
    }
    return learn(stays, await source.receiverNames)
  }

  private mutating func keep(_ batch: ScanBatch) {
    // Before the first stay only the receivers' states matter.
    var batch = batch
    if stays.isEmpty, current == nil {
      batch = ScanBatch(inputs: batch.inputs.filter { $0.report == nil }, upTo: batch.upTo)
    }
    batches.append(batch)
    inputs += batch.inputs.count + 1
    guard inputs > Self.inputLimit, !hasEnded else { return }
    hasEnded = true
    io.show("the survey ends: it has \(Self.inputLimit) inputs")
  }

  // MARK: The user

  private mutating func readLine(at time: Timestamp) {
    guard let line = input.next() else {
      hasEnded = input.hasEnded
      return
    }
    let name = String(line.split(separator: " ").joined(separator: " "))
    switch name {
    case "": hasEnded = true
    case "undo":
      let last = stays.popLast()
      io.show(last.map { "forgot \(Self.quoted($0.place))" } ?? "nothing is learned yet")
    default:
      guard name.utf8.count <= Self.longestName, !name.contains(where: { "\",".contains($0) })
      else {
        return io.show(
          "the name of a place has up to \(Self.longestName) characters, and neither comma nor quote"
        )
      }
      current = (name, time)
      io.show("stay in \(Self.quoted(name)) for \(Int(length.seconds)) s, and walk about in it")
    }
  }

  private static func quoted(_ name: String) -> String { "'\(name)'" }

  private mutating func finish(_ stay: (place: String, start: Timestamp), _ names: [String]) {
    let new = Stay(place: stay.place, start: stay.start, end: stay.start + length)
    current = nil
    let before = learn(stays, names)?.places.first { $0.name == new.place }?.seconds ?? 0
    let model = learn(stays + [new], names)
    guard let place = model?.places.first(where: { $0.name == new.place }), place.seconds > before
    else {
      return io.show(
        "the beacon was not received in \(Self.quoted(new.place)), so nothing was learned"
      )
    }
    stays.append(new)
    io.show("learned \(Self.quoted(new.place)) from \(place.seconds) s")
    for (first, second) in model?.alikePlaces ?? [] where [first, second].contains(new.place) {
      io.show(
        "\(Self.quoted(first)) and \(Self.quoted(second)) are alike for every receiver: stay longer in both, or put a receiver into"
          + " one of them"
      )
    }
    io.show(Self.hint)
  }

  // MARK: Learning

  /// Learns from some stays; `nil` if nothing was received in them.
  private func learn(_ stays: [Stay], _ names: [String]) -> SiteModel? {
    let rows = stays.map { "\(RFC3339.string($0.start)),\(RFC3339.string($0.end)),\($0.place)\n" }
    let text = "start,end,name\n" + rows.joined()
    guard let truth = try? TruthTable(Array(text.utf8), startingAt: .earliest) else { return nil }
    var surveyor = SiteSurveyor(accepts)
    surveyor.start(truth)
    for batch in batches { surveyor.add(batch, receivers: names) }
    return surveyor.seconds > 0 ? surveyor.model.sorted : nil
  }
}
