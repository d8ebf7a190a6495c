// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension CommandOption {
  // MARK: Simulated visits

  /// What all chance of a simulation comes from.
  package static let seed = value("seed", .integer("SEED", 0...Int.max), "1 unless given")
  /// How many visitors come.
  package static let visitors = value(
    "visitors",
    .integer("N", 1...5000),
    "how many come in the day; 1 unless given"
  )
  /// Where the ground truth goes.
  package static let truth = value(
    "truth",
    .file("FILE"),
    "where every visitor really was, ten times a second, as JSON Lines"
  )
  /// How many packets arrive.
  package static let delivered = value(
    "delivered",
    .number("SHARE", 0.01...1),
    "the share of strong packets that arrive; 0.77 unless given"
  )
  /// People without a receiver.
  package static let bystanders = value(
    "bystanders",
    .number("N", 0...5),
    "people who stand about, for each square meter; 0 unless given"
  )
  /// How long the receiver listens at a time.
  package static let listen = value(
    "listen",
    .duration,
    "how long the receiver listens at a time; always unless given",
    needs: ["pause"]
  )
  /// How long it pauses between.
  package static let pause = value(
    "pause",
    .duration,
    "how long the receiver pauses between",
    needs: ["listen"]
  )
  /// RSSI as BlueZ tells it to a client without RSSI in its filter.
  package static let staleRSSI = flag(
    "stale-rssi",
    "tell RSSI as BlueZ does without RSSI in the filter: only changes of 8 dB and more"
  )

  // MARK: Reports of visits

  /// The language of a report's names.
  package static let language = value(
    "language",
    .text("TAG"),
    "the plan's language that names are shown in; its first unless given"
  )
  /// Shows figures about few visitors.
  package static let smallCells = flag(
    "small-cells",
    "show figures about fewer than 5 visitors too; of one visit everything is shown"
  )
  /// The page to write.
  package static let html = value("html", .file("FILE"), "the page to write")
  /// The table to write.
  package static let csvFile = value(
    "csv",
    .file("FILE"),
    "the table of exhibits to write, comma-separated"
  )
}
