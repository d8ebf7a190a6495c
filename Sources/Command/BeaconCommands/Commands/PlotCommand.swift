// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import BeaconPlots
internal import Beacons
internal import SystemKit

/// `plot`: a picture of signals, and of why regions were entered and left.
package struct PlotCommand {
  /// The kinds of files that `plot` writes.
  private enum Format {
    case svg, html
  }

  private static let output = CommandOption(
    "output",
    .output("FILE"),
    "Write the picture to this file, .svg or .html (default: SVG to standard output)",
    letter: "o"
  )
  private static let region = CommandOption(
    "region",
    .region,
    "Draw this region, and give it this name",
    letter: "r",
    repeats: true
  )
  private static let time = CommandOption(
    "time",
    .choice(among: [EventNames.TimeStyle.local, .utc]),
    "How to show times"
  )

  /// Without a choice, so many of the most received beacons are drawn.
  private static let usual = 6
  /// The most regions of a picture.
  private static let most = 20

  /// `plot`: a picture.
  package static let command = BeaconctlCommand(
    "plot",
    "Draw the signal, the silences and the crossings of a capture",
    discussion: [
      "Draws for each region the RSSI at each receiver, the distance with its central 90 % interval, how long"
        + " the region was silent and how long it may be, and each crossing with its reason; below"
        + " them when each receiver listened. Without --region and --beacon the \(usual) most received beacons are drawn.",
      "The capture is replayed from its start, so that --since and --until change the picture, and no"
        + " crossing. For a PNG: 'rsvg-convert -w 1600 why.svg -o why.png'.",
    ],
    arguments: [Options.captureFiles],
    groups: [
      OptionGroup(
        "Beacons",
        [region, Options.beacons("Draw the beacons that satisfy this constraint")]
      ),
      OptionGroup("Span", [Options.since, Options.until, Options.drain.needing([])]), .settings,
      OptionGroup("Output", [output, Options.force, time]),
    ],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl plot air.jsonl --since 14:00 --until 14:10 -o why.svg",
        "Draw ten minutes"
      )
    ]
  ) { arguments, io in
    try await PlotCommand(arguments, io: io).run()
  }

  private let paths: [String]
  private let output: OutputPath
  private let format: Format
  private let span: MomentSpan
  private let zone: LocalZone
  private var options = RunOptions()
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    paths = try arguments.captures()
    output = arguments[Self.output] ?? OutputPath("-")
    format = try Self.format(of: output)
    span = MomentSpan(arguments)
    zone = arguments[Self.time] == .utc ? .utc : io.localZone
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    options.captures = paths
    options.configuration = loaded.configuration
    options.receiverOffsets = loaded.receiverOffsets
    options.names = loaded.names
    options.output = OutputOptions(arguments)
    options.drains = arguments.has(Options.drain)
    options.regions = arguments.all(Self.region).map { loaded.region($0.id, $0.constraint) }
    for constraint in arguments.all(Options.beacons) {
      let name = options.regionName(of: constraint)
      options.regions.append(loaded.region(name, constraint))
    }
    try RunOptions.checkNames(of: options.regions)
    guard options.regions.count <= Self.most else {
      throw UsageError("a picture has at most \(Self.most) regions")
    }
    self.io = io
  }

  private static func format(of output: OutputPath) throws(UsageError) -> Format {
    let ending = output.path.fileEnding
    if output.isStandardOutput || ending == "svg" { return .svg }
    if ending == "html" { return .html }
    if ending == "png" {
      let start = output.path.dropLast(4)
      throw UsageError(
        "PNG is made of SVG: write '\(start).svg', then 'rsvg-convert -w 1600 \(start).svg -o \(output.path)'"
          + " (of the package librsvg2-bin)"
      )
    }
    throw UsageError("'\(output.path)' has no ending that names a format; use .svg or .html")
  }

  /// Replays the captures and draws what happened.
  package func run() async throws -> ExitCode {
    try io.check([output])
    var command = self
    if options.regions.isEmpty {
      guard try command.chooseBeacons() else { return Interruption.exitCode ?? .interrupted }
    }
    let captures = try CaptureSource(paths, timing: options.configuration.timing)
    span.showUnknownZone(io)
    let run = PlotRun(command.options, span, io: io)
    var progress = ProgressLine(
      io,
      isWanted: !options.output.isQuiet,
      besideData: output.isStandardOutput
    )
    let reading = PlotProgress { progress.show(captures.progress) }
    var runner = Runner(
      SecondsSource(captures),
      EngineSetup(command.options, nil),
      participants: [reading, run],
      isInterrupted: io.isInterrupted
    )
    runner.drains = options.drains
    let result = try await runner.run()
    progress.clear()
    if result.wasInterrupted { return Interruption.exitCode ?? .interrupted }
    let plot = run.plot
    guard run.hasInput, !plot.lanes.isEmpty else {
      if !options.output.isQuiet { captures.remarks.forEach(io.show) }
      let reason = run.hasInput ? "no iBeacon was received" : "the capture is empty"
      throw CommandFailure(
        .badData,
        "there is nothing to draw: " + reason + (run.hasInput && !span.isAll ? " in that span" : "")
      )
    }
    let picture = SignalPicture(of: plot, titled: title, zone)
    try io.write(format == .svg ? picture.svg : picture.html, to: output)
    guard !options.output.isQuiet else { return .done }
    captures.remarks.forEach(io.show)
    for lane in plot.lanes where lane.reports == 0 {
      io.show(
        "no beacon of \(lane.region.constraint) was received" + (span.isAll ? "" : " in that span")
      )
    }
    return .done
  }

  private var title: String {
    let name = paths.first.map(WholeFile.name) ?? ""
    let last = name.split(separator: "/").last.map(String.init) ?? name
    return paths.count > 1 ? "\(last) and \(paths.count - 1) more" : last
  }

  /// Chooses the beacons that were received most; returns whether it was not interrupted.
  private mutating func chooseBeacons() throws -> Bool {
    guard !paths.contains("-") else {
      throw UsageError(
        "standard input is read once; choose beacons with --region or --beacon"
      )
    }
    let captures = try CaptureSource(paths, timing: options.configuration.timing)
    var inspection = CaptureInspection()
    var range: Range<Timestamp>?
    while let batch = try captures.next() {
      if io.isInterrupted() { return false }
      guard let first = batch.inputs.first else { continue }
      let chosen = try range ?? span.range(io, start: first.time)
      range = chosen
      inspection.add(
        ScanBatch(bytes: batch.bytes, inputs: batch.inputs.filter { chosen.contains($0.time) })
      )
    }
    let received = inspection.identities.sorted {
      ($1.reports, $0.identity) < ($0.reports, $1.identity)
    }
    for record in received.prefix(Self.usual) {
      let constraint = IdentityConstraint.minor(record.identity)
      let name = RegionIdentifier(options.regionName(of: constraint))
      options.regions.append(Region(name, constraint))
    }
    if received.count > Self.usual, !options.output.isQuiet {
      io.show(
        "the \(Self.usual) most received of \(received.count) beacons are drawn; choose others with --beacon"
      )
    }
    return true
  }
}

extension RunOptions {
  /// Returns a name for a region of a constraint: the name of its beacon, or its numbers.
  fileprivate func regionName(of constraint: IdentityConstraint) -> String {
    guard case .minor(let identity) = constraint else { return "\(constraint)" }
    let name = names[identity] ?? "\(identity.major)/\(identity.minor)"
    let isTaken = regions.contains { $0.identifier.rawValue == name }
    return isTaken ? "\(constraint)" : name
  }

  /// Checks that no two regions have the same name.
  fileprivate static func checkNames(of regions: [Region]) throws(UsageError) {
    var seen: Set<RegionIdentifier> = []
    for region in regions where !seen.insert(region.identifier).inserted {
      throw UsageError("two regions are named '\(region.identifier)'; give each a different name")
    }
  }
}

/// Collects a plot from a run in which the operator monitors its regions.
///
/// Another engine ranges them: what ranging learns of a beacon's level would change when a region with a zone is left.
private final class PlotRun: RunParticipant {
  private let options: RunOptions
  private let span: MomentSpan
  private let io: CommandIO
  private var collector: SignalCollector
  private var range = Timestamp.earliest..<Timestamp.latest
  private var hasReceived = [Bool](repeating: false, count: 256)
  private var client: ClientID?
  private var ranging = EngineDriver(startingAt: .earliest)
  private var captureEnd: Timestamp?
  /// Whether there was any input.
  private(set) var hasInput = false

  init(_ options: RunOptions, _ span: MomentSpan, io: CommandIO) {
    self.options = options
    self.span = span
    self.io = io
    collector = SignalCollector(options.regions, from: .earliest, in: range, options.names)
  }

  var plot: SignalPlot {
    var plot = collector.plot
    let proximity = options.configuration.ranging.proximity
    plot.proximityLimits = (proximity.immediateLimit, proximity.nearLimit)
    return plot
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins: try begin(&run)
    case .delivered(let deliveries): for delivery in deliveries { collector.add(delivery) }
    case .recorded(let slice):
      hasInput = hasInput || !slice.admitted.isEmpty
      add(slice)
      for region in options.regions {
        guard let client, let exit = run.driver?.exit(of: region.identifier, by: client) else {
          continue
        }
        collector.add(exit, of: region.identifier, at: run.now)
      }
      if run.now >= range.upperBound { run.end() }
    case .sourceEnded:
      ranging.endSource(.atEnd(performingScheduled: false))
      for delivery in ranging.collectDeliveries() { collector.add(delivery) }
      captureEnd = run.now
      if !options.drains { end(run) }
    case .ended:
      if options.drains { end(run) }
    default: break
    }
  }

  private func end(_ run: borrowing RunContext) {
    collector.end(at: run.now, captureEnd: captureEnd, receivers: run.receivers)
  }

  private func begin(_ run: inout RunContext) throws {
    range = try span.range(io, start: run.now)
    collector = SignalCollector(options.regions, from: run.now, in: range, options.names)
    run.driver?.keepSlices()
    guard let configuration = run.engine.configuration, let client = run.driver?.connect() else {
      return
    }
    self.client = client
    if !options.regions.isEmpty {
      run.driver?.watchSightings(satisfying: options.regions.map(\.constraint))
    }
    ranging = EngineDriver(configuration, startingAt: run.now)
    let other = ranging.connect()
    for region in options.regions {
      run.engine.request(.monitor(region), by: client)
      ranging.request(.range(region.constraint), by: other)
    }
  }

  private func add(_ slice: ScanSlice) {
    for (input, time) in zip(slice.batch.inputs[slice.range], slice.admitted) {
      if case .radio(let receiver, let state, _) = input {
        hasReceived[Int(receiver)] = true
        collector.add(state, of: receiver, at: time)
      } else if let receiver = input.receiver, !hasReceived[Int(receiver)] {
        // Without a recorded state, a receiver with reports listens.
        hasReceived[Int(receiver)] = true
        collector.add(.listening, of: receiver, at: time)
      }
    }
    ranging.supply(slice.piece)
    for delivery in ranging.collectDeliveries() {
      if case .ranged = delivery.event { collector.add(delivery) }
    }
  }
}

/// A capture in pieces of a second, so that learned times can be seen as they were then.
private actor SecondsSource: ScanSource {
  nonisolated var isLive: Bool { false }
  private let source: CaptureSource
  private var batch = ScanBatch()
  private var index = 0

  init(_ source: CaptureSource) { self.source = source }

  var now: Timestamp { get async throws { try await source.now } }
  var receiverNames: [String] { source.receiverNames }
  var utcOffset: TimeSpan? { get async { await source.utcOffset } }
  var drops: Tally<DropReason> { source.drops }

  func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    while index == batch.inputs.count {
      guard let next = try await source.next(until: deadline) else { return nil }
      (batch, index) = (next, 0)
      if next.inputs.isEmpty { return next }
    }
    let first = index
    let end = batch.inputs[first].time.nextWholeSecond
    // The last second of all has no next one.
    repeat { index += 1 } while index < batch.inputs.count && batch.inputs[index].time < end
    return ScanBatch(
      bytes: batch.bytes,
      inputs: Array(batch.inputs[first..<index]),
      upTo: index == batch.inputs.count ? batch.upTo : nil
    )
  }
}

/// Shows how far a replay has come.
private final class PlotProgress: RunParticipant {
  private let show: () -> Void

  init(_ show: @escaping () -> Void) { self.show = show }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    if case .received = moment { show() }
  }
}
