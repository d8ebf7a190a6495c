// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
internal import BeaconFormats
internal import Beacons

/// A region as the command line names it.
package struct RegionArgument: Sendable, Equatable {
  /// The region's name.
  package var id: String
  /// Which beacons it is.
  package var constraint: IdentityConstraint
}

/// A setting as the command line names it.
package struct SettingArgument: Sendable, Equatable {
  /// The key, as `config list` has it.
  package var key: String
  /// The value, unread.
  package var value: String
}

/// How fast a recording is replayed.
package enum ReplaySpeed: Sendable, Equatable {
  /// As fast as the machine can.
  case max
  /// A multiple of the time in which it was recorded.
  case times(Double)

  /// The multiple; `nil` for as fast as the machine can.
  package var factor: Double? {
    guard case .times(let factor) = self else { return nil }
    return factor
  }
}

// MARK: Kinds

extension ValueKind where Value == String {
  /// An adapter, by name or address; the parameter is its placeholder in help.
  package static func adapter(_ placeholder: String) -> ValueKind {
    let present = ValueCompletion.output(of: "ls /sys/class/bluetooth", suffix: "")
    return ValueKind(placeholder, completion: present) { $0 }
  }
}

extension ValueKind where Value == TimeSpan {
  /// A span of time with its unit, such as `10s` or `1.5m`.
  package static var duration: ValueKind {
    ValueKind("TIME") { text throws(ValueFault) in
      // Three years, within the range of a `TimeSpan` from seconds.
      let longest = 1e8
      let units = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]
      guard let seconds = NumberText.quantity(text, units: units), (0...longest).contains(seconds)
      else {
        throw .wrong(
          "\(quoted(text)) is not a time; write a number and ms, s, m, h or d, such as 10s"
        )
      }
      return TimeSpan(seconds: seconds)
    }
  }
}

extension ValueKind where Value == Timestamp {
  /// A time as RFC 3339 writes it.
  package static var timestamp: ValueKind {
    ValueKind("TIME") { text throws(ValueFault) in
      guard let time = RFC3339.parse(text) else {
        throw .wrong(
          "\(quoted(text)) is not a time with a zone; write it as 2026-05-02T10:00:00Z or with +02:00"
        )
      }
      return time
    }
  }
}

extension ValueKind where Value == RecordingFile.Rotation {
  /// A number of bytes or a span of time, distinguished by the unit.
  static var rotation: ValueKind {
    ValueKind("SIZE|TIME") { text throws(ValueFault) in
      if let bytes = NumberText.bytes(text) { return .size(bytes) }
      if let span = try? ValueKind<TimeSpan>.duration.read(text), span > .zero { return .age(span) }
      throw .wrong(
        "\(quoted(text)) is neither a size nor a time above zero; write a size with K, M or G, such as 10M,"
          + " or a time with s, m, h or d, such as 1h"
      )
    }
  }
}

extension ValueKind where Value == Double {
  /// A distance with its unit in a range of meters, such as `1m` or `50cm`.
  package static func distance(_ range: ClosedRange<Double>) -> ValueKind {
    ValueKind("DISTANCE") { text throws(ValueFault) in
      guard let meters = NumberText.quantity(text, units: [("cm", 0.01), ("m", 1)]),
        range.contains(meters)
      else {
        throw .wrong(
          "\(quoted(text)) is not a distance from \(range.lowerBound) to \(range.upperBound) m;"
            + " write it with its unit, such as 1m or 50cm"
        )
      }
      return meters
    }
  }
}

/// Returns a text if it may be a name or the beginning of a UUID, and does not begin with a whole UUID in any of its forms.
private func nameOrBeginning(_ text: Substring) -> Substring? {
  do throws(IdentitySyntaxError) {
    _ = try IdentityConstraint(parsing: text)
  } catch {
    if case .notAUUID = error { return text }
  }
  return nil
}

extension ValueCompletion {
  /// The names of beacons.
  fileprivate static let beacons = output(of: "beaconctl config show --beacons", suffix: "")
}

extension ValueKind where Value == IdentityConstraint {
  /// An identity constraint, or text that is looked up as one.
  package static var constraint: ValueKind {
    ValueKind(
      "UUID[/MAJOR[/MINOR]]",
      completion: .beacons,
      nameInside: { nameOrBeginning($0[...]) }
    ) { text throws(ValueFault) in
      do {
        return try IdentityConstraint(parsing: text)
      } catch {
        // The text in it is shortened already; its correction, at the end, must not be.
        throw .wrong("\(error)".oneLine(upTo: 300))
      }
    }
  }
}

extension ValueKind where Value == BeaconIdentity {
  /// A single beacon, or text that is looked up as one.
  package static var beacon: ValueKind {
    ValueKind(
      "BEACON",
      completion: .beacons,
      nameInside: { nameOrBeginning($0[...]) }
    ) { text throws(ValueFault) in
      let constraint = try ValueKind<IdentityConstraint>.constraint.read(text)
      guard case .minor(let identity) = constraint else {
        throw .wrong("\(quoted(text)) is not a single beacon; write UUID/MAJOR/MINOR or a name")
      }
      return identity
    }
  }
}

extension String {
  /// The ending of a file's name, behind its last dot and in lower case; empty without one.
  package var fileEnding: String {
    lastIndex(of: ".").map { self[index(after: $0)...].lowercased() } ?? ""
  }

  /// Whether a shell can complete a name as a separate word.
  package var isCompletable: Bool { !isEmpty && !hasPrefix("-") && printable == self }
}

extension ValueKind where Value == RegionArgument {
  /// Whether a name can stand before the `=` of a region's value that is a separate word, as a shell completes it.
  package static func canName(_ name: String) -> Bool {
    name.isCompletable && !name.utf8.contains(UInt8(ascii: "="))
  }

  /// A region: a name, `=`, and an identity constraint.
  package static var region: ValueKind {
    let form = "ID=UUID[/MAJOR[/MINOR]]"
    let names = ValueCompletion.output(of: "beaconctl config show --regions", suffix: "=")
    return ValueKind(
      form,
      completion: names,
      nameInside: { text in
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count > 1 && !parts[0].isEmpty ? nameOrBeginning(parts[1]) : nil
      }
    ) { text throws(ValueFault) in
      guard text.includes("=") else {
        let fault = "\(quoted(text)) is not of the form \(form):"
        let beginning = String(text.prefix { $0 != "/" })
        let isBeacon =
          nameOrBeginning(text[...]) == nil || UUIDText.range(beginning: beginning) != nil
        throw .wrong(
          isBeacon
            ? "\(fault) write a name for the region and '=' before the beacon, such as \(quoted("hall=" + text))"
            : "\(fault) write '=' and the beacons after the region's name, such as"
              + " '\(text.oneLine)=F7826DA6-4FA2-4E98-8024-BC5B71E0893E', or \(quoted("hall=" + text)) if"
              + " it is the name of a beacon"
        )
      }
      let (id, constraint) = try pair(text, form: form)
      return RegionArgument(
        id: id,
        constraint: try ValueKind<IdentityConstraint>.constraint.read(constraint)
      )
    }
  }
}

extension ValueKind where Value == SettingArgument {
  /// A setting: a key, `=`, and a value.
  package static var setting: ValueKind {
    let form = "KEY=VALUE"
    let keys = ValueCompletion.output(of: "beaconctl config list --keys", suffix: "=")
    return ValueKind(form, completion: keys) { text throws(ValueFault) in
      let (key, value) = try pair(text, form: form)
      return SettingArgument(key: key, value: value)
    }
  }
}

/// Splits at the first `=`; the key must not be empty, the value may.
private func pair(_ text: String, form: String) throws(ValueFault) -> (String, String) {
  guard let place = text.firstIndex(of: "="), place != text.startIndex else {
    throw .wrong("\(quoted(text)) is not of the form \(form)")
  }
  return (String(text[..<place]), String(text[text.index(after: place)...]))
}

extension ValueKind where Value == ReplaySpeed {
  /// A speed of replay: `max`, or a factor such as `10x`.
  package static var speed: ValueKind {
    ValueKind("max|1x|10x") { text throws(ValueFault) in
      if text == "max" { return .max }
      // A thousandth to a million: slower is not useful, faster is `max`.
      guard let factor = NumberText.quantity(text, units: [("x", 1)]),
        (0.001...1e6).contains(factor)
      else {
        throw .wrong(
          "\(quoted(text)) is not a speed; write max, or a factor such as 1x or 10x"
        )
      }
      return .times(factor)
    }
  }
}

extension ValueKind where Value == OutputOptions.Further {
  /// An additional output: a file whose ending names a format, or a format, `:`, and a file.
  package static var sink: ValueKind {
    let formats = OutputFormat.allCases.filter { $0 != .none }
    let names = formats.map(\.rawValue)
    return ValueKind("FILE", completion: .filesAfter(names)) { text throws(ValueFault) in
      let place = text.firstIndex(of: ":")
      let named = place.flatMap { OutputFormat(rawValue: String(text[..<$0])) }
      if let place, let named, named != .none, text.index(after: place) != text.endIndex {
        return OutputOptions.Further(
          format: named,
          file: OutputPath(String(text[text.index(after: place)...]))
        )
      }
      guard let format = OutputFormat(ending: text) else {
        let rest = place.map { text[text.index(after: $0)...] } ?? text[...]
        throw .wrong(
          "\(quoted(text)) has no ending that names a format: use .csv, .json or .jsonl, or write FORMAT:FILE"
            + " with one of \(names.joined(separator: ", ")), such as table:\(rest.isEmpty ? "events" : rest)"
        )
      }
      return OutputOptions.Further(format: format, file: OutputPath(text))
    }
  }
}

extension OutputFormat {
  /// The format that the ending of a file's name stands for; `nil` for another ending.
  package init?(ending path: String) {
    switch path.fileEnding {
    case "csv": self = .csv
    case "json": self = .json
    case "jsonl", "ndjson": self = .jsonl
    default: return nil
    }
  }
}
