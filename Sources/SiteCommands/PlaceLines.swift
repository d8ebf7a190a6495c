// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites

/// Writes estimates of places as JSON Lines.
struct PlaceLineWriter {
  private let names: [String]
  private var writer = JSONLineWriter()

  init(_ model: SiteModel) {
    names = model.places.map(\.name)
  }

  /// Appends a line.
  mutating func append(_ estimate: PlaceEstimate) {
    writer.beginLine("place")
    writer.key("t")
    writer.timestamp(estimate.time)
    writer.identity(estimate.identity)
    writer.key("place")
    writer.string(estimate.place.map { names[$0] })
    writer.key("p")
    writer.hundredths(Self.written(estimate.probability))
    writer.key("receivers")
    writer.beginObject()
    writer.key("heard")
    writer.integer(estimate.heard)
    writer.key("deaf")
    writer.integer(estimate.deaf)
    writer.endObject()
    writer.endLine()
  }

  /// Returns what was written since the last call.
  mutating func drainBytes() -> [UInt8] {
    defer { writer.removeAll() }
    return writer.bytes
  }

  /// A probability in whole hundredths, rounded down: 0.949 must not be read as 0.95.
  static func written(_ probability: Double) -> Double {
    (probability * 100).rounded(.down) / 100
  }
}

/// Rows for people: one for each change of a beacon's place.
struct PlaceTable {
  static let title = "TIME                  PLACE                 P     RECEIVERS        BEACON"

  private let names: [String]
  private var shown: [PlaceEstimate] = []

  init(_ model: SiteModel) {
    names = model.places.map(\.name)
  }

  /// Returns the rows for some estimates.
  mutating func rows(_ estimates: [PlaceEstimate]) -> [String] {
    estimates.compactMap { estimate in
      if let index = shown.firstIndex(where: { $0.identity == estimate.identity }) {
        guard shown[index].place != estimate.place else { return nil }
        shown[index] = estimate
      } else {
        shown.append(estimate)
      }
      let place = estimate.place.map { names[$0].printable } ?? "unknown"
      let p = DecimalText.hundredths(PlaceLineWriter.written(estimate.probability))
      let deaf = estimate.deaf > 0 ? ", \(estimate.deaf) deaf" : ""
      let receivers = "\(estimate.heard) heard\(deaf)"
      return String(RFC3339.string(estimate.time).prefix(19)) + "Z  "
        + Column.left(place, 20) + "  " + Column.left(p, 4) + "  " + Column.left(receivers, 15)
        + "  " + estimate.identity.description
    }
  }
}
