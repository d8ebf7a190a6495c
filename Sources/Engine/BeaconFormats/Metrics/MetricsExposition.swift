// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes metrics as Prometheus reads them: its text format 0.0.4, or OpenMetrics 1.0.
package struct MetricsExposition: Sendable {
  /// A format.
  package enum Format: Sendable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case text
    /// OpenMetrics 1.0.
    case openMetrics

    /// The media type of an answer.
    package var mediaType: String {
      switch self {
      case .text: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  /// The kind of a family's values.
  package enum Kind: String, Sendable {
    /// A value that goes up and down.
    case gauge
    /// A number that only grows while the process runs.
    case counter
    /// Labels of a constant.
    case info
  }

  private let format: Format
  private var text = ""
  private var name = ""

  /// Starts an exposition.
  package init(_ format: Format) { self.format = format }

  /// Starts a family.
  ///
  /// - Parameters:
  ///   - name: The name without `_total` or `_info`, which the kind adds.
  ///   - kind: What its values are.
  ///   - help: One sentence.
  package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    let suffix =
      switch kind {
      case .gauge: ""
      case .counter: "_total"
      case .info: "_info"
      }
    self.name = name + suffix
    // OpenMetrics names the family, and the older format the samples; it has no type for constants either.
    let described = format == .openMetrics ? name : self.name
    let type = kind == .info && format == .text ? "gauge" : kind.rawValue
    text += "# HELP \(described) \(Self.escaped(help, quotes: format == .openMetrics))\n"
    text += "# TYPE \(described) \(type)\n"
  }

  /// Writes a sample of the family.
  ///
  /// - Parameters:
  ///   - labels: The names and values of its labels; the values are escaped.
  ///   - value: The value, as ``value(_:)`` or a whole number writes it.
  package mutating func sample(_ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      let pairs = labels.map { "\($0)=\"\(Self.escaped($1.printable, quotes: true))\"" }
      text += "{" + pairs.joined(separator: ",") + "}"
    }
    text += " " + value + "\n"
  }

  /// Writes the only sample of a family without labels.
  package mutating func sample(_ value: String) { sample([], value) }

  /// The exposition, complete.
  package var bytes: [UInt8] {
    Array((format == .openMetrics ? text + "# EOF\n" : text).utf8)
  }

  /// A number as both formats read it.
  package static func value(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
    if let whole = Int64(exactly: number) { return "\(whole)" }
    return "\(number)"
  }

  /// A text with the escapes of both formats.
  static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
