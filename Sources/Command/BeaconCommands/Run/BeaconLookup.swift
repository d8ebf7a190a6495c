// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// Finds the beacons that a command line does not name by a whole UUID, but by a name or by the beginning of a UUID.
///
/// Everything after the parser has the whole identity, so output, recordings and states contain only that.
struct BeaconLookup {
  private let names: NameBook
  /// The UUIDs of names, plans and the configuration.
  private let uuids: Set<UInt128>
  /// The captures of the operator, in which a UUID is looked for if it is not otherwise known.
  private let captures: [String]
  private let isInterrupted: () -> Bool

  /// Replaces names and beginnings of UUIDs, and shows each identity once.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - sources: The sources of other modules, which may know names of beacons.
  ///   - io: The command's surroundings.
  /// - Throws: ``UsageError`` for one that is unknown or ambiguous; ``CommandFailure`` and `CaptureError` for a file
  ///   in which they are looked up.
  static func resolve(
    _ arguments: inout ParsedArguments,
    _ sources: [AdditionalSource],
    _ io: CommandIO
  ) throws {
    guard arguments.hasNames else { return }
    let lookup = try BeaconLookup(arguments, sources, io)
    var known: [String: String] = [:]
    var shown: [String] = []
    try arguments.lookUpNames { text in
      if let found = known[text] { return found }
      let found = try lookup.find(text)
      known[text] = found
      shown.append("\(quoted(text)) is \(found)")
      return found
    }
    if !arguments.has(Options.quiet) { shown.forEach(io.show) }
  }

  private init(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ io: CommandIO
  ) throws {
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    var (configuration, names) = (loaded.configuration, loaded.names)
    for source in sources { _ = try source.choose(arguments, &configuration, &names) }
    self.names = names
    uuids = Set(
      names.entries.map(\.identity.uuid)
        + configuration.ranging.calibration.overrides.map(\.constraint.uuid)
    )
    // Only the operator may know which UUIDs were received, or how one begins (law L3).
    let files = arguments.isClients ? [] : try arguments.captures()
    captures = files.filter { FileStatus($0)?.isRegular ?? false }
    isInterrupted = io.isInterrupted
  }

  /// Returns the constraint that a text stands for, in full.
  private func find(_ text: String) throws -> String {
    let beginning = String(text.prefix { $0 != "/" })
    if let found = try single(names.candidates(for: text, among: uuids), text) { return found }
    guard let range = UUIDText.range(beginning: beginning) else {
      throw ValueFault.wrong(unknown(text))
    }
    let candidates = NameBook().candidates(for: text, among: try received(range))
    guard let found = try single(candidates, text) else {
      let places =
        captures.isEmpty
        ? "names, plans and configuration" : "names, plans, configuration and captures"
      throw ValueFault.wrong(
        "no UUID in your \(places) begins with \(quoted(beginning)); write 32 hexadecimal digits as 8-4-4-4-12"
      )
    }
    return found
  }

  /// Returns the only candidate; `nil` without candidates.
  private func single(_ candidates: [String], _ text: String) throws(ValueFault) -> String? {
    guard candidates.count > 1 else { return candidates.first }
    let shown = candidates.prefix(Self.mostShown).joined(separator: ", ")
    let more = candidates.count > Self.mostShown ? " and others" : ""
    throw .wrong("\(quoted(text)) can be \(shown)\(more); write which")
  }

  private func unknown(_ text: String) -> String {
    let list = names.isEmpty ? "'beaconctl name' gives names" : "'beaconctl name' lists the names"
    let hint = NearestName.find(text, in: names.entries.map(\.name))
      .map { "did you mean \(quoted($0))?" }
    return
      "\(quoted(text)) is not a UUID, the first \(UUIDText.fewestDigits) or more digits of one, or a name; "
      + (hint ?? "write 32 hexadecimal digits as 8-4-4-4-12; \(list)")
  }

  /// The candidates that a message lists.
  private static let mostShown = 4

  /// The UUIDs of a range in the captures; no more than decide that it is ambiguous, and that there are others.
  private func received(_ range: ClosedRange<UInt128>) throws -> Set<UInt128> {
    var found: Set<UInt128> = []
    for path in captures {
      let file = try CaptureSource([path], .recorded)
      while found.count <= Self.mostShown, let batch = try file.next() {
        if isInterrupted() { throw CommandFailure(Interruption.exitCode ?? .interrupted, []) }
        let bytes = batch.bytes.span
        for case .report(let report) in batch.inputs {
          switch BeaconDecoder.read(report, in: bytes) {
          case .beacon(let identity, _), .presence(let identity):
            if range.contains(identity.uuid) { found.insert(identity.uuid) }
          case .rejected: break
          }
        }
      }
    }
    return found
  }
}
