// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

extension Timeline {
  /// Monitors a region over a timeline written as text, and returns its events as text: one character for each second.
  ///
  /// For example, `"--*--*-------"` with an exit time of 5 s gives `"--E-------X--"`.
  ///
  /// - Parameters:
  ///   - text: The sightings, as ``init(_:of:rssi:startingAt:)`` reads them.
  ///   - exitTiming: When the region is left; `nil` uses the configuration's exit timing.
  ///   - assumed: The initial state. With `nil` the state is determined first, which is not a crossing.
  ///   - enterPolicy: What must be received to enter; `nil` uses the configuration's enter policy.
  ///   - configuration: The configuration of the engine.
  /// - Returns: A text of the same length: `E` entered, `X` left, `i` inside and `o` outside without a crossing, `?`
  ///   unknown, `-` no event.
  /// - Throws: ``TimelineSyntaxError``.
  public static func regions(
    _ text: String,
    exitTiming: ExitTiming? = nil,
    assuming assumed: RegionState? = .outside,
    enterPolicy: EnterPolicy? = nil,
    configuration: Configuration = Configuration()
  ) throws(TimelineSyntaxError) -> String {
    let timeline = try Timeline(text)
    var run = RunCore(
      RunEngine(EngineDriver(configuration, startingAt: timeline.start)),
      policy: .scripted
    )
    let client = run.context.driver?.connect()
    let region = Region(
      "region",
      .minor(beacon),
      enterPolicy: enterPolicy,
      exitTiming: exitTiming
    )
    run.context.engine.request(.monitor(region, assuming: assumed), by: client)
    _ = run.context.engine.drainDeliveries()
    var deliveries: [Delivery] = []
    for batch in timeline.batches() { deliveries += run.play(.batch(batch)) }
    deliveries += run.play(.end(.sourceEnded))
    return row(of: deliveries, from: timeline.start, count: text.count)
  }

  /// Writes region events as text, one character for each second.
  ///
  /// Of several events in a second it writes a crossing, or else the last event.
  static func row(of deliveries: [Delivery], from start: Timestamp, count: Int) -> String {
    var row = [Character](repeating: "-", count: count)
    for delivery in deliveries {
      let second = Int((delivery.time - start).microseconds / 1_000_000)
      guard row.indices.contains(second) else { continue }
      switch delivery.event {
      case .regionEntered: row[second] = "E"
      case .regionExited: row[second] = "X"
      case .regionState(_, let state, _, _) where row[second] != "E" && row[second] != "X":
        switch state {
        case .inside: row[second] = "i"
        case .outside: row[second] = "o"
        case .unknown: row[second] = "?"
        }
      default: continue
      }
    }
    return String(row)
  }
}
