// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// When a gateway last received each of its beacons, and the last place of each that was known: kept over restarts.
package struct LastSeen: Sendable, Equatable {
  /// Of one beacon.
  package struct Entry: Sendable, Equatable {
    /// When this gateway last received it.
    package var seen: Timestamp?
    /// The last place that was known.
    package var place: String?

    package init(seen: Timestamp? = nil, place: String? = nil) {
      (self.seen, self.place) = (seen, place)
    }
  }

  /// By beacon.
  package var entries: [BeaconIdentity: Entry] = [:]

  package init() {}

  /// Reads the list as a file has it: a line each; lines that no gateway wrote are left out.
  package init(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(AnnouncedComponents.limit) {
      guard let value = try? JSON5.parse(Array(line)),
        case .minor(let beacon) = try? IdentityConstraint(parsing: value["beacon"]?.text ?? "")
      else { continue }
      entries[beacon] = Entry(
        seen: value["seen"]?.text.flatMap { RFC3339.parse($0) },
        place: value["place"]?.text
      )
    }
  }

  /// The list as a file has it.
  package var bytes: [UInt8] {
    var writer = JSONLineWriter()
    for (beacon, entry) in entries.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.key("beacon")
      writer.string(beacon.description)
      writer.key("seen")
      writer.timestamp(entry.seen)
      writer.key("place")
      writer.string(entry.place)
      writer.endLine()
    }
    return writer.bytes
  }
}
