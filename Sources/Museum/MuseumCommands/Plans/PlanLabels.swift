// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Names that a user types on a walk: a line names the exhibit in front of the user, `room: …` names its room.
struct PlanLabels {
  private(set) var titles: [BeaconIdentity: String] = [:]
  /// The names of rooms, by major.
  private(set) var rooms: [UInt16: String] = [:]
  private var line: [UInt8] = []

  /// The longest line accepted; no name is longer.
  private static let longest = 500

  /// Processes a typed byte.
  ///
  /// - Returns: The answer, at the end of a line; otherwise `nil`.
  mutating func process(_ byte: UInt8, nearest: BeaconIdentity?) -> String? {
    guard byte == 0x0A || byte == 0x0D else {
      if line.count < Self.longest { line.append(byte) }
      return nil
    }
    let text = String(decoding: line, as: UTF8.self).trimmed
    line.removeAll()
    guard let nearest else { return "nothing is received here, so nothing was named" }
    let name = "\(nearest.major)/\(nearest.minor)"
    if text.isEmpty { return "you are in front of \(name): \(titles[nearest] ?? "no name yet")" }
    guard let room = text.dropping(prefix: "room:")?.trimmed else {
      titles[nearest] = text
      return "\(name) is: \(text)"
    }
    guard !room.isEmpty else {
      return "room \(nearest.major): \(rooms[nearest.major] ?? "no name yet")"
    }
    rooms[nearest.major] = room
    return "room \(nearest.major) is: \(room)"
  }
}

extension String {
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    let rest = drop(while: isBlank)
    return String(rest.reversed().drop(while: isBlank).reversed())
  }

  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
