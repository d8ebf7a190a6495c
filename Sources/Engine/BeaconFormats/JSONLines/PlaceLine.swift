// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The line of a place, in a recording and in the output of `fuse`:
///
///     {"v":1,"type":"place","t":…,"uuid":…,"major":1,"minor":2,"place":"hall","p":0.97,"receivers":{"heard":3,"deaf":0}}
///     {"v":1,"type":"place",…,"place":null,"p":0.00,"receivers":{"heard":0,"deaf":0},"absent":true}
///
/// `place` is `null` if it is not known; `absent` means that the beacon is in none. Without a beacon (`uuid`, `major` and
/// `minor` are `null`) the line applies to every beacon that is not followed.
extension JSONLineWriter {
  /// Writes a line.
  package mutating func append(_ place: BeaconPlace, at time: Timestamp) {
    beginLine("place")
    timestamp("t", time)
    if let beacon = place.identity {
      identity(beacon)
    } else {
      key("uuid")
      null()
      key("major")
      null()
      key("minor")
      null()
    }
    key("place")
    if case .at(let name) = place.position { string(name) } else { null() }
    hundredths("p", Double(place.hundredths) / 100)
    key("receivers")
    beginObject()
    integer("heard", Int(place.heard))
    integer("deaf", Int(place.deaf))
    endObject()
    if place.position == .absent {
      bool("absent", true)
    }
    endLine()
  }
}

extension LineFields {
  /// A `place` line.
  func place() throws(LineFault) -> BeaconPlace {
    var beacon: BeaconIdentity?
    if try string("uuid") != nil { beacon = try identity() }
    var position = BeaconPlace.Position.unknown
    if let name = try string("place") {
      guard beacon != nil else {
        throw LineFault("'uuid' is missing: 'place' names the place of a beacon")
      }
      guard !name.isEmpty, name.utf8.count <= BeaconPlace.longestName else {
        throw LineFault("'place' is empty or has more than \(BeaconPlace.longestName) bytes")
      }
      position = .at(name)
    } else if value["absent"]?.content == .bool(true) {
      position = .absent
    }
    return BeaconPlace(
      beacon,
      position,
      hundredths: UInt8(clamping: try hundredths("p")),
      heard: UInt8(clamping: try count("heard")),
      deaf: UInt8(clamping: try count("deaf"))
    )
  }

  private func hundredths(_ key: String) throws(LineFault) -> Int {
    switch value[key]?.content {
    case nil, .null: return 0
    case .number(let number) where number.value >= 0 && number.value <= 1:
      return Int((number.value * 100).rounded())
    default: throw LineFault("'\(key)' is no number from 0 to 1")
    }
  }

  private func count(_ key: String) throws(LineFault) -> Int {
    guard let receivers = value["receivers"], case .object = receivers.content else { return 0 }
    switch receivers[key]?.content {
    case nil, .null: return 0
    case .number(let number):
      guard let count = number.integer, count >= 0 else {
        throw LineFault("'\(key)' is no number of receivers")
      }
      return Int(clamping: count)
    default: throw LineFault("'\(key)' is no number of receivers")
    }
  }
}
