// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import BeaconCore
package import BeaconFormats
internal import Beacons

/// Explains at the end of the operator's replay why less was shown than was requested: a beacon that never came, a
/// capture too short for a tick, or one that ends before a region is left.
package final class UnmetRequests: RunParticipant {
  private let options: RunOptions
  private let kind: EventCSVWriter.Kind
  /// The constraints, in their order.
  private let requested: [IdentityConstraint]
  /// The constraints of each region.
  private let regions: [RegionIdentifier: [IdentityConstraint]]
  /// The constraints without a delivered beacon so far.
  private var missing: Set<IdentityConstraint>
  private var start = Timestamp.earliest
  private var end: Timestamp?
  /// The regions that are inside, as far as silence can end that.
  private var inside: [RegionIdentifier] = []
  /// Whether a tick was delivered, or none was requested.
  private var hasTicked: Bool

  /// - Parameters:
  ///   - options: The user's options.
  ///   - kind: The request.
  package init(_ options: RunOptions, _ kind: EventCSVWriter.Kind) {
    self.options = options
    self.kind = kind
    let monitored = kind == .sightings ? [] : options.regions
    hasTicked = kind != .ranging
    regions = Dictionary(grouping: monitored, by: \.identifier).mapValues { $0.map(\.constraint) }
    var all = Set(options.constraints)
    requested =
      options.constraints + monitored.map(\.constraint).filter { all.insert($0).inserted }
    missing = all
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins: start = run.now
    case .delivered(let deliveries):
      guard !missing.isEmpty || !hasTicked else { return }
      for delivery in deliveries { note(delivery.event) }
    case .sourceEnded:
      end = run.now
      guard kind == .monitoring, !options.drains, let client = run.client else { return }
      for region in options.regions.map(\.identifier) {
        guard let exit = run.driver?.exit(of: region, by: client), exit.rule != .silentAfterUnknown
        else { continue }
        inside.append(region)
      }
    default: break
    }
  }

  private func note(_ event: Event) {
    switch event {
    case .sighting(let sighting):
      if !missing.isEmpty { missing.subtract(Self.constraints(of: sighting.identity)) }
    case .nearby: hasTicked = true
    case .ranged(let entries):
      hasTicked = true
      for entry in entries where !entry.beacons.isEmpty { missing.remove(entry.constraint) }
    case .regionEntered(let name, _, _), .regionState(let name, .inside, _, _):
      missing.subtract(regions[name] ?? [])
    default: break
    }
  }

  /// The constraints that a beacon satisfies.
  private static func constraints(of identity: BeaconIdentity) -> [IdentityConstraint] {
    [
      .uuid(identity.uuid), .major(identity.uuid, identity.major), .minor(identity),
    ]
  }

  /// Returns notes for a user, a sentence an element; reads the captures again if a beacon never came.
  ///
  /// - Parameters:
  ///   - isTable: Whether the user reads the crossings.
  ///   - isInterrupted: Whether the user has interrupted the run.
  /// - Returns: The notes.
  package func sentences(isTable: Bool, isInterrupted: () -> Bool) -> [String] {
    guard let end else { return [] }
    var sentences: [String] = []
    if !missing.isEmpty { sentences += absences(isInterrupted) }
    if isTable, options.span == nil, !inside.isEmpty {
      let further = inside.count - Self.most
      let names = inside.prefix(Self.most).map(\.rawValue).joined(separator: ", ")
      let rest = further > 0 ? " and \(further) more" : ""
      let verb = inside.count == 1 ? "is" : "are"
      sentences.append(
        "\(names)\(rest) \(verb) still inside at the capture's end; --drain waits for the exit"
      )
    }
    guard !hasTicked else { return sentences }
    if end - start < .seconds(1) {
      let length = DecimalText.seconds(end - start)
      sentences.append(
        "\(captures) \(isPlural ? "are" : "is") \(length) s long, without a whole second to report on;"
          + " 'beaconctl scan' shows every report"
      )
    } else if let region = options.whileInside {
      sentences.append("'\(region)' was never inside, so nothing was ranged")
    }
    return sentences
  }

  private var isPlural: Bool { options.captures.count > 1 }
  private var captures: String { isPlural ? "these captures" : "this capture" }

  private func absences(_ isInterrupted: () -> Bool) -> [String] {
    guard let inspection = inspection(isInterrupted) else {
      // A pipe cannot be read twice; a region that was never inside does not show its beacons.
      guard kind != .monitoring, options.whileInside == nil else { return [] }
      return Self.sentences(requested.filter(missing.contains)) {
        "no beacon of \($0) was received"
      }
    }
    // A beacon that names no power may be the one; it is not among the identities.
    guard inspection.rejected[.noMeasuredPower] == 0 else { return [] }
    let received = inspection.identities.map(\.identity)
    let satisfied = Set(received.flatMap(Self.constraints))
    let census = BeaconCensus(received)
    let absent = requested.filter { missing.contains($0) && !satisfied.contains($0) }
    return Self.sentences(absent) { constraint in
      let held = census.text(lookingFor: constraint)
      return
        "no beacon of \(constraint) was received; \(captures) \(isPlural ? "have" : "has") \(held)"
    }
  }

  /// The most constraints of which a sentence each tells.
  private static let most = 5

  private static func sentences(
    _ absent: [IdentityConstraint],
    _ sentence: (IdentityConstraint) -> String
  ) -> [String] {
    let rest = absent.count - most
    return absent.prefix(most).map(sentence)
      + (rest > 0 ? ["nor was a beacon of \(rest) other constraints"] : [])
  }

  /// What all captures hold; `nil` if one cannot be read again.
  private func inspection(_ isInterrupted: () -> Bool) -> CaptureInspection? {
    var inspection = CaptureInspection()
    for path in options.captures {
      guard path != "-", FileStatus(path)?.isRegular ?? false,
        let file = try? CaptureSource([path], .recorded)
      else { return nil }
      while let batch = try? file.next() {
        if isInterrupted() { return nil }
        inspection.add(batch)
      }
    }
    return inspection
  }
}

/// How many beacons of each UUID were received.
package struct BeaconCensus {
  private var uuids: [(uuid: UInt128, beacons: [BeaconIdentity])] = []

  /// The most UUIDs, and the most beacons of one, that a sentence names.
  private static let most = 3

  /// Counts beacons, each once; the UUID with the most beacons comes first.
  package init(_ identities: [BeaconIdentity]) {
    let groups = Dictionary(grouping: Set(identities), by: \.uuid)
    uuids = groups.map { (uuid: $0.key, beacons: $0.value.sorted()) }
      .sorted { ($1.beacons.count, $0.uuid) < ($0.beacons.count, $1.uuid) }
  }

  /// Returns the reports, as the object of a sentence: `F7826DA6-…: 3 beacons`.
  ///
  /// - Parameter constraint: The requested beacons; beacons of its UUID are named by their numbers.
  /// - Returns: The text; `no iBeacon` for none.
  package func text(lookingFor constraint: IdentityConstraint? = nil) -> String {
    guard !uuids.isEmpty else { return "no iBeacon" }
    let first = uuids.filter { $0.uuid == constraint?.uuid }
    let shown = (first + uuids.filter { $0.uuid != constraint?.uuid }).prefix(Self.most)
    var parts = shown.map { entry in
      let count = entry.beacons.count == 1 ? "1 beacon" : "\(entry.beacons.count) beacons"
      let text = "\(UUIDText.string(entry.uuid)): \(count)"
      return entry.uuid == constraint?.uuid ? text + Self.numbers(entry.beacons) : text
    }
    let further = uuids.count - shown.count
    if further > 0 { parts.append("\(further) more UUID\(further == 1 ? "" : "s")") }
    return parts.joined(separator: ", ")
  }

  private static func numbers(_ beacons: [BeaconIdentity]) -> String {
    let named = beacons.prefix(most).map { "\($0.major)/\($0.minor)" }
    return " (\(named.joined(separator: ", "))\(beacons.count > most ? ", ..." : ""))"
  }
}
