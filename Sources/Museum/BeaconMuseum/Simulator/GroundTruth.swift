// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The true position of a visitor, ten times a second.
///
///     {"v":1,"type":"truth","t":…,"visitor":1,"party":1,"x":2.10,"y":3.20,"level":0,"room":1,"standing":true,"looks_at":{"major":1,"minor":101},
///      "nearest":{"major":1,"minor":101},"distance":1.20}
///
/// `room` is the index of the room in the plan, from 1; `looks_at` is the exhibit of the stop; `nearest` is the nearest
/// exhibit of the room that the visitor is in.
package struct GroundTruth: Sendable {
  /// The time between samples in seconds.
  package static let interval = 0.1

  /// The visitor's state at one time.
  package struct Sample: Sendable {
    package var time: Double
    package var state: VisitPath.State
    /// The index of the room in the plan; `nil` outside all rooms.
    package var room: Int?
    /// The index of the nearest exhibit.
    package var nearest: Int?
    package var distance: Double
  }

  private let day: SimulatedDay
  private let visitor: SimulatedDay.Visitor
  private var cursor = 0
  private var step = 0

  /// Starts at the visitor's arrival.
  package init(_ day: SimulatedDay, _ visitor: SimulatedDay.Visitor) {
    self.day = day
    self.visitor = visitor
  }

  /// Returns the next sample; `nil` after the visitor has left.
  package mutating func next() -> Sample? {
    let time = visitor.path.start + Double(step) * Self.interval
    guard time < visitor.path.end else { return nil }
    step += 1
    let state = visitor.path.state(at: time, cursor: &cursor)
    let nearest = day.site.nearestExhibit(to: state.position, level: state.level)
    return Sample(
      time: time,
      state: state,
      room: day.site.room(at: state.position, level: state.level),
      nearest: nearest?.exhibit,
      distance: nearest?.distance ?? .infinity
    )
  }

  /// Returns the next samples as lines, about as many as fill a block of a file.
  ///
  /// - Returns: The lines; empty at the end.
  package mutating func nextLines() -> [UInt8] {
    var writer = JSONLineWriter()
    while writer.bytes.count < 60_000, let sample = next() { write(sample, to: &writer) }
    return writer.bytes
  }

  private func write(_ sample: Sample, to writer: inout JSONLineWriter) {
    writer.beginLine("truth")
    writer.timestamp("t", day.start + TimeSpan(microseconds: Int64((sample.time * 1e6).rounded())))
    writer.integer("visitor", visitor.number)
    writer.integer("party", visitor.party)
    writer.hundredths("x", sample.state.position.x)
    writer.hundredths("y", sample.state.position.y)
    writer.integer("level", sample.state.level)
    writer.integer("room", sample.room.map { $0 + 1 })
    writer.bool("standing", sample.state.isStanding)
    writer.key("looks_at")
    write(sample.state.exhibit, to: &writer)
    writer.key("nearest")
    write(sample.nearest, to: &writer)
    writer.hundredths("distance", sample.distance)
    writer.endLine()
  }

  private func write(_ exhibit: Int?, to writer: inout JSONLineWriter) {
    guard let exhibit else { return writer.null() }
    let identity = day.site.exhibits[exhibit].identity
    writer.beginObject()
    writer.integer("major", identity.major)
    writer.integer("minor", identity.minor)
    writer.endObject()
  }
}
