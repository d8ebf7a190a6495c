// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import FoundationEssentials
internal import Glibc

/// The file that keeps a monitor's state.
enum StateFile {
  /// The version of the form; a file of another is set aside.
  static let version = 1

  /// What a file holds.
  struct Contents: Sendable, Equatable {
    var client = SavedClient()
    /// The last handled event of each condition, in the order of their identifiers.
    var handled: [MonitorEvent] = []
    /// Events not yet handled, in the order they were told.
    var unhandled: [MonitorEvent] = []
  }

  /// Why a file cannot be taken up.
  struct Damage: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns a file's bytes.
  static func encode(_ contents: Contents) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try [UInt8](encoder.encode(Form(contents))) + [0x0A]
  }

  /// Reads a file's bytes.
  static func decode(_ bytes: [UInt8]) throws(Damage) -> Contents {
    do {
      let decoder = JSONDecoder()
      let version = try decoder.decode(Version.self, from: Data(bytes)).version
      guard version == Self.version else {
        throw Damage(description: "version \(version); this program reads \(Self.version)")
      }
      return try decoder.decode(Form.self, from: Data(bytes)).contents
    } catch let damage as Damage {
      throw damage
    } catch DecodingError.keyNotFound(let key, _) {
      throw Damage(description: "'\(key.stringValue)' is missing")
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      throw Damage(description: "it is no JSON")
    } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
      DecodingError.valueNotFound(_, let context)
    {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw Damage(description: "'\(path)': \(context.debugDescription)")
    } catch {
      throw Damage(description: "\(error)")
    }
  }

  /// The file's place, which is ours for as long as this is kept.
  struct Place: Sendable {
    let path: String
    let lock: FileLock

    /// Reads the file.
    ///
    /// - Returns: What it holds, `nil` where there is nothing to be had of it; and what a person should know.
    func read() -> (Contents?, [ClientDiagnostic]) { read(StateFile.decode) }

    /// Reads the file as another form.
    func read<Form>(
      _ decode: ([UInt8]) throws(Damage) -> Form
    ) -> (Form?, [ClientDiagnostic]) {
      let bytes: [UInt8]
      do {
        bytes = try WholeFile.read(path)
      } catch {
        return (nil, error.isNoSuchFile ? [] : [.persistenceUnavailable(reason: "\(error)")])
      }
      do {
        return (try decode(bytes), [])
      } catch {
        return (nil, [setAside(error.description)])
      }
    }

    /// Writes the file; no half of it is ever seen.
    func write(_ contents: Contents) throws {
      try write(bytes: StateFile.encode(contents))
    }

    /// Writes bytes in the file's place.
    func write(bytes: [UInt8]) throws {
      try WholeFile.replace(path, with: bytes)
    }

    /// Gives the damaged file another name, one that is free.
    private func setAside(_ reason: String) -> ClientDiagnostic {
      for number in 1...999 {
        let aside = "\(path).damaged-\(number)"
        guard !FileManager.default.fileExists(atPath: aside) else { continue }
        do {
          try SystemError.check(.rename, path) { unsafe rename(path, aside) }
          return .stateSetAside(path: aside, reason: reason)
        } catch {
          return .persistenceUnavailable(reason: "\(error)")
        }
      }
      return .persistenceUnavailable(reason: "too many damaged files beside \(path)")
    }
  }
}
