// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import BeaconSites
internal import SystemKit

extension AdditionalCondition {
  /// `monitor --place`: a region is entered if one of its beacons comes to a place, and left if it leaves it.
  package static let place = AdditionalCondition(
    options: [PlaceCondition.place, PlaceCondition.model],
    apply: PlaceCondition.apply
  )
  /// `web --model`: in which place each listed beacon is, also if no region has a place.
  package static let places = AdditionalCondition(
    options: [PlaceCondition.place, PlaceCondition.siteModel],
    apply: PlaceCondition.applyPlaces
  )
}

/// The place of a beacon as a condition of regions.
enum PlaceCondition {
  /// The places.
  static let place = CommandOption(
    "place",
    .text("NAME"),
    "Enter a region when one of its beacons comes to this place; needs --model, or a recording with places",
    repeats: true,
    needs: ["region"]
  )
  /// The model.
  static let model = CommandOption(
    "model",
    .file("MODEL"),
    "Find out places with this model of the site, which 'site survey' wrote",
    needs: ["place"]
  )

  /// The model if no region needs a place.
  static let siteModel = CommandOption(
    "model",
    .file("MODEL"),
    "Find out in which place each listed beacon is with this model of the site, which 'site survey' wrote"
  )

  /// Puts the fusion in front of the engine for the beacons that the configuration or a plan names as well.
  ///
  /// - Throws: What ``apply(_:_:)`` throws.
  @Sendable static func applyPlaces(
    _ arguments: ParsedArguments,
    _ options: inout RunOptions
  ) throws {
    guard let path = arguments[siteModel] else { return try apply(arguments, &options) }
    let listed = options.names.entries.map { IdentityConstraint.minor($0.identity) }
    if arguments.has(place) {
      try apply(arguments, &options, following: listed)
    } else {
      try SiteFiles.checkStandardInput(options.captures + [path])
      let model = try SiteFiles.model(path)
      options.filter = filter(
        model,
        listed + options.constraints + options.regions.map(\.constraint)
      )
    }
  }

  /// Puts the places into the regions, and the fusion in front of the engine.
  ///
  /// - Throws: ``UsageError`` if a place is not one of the model, ``CommandFailure`` if the model cannot be read.
  @Sendable static func apply(_ arguments: ParsedArguments, _ options: inout RunOptions) throws {
    try apply(arguments, &options, following: [])
  }

  private static func apply(
    _ arguments: ParsedArguments,
    _ options: inout RunOptions,
    following others: [IdentityConstraint]
  ) throws {
    let places = arguments.all(place)
    guard !places.isEmpty else { return }
    for entry in arguments.entries(place) where entry.value.isEmpty {
      throw UsageError("a place has a name", argument: entry.place)
    }
    options.regions = regions(options.regions, in: places)
    guard let path = arguments[model] else {
      guard !options.captures.isEmpty else {
        throw UsageError.missing(
          [Self.model.usage],
          in: arguments.programName,
          hint: "only a recording with places needs none"
        )
      }
      options.filter = { source, run in
        // A client may not know what was received.
        let (source, remarks) = Self.transformed(
          source,
          RecordedPlaces(places),
          run,
          shows: run.options.client == nil
        )
        return (source, remarks, { [:] })
      }
      return
    }
    try SiteFiles.checkStandardInput(options.captures + [path])
    let model = try SiteFiles.model(path)
    let known = model.places.map(\.name)
    for entry in arguments.entries(place) where !known.contains(where: { isSame($0, entry.value) })
    {
      throw UsageError(
        "no place of \(WholeFile.name(path)) is named '\(entry.value)'"
          + NearestName.hint(for: entry.value, in: known),
        argument: entry.place
      )
    }
    options.filter = filter(model, others + options.regions.map(\.constraint))
  }

  private static func filter(
    _ model: SiteModel,
    _ constraints: [IdentityConstraint]
  ) -> AdditionalCondition.Filter {
    { source, run in
      let timing = run.options.configuration.timing
      let (offsets, clocks) = try SiteCaptures.offsets(
        run.options.captures,
        timing: timing,
        isInterrupted: run.io.isInterrupted
      )
      clocks.map(\.text).forEach(run.show)
      let store = run.options.stateDirectory.map { ClientStore(directory: $0) }
      let known = ReceiverOffsetStore(model, store ?? ClientStore(environment: run.io.environment))
      let start = StartingOffsets(known, of: source)
      let fusion = PlaceFusion(
        PlaceFeed(model, constraints, gap: timing.gap),
        ClockCorrection(offsets),
        startingWith: start,
        isLive: source.isLive,
        // They follow from reports, of which a client may not know.
        keepingIn: run.options.client == nil ? known : nil,
        showing: run.options.offsetsChanged
      )
      let (source, remarks) = transformed(source, fusion, run, shows: true)
      return (source, remarks, { start.values })
    }
  }

  /// The source with a transform, whose remarks are shown when it has ended.
  private static func transformed(
    _ source: any ScanSource,
    _ transform: some PlaceTransform,
    _ run: AdditionalParticipant.Surroundings,
    shows: Bool
  ) -> (source: any ScanSource, remarks: RunRemarks) {
    let transformed = TransformedSource(source, delay: transform.delay, by: transform)
    let remarks = RunRemarks {
      let lines = transformed.withTransform { $0.drainRemarks() }
      if shows { lines.forEach(run.show) }
    }
    return (transformed, remarks)
  }

  /// Each region in each place; of several places, the name is part of the region's.
  private static func regions(_ regions: [Region], in places: [String]) -> [Region] {
    var seen: [String] = []
    for name in places where !seen.contains(where: { isSame($0, name) }) { seen.append(name) }
    return regions.flatMap { region in
      seen.map { name in
        var region = region
        region.place = name
        if seen.count > 1 {
          region.identifier = RegionIdentifier("\(region.identifier)/\(name)")
        }
        return region
      }
    }
  }

  private static func isSame(_ name: String, _ other: String) -> Bool {
    name.utf8.elementsEqual(other.utf8)
  }
}

/// A transform that concerns places.
private protocol PlaceTransform: BatchTransform {
  /// How much earlier the timeline may start.
  var delay: TimeSpan { get }
  /// Returns the remarks for the user once the source has ended, once.
  mutating func drainRemarks() -> [String]
}

/// Adds the places of beacons.
private struct PlaceFusion: PlaceTransform {
  private var feed: PlaceFeed
  private var correction: ClockCorrection
  private var remarks: [String] = []
  private var offsets: [String: Int] = [:]
  private let start: StartingOffsets
  private var hasStarted = false
  private let isLive: Bool
  /// The place of learned offsets of a live run; `nil` in the run of a client, which does not show them either.
  private let store: ReceiverOffsetStore?
  /// Shows changed offsets.
  private let show: @Sendable ([String: Int]) -> Void

  init(
    _ feed: PlaceFeed,
    _ correction: ClockCorrection,
    startingWith start: StartingOffsets,
    isLive: Bool,
    keepingIn store: ReceiverOffsetStore?,
    showing show: @escaping @Sendable ([String: Int]) -> Void
  ) {
    (self.feed, self.correction, self.start) = (feed, correction, start)
    (self.isLive, self.store, self.show) = (isLive, store, show)
  }

  var delay: TimeSpan { correction.delay }

  mutating func add(_ batch: ScanBatch, receivers: [String]) -> ScanBatch {
    if !hasStarted {
      feed.start(with: start.values)
      noteOffsets()
      hasStarted = true
    }
    defer { if noteOffsets(), isLive { store?.keep(offsets) } }
    return feed.add(correction.add(batch), receivers: receivers)
  }

  /// Notes changed offsets for the user, and returns whether there are any.
  @discardableResult
  private mutating func noteOffsets() -> Bool {
    let learned = feed.fusion.offsets
    guard learned != offsets else { return false }
    if store != nil {
      remarks += SiteFiles.remarks(on: learned, after: offsets)
      show(learned)
    }
    offsets = learned
    return true
  }

  mutating func finish(receivers: [String]) -> ScanBatch? {
    if !isLive {
      // It depends on no beacon, so a limited client may also learn it.
      remarks += SiteFiles.remarks(on: feed.fusion.model, receivers)
    }
    let rest = correction.finish()
    return rest.inputs.isEmpty ? nil : feed.add(rest, receivers: receivers)
  }

  mutating func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }
}

/// Looks whether a recording has the places that regions need.
private struct RecordedPlaces: PlaceTransform {
  private var hasPlaces = false
  /// The places that no beacon came to.
  private var missing: [String]
  private var found: [String] = []
  private var remarks: [String] = []

  let delay = TimeSpan.zero

  init(_ places: [String]) {
    missing = places
  }

  mutating func add(_ batch: ScanBatch, receivers: [String]) -> ScanBatch {
    for case .place(let report) in batch.inputs {
      hasPlaces = true
      guard !missing.isEmpty, case .at(let name) = batch.place(of: report)?.position else {
        continue
      }
      missing.removeAll { $0.utf8.elementsEqual(name.utf8) }
      if found.count < SiteModel.placeLimit, !found.contains(name) { found.append(name) }
    }
    return batch
  }

  /// Explains why nothing was delivered.
  mutating func finish(receivers: [String]) -> ScanBatch? {
    if !hasPlaces {
      remarks.append(
        "these captures have no places, so no region is known; find them out with --model"
      )
    } else if !missing.isEmpty {
      remarks.append(
        "no beacon came to \(SiteFiles.list(missing.map(\.printable)))"
          + (found.isEmpty ? "" : "; there are places \(SiteFiles.list(found.map(\.printable)))")
      )
    }
    return nil
  }

  mutating func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }
}
