// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The names that users gave to beacons, and the makers of well-known UUIDs.
package struct NameBook: Sendable, Equatable {
  private var names: [BeaconIdentity: String] = [:]

  /// The longest name: as long as a line.
  package static let longestName = 80

  package init() {}

  /// Why a text cannot be a name; `nil` if it can.
  package static func fault(of name: String) -> String? {
    guard (1...longestName).contains(name.count) else {
      return "a name has 1 to \(longestName) characters"
    }
    guard name.isPrintable else {
      return "a name is one line, without control characters"
    }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.allSatisfy({ UInt64($0) != nil || $0.hasPrefix("0x") }) {
      return "'\(name)' could be read as a number; write a name with a word"
    }
    // A word such as "Cafe" is a name, which takes precedence.
    let hasDigit = parts[0].utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let form = try? IdentityConstraint(parsing: name)
    if form != nil || hasDigit && UUIDText.range(beginning: parts[0]) != nil {
      return "'\(name)' could be read as the beginning of a UUID; write another name"
    }
    return nil
  }

  /// Whether no beacon has a name.
  package var isEmpty: Bool { names.isEmpty }

  /// The name of a beacon; `nil` for one without.
  package subscript(identity: BeaconIdentity) -> String? {
    get { names[identity] }
    set { names[identity] = newValue }
  }

  /// All names, ordered by identity.
  package var entries: [(identity: BeaconIdentity, name: String)] {
    names.sorted { $0.key < $1.key }.map { (identity: $0.key, name: $0.value) }
  }

  /// The identities and constraints, in full, that a name or a text with the beginning of a UUID can stand for.
  ///
  /// - Parameters:
  ///   - text: A name; or the beginning of a UUID, and after a slash the major and the minor.
  ///   - uuids: The UUIDs that are known besides those with a name.
  /// - Returns: The candidates, in order.
  package func candidates(for text: String, among uuids: Set<UInt128> = []) -> [String] {
    let bearers = entries.filter { $0.name == text }.map(\.identity.description)
    let beginning = text.prefix { $0 != "/" }
    guard bearers.isEmpty, let range = UUIDText.range(beginning: beginning) else { return bearers }
    let known = uuids.union(names.keys.map(\.uuid)).filter(range.contains)
    return known.sorted().map { UUIDText.string($0) + text.dropFirst(beginning.count) }
  }

  /// Returns the constraint that a key of a file stands for: written in full, or as a name or the beginning of a UUID that the
  /// book has.
  func constraint(_ key: String) throws -> IdentityConstraint {
    do {
      return try IdentityConstraint(parsing: key)
    } catch {
      let candidates = candidates(for: key)
      guard candidates.count == 1, let found = candidates.first else { throw error }
      return try IdentityConstraint(parsing: found)
    }
  }

  /// Adds the names of another book, which take precedence.
  package mutating func add(_ other: NameBook) {
    names.merge(other.names) { $1 }
  }

  /// Reads an object of names by `UUID/MAJOR/MINOR`; faults are reported to the reader.
  package mutating func read(_ reader: JSON5Reader) {
    guard var object = reader.object() else { return }
    for (key, _, value) in object.entries() {
      guard let name = value.nonEmptyString() else { continue }
      do {
        guard case .minor(let identity) = try IdentityConstraint(parsing: key) else {
          value.addFault("\(key): a name is for one beacon, UUID/MAJOR/MINOR")
          continue
        }
        // Whatever else a file has is shown with its control characters escaped.
        if name.isPrintable, let fault = Self.fault(of: name) {
          value.addFault(fault)
          continue
        }
        names[identity] = name
      } catch {
        value.addFault("\(key): \(error)")
      }
    }
  }

  /// Who delivers beacons with a UUID; `nil` for a UUID that no maker is known for.
  package static func maker(of uuid: UInt128) -> String? {
    switch uuid {
    case 0xB940_7F30_F5F8_466E_AFF9_2555_6B57_FE6D: "Estimote"
    case 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E: "Kontakt.io"
    case 0x2F23_4454_CF6D_4A0F_ADF2_F491_1BA9_FFA6: "Radius Networks, AltBeacon's tests"
    case 0xE2C5_6DB5_DFFB_48D2_B060_D0F5_A710_96E0: "Apple's AirLocate"
    case 0x5A4B_CFCE_174E_4BAC_A814_092E_77F6_B7E5: "Apple's AirLocate"
    case 0x7427_8BDA_B644_4520_8F0C_720E_AF05_9935: "Apple's AirLocate"
    case 0xFDA5_0693_A4E2_4FB1_AFCF_C6EB_0764_7825: "a common default of AprilBrother and WeChat"
    default: nil
    }
  }
}
