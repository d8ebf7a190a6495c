// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Counts the false exits among the events that an engine delivers for a recording.
///
/// An exit is false if its region is entered again within ``longestAbsence`` and the beacon was evidently present all
/// the time: at each second from the exit to the return it was received within 10 s before or after, and the mean of
/// these reports (``TwoWayLevels``) lies within the region.
public struct FalseExits: Sendable {
  /// The latest return after which an exit may have been false, a minute: a longer absence is an exit.
  public static let longestAbsence = TimeSpan.seconds(60)

  /// The exits delivered.
  public private(set) var exits = 0
  /// Those of them that were false.
  public private(set) var falseExits = 0
  /// The silences, in seconds, after which regions were left.
  public private(set) var silences: [Double] = []

  private var left: [RegionIdentifier: Timestamp] = [:]

  /// Creates an empty count.
  public init() {}

  /// Runs an engine over a recording, with one region for each beacon.
  ///
  /// - Parameters:
  ///   - batches: The recording.
  ///   - beacons: The beacons with their powers in dBm at one meter, by the number of their stream.
  ///   - levels: Their levels.
  ///   - configuration: How the engine works.
  ///   - zone: The radius of the regions; `nil`: as far as their beacons are received.
  public init(
    _ batches: [ScanBatch],
    of beacons: [(identity: BeaconIdentity, power: Double)],
    _ levels: TwoWayLevels,
    _ configuration: Configuration,
    zone: Zone? = nil
  ) {
    guard let start = batches.lazy.compactMap({ $0.inputs.first?.time }).first else { return }
    let engine = TestEngine(configuration, startingAt: start)
    let client = engine.driver.connect()
    var streams: [RegionIdentifier: Int] = [:]
    for (stream, beacon) in beacons.enumerated() {
      let name = RegionIdentifier("\(beacon.identity)")
      streams[name] = stream
      let region = Region(name, .minor(beacon.identity), zone: zone)
      engine.driver.request(.monitor(region), by: client)
    }
    _ = engine.driver.drainDeliveries()
    let pathLoss = configuration.ranging.pathLoss
    let wasThere = { (region: RegionIdentifier, time: Timestamp) -> Bool in
      guard let stream = streams[region],
        let level = levels.level(stream, at: levels.second(of: time))
      else { return false }
      guard let zone else { return true }
      return pathLoss.distance(rssi: level, measuredPower: beacons[stream].power)
        <= zone.leaveBeyond
    }
    for (index, batch) in batches.enumerated() {
      for delivery in engine.run(batch, ending: index == batches.count - 1) {
        add(delivery, wasThere)
      }
    }
  }

  /// Processes the deliveries of an engine.
  ///
  /// - Parameters:
  ///   - delivery: An exit, an enter, or anything else.
  ///   - wasThere: Whether the beacon of a region was evidently there at a time.
  mutating func add(_ delivery: Delivery, _ wasThere: (RegionIdentifier, Timestamp) -> Bool) {
    switch delivery.event {
    case .regionExited(let region, _, let why):
      exits += 1
      left[region] = delivery.time
      if let silence = why.gap { silences.append(silence.seconds) }
    case .regionEntered(let region, _, _):
      guard let time = left.removeValue(forKey: region),
        delivery.time - time <= Self.longestAbsence
      else { return }
      let seconds = Int((delivery.time - time).seconds)
      let isThere =
        (0...seconds).allSatisfy { wasThere(region, time + .seconds(Int64($0))) }
        && wasThere(region, delivery.time)
      if isThere { falseExits += 1 }
    default: break
    }
  }
}
