// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// What receivers received, for an engine and for peers alike: the same reports, announced powers and clock.
struct Scene {
  /// One beacon at one receiver.
  struct Stream {
    /// The index of the beacon.
    var beacon: Int
    var receiver: UInt8 = 0
    var announcedPower: Int8
  }

  var streams: [Stream]
  /// In the order of their times.
  var samples: [StreamSample]

  init(streams: [Stream], samples: [StreamSample]) {
    self.streams = streams
    self.samples = samples.sorted { ($0.time, $0.stream) < ($1.time, $1.stream) }
  }

  /// Creates a scene in which each stream is a separate beacon.
  init(powers: [Int8], samples: [StreamSample]) {
    let streams = powers.enumerated().map { Stream(beacon: $0.offset, announcedPower: $0.element) }
    self.init(streams: streams, samples: samples)
  }

  var beaconCount: Int { (streams.map(\.beacon).max() ?? -1) + 1 }

  /// How long after its last report a beacon counts as present: a person sees no reason for `unknown` within this time.
  static let present = 5.0
}

/// A user's view of one beacon in a second.
struct Reading {
  var meters: Double?
  var interval: ClosedRange<Double>?
  var proximity = Proximity.unknown
  /// Whether it is the first of the list.
  var isFirst = false
  /// Whether it was received within ``Scene/present``.
  var isPresent: Bool
}

/// The engine with a configuration, or a peer's filter with its distance model: what delivers readings.
enum Ranger {
  case engine(String, Configuration)
  case peer(Contender, ProximityRule)

  var name: String {
    switch self {
    case .engine(let name, _): name
    case .peer(let contender, _): contender.name
    }
  }

  /// The engine as shipped, and the filters of the peers.
  ///
  /// - Parameter rule: The limits of the zones; peers change a zone a quarter beyond a limit, after 3 s.
  static func all(immediate: Double = 0.5, near: Double = 3) -> [Ranger] {
    let engines = [("ours", Profile.standard), ("ours, as iOS 14", .coreLocation14)].map {
      name,
      profile in
      var configuration = Configuration(profile)
      configuration.ranging.proximity.immediateLimit = immediate
      configuration.ranging.proximity.nearLimit = near
      return Ranger.engine(name, configuration)
    }
    let rule = ProximityRule(
      immediateLimit: immediate,
      nearLimit: near,
      hysteresis: 0.25,
      dwell: .seconds(3),
      certainty: 0
    )
    return engines + Contender.all.dropFirst(2).map { .peer($0, rule) }
  }

  /// Passes the deliveries at each whole second of a scene to a function, by beacon.
  func run(_ scene: Scene, _ body: (Timestamp, [Reading?]) -> Void) {
    switch self {
    case .engine(_, let configuration): Self.engine(scene, configuration, body)
    case .peer(let contender, let rule): Self.peer(scene, contender, rule, body)
    }
  }

  // MARK: The engine

  static let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E

  private static func engine(
    _ scene: Scene,
    _ configuration: Configuration,
    _ body: (Timestamp, [Reading?]) -> Void
  ) {
    guard let first = scene.samples.first?.time else { return }
    var driver = EngineDriver(configuration, startingAt: first)
    let client = driver.connect()
    driver.request(.range(.uuid(uuid)), by: client)
    let payloads = scene.streams.map { payload($0) }
    let count = scene.beaconCount
    var received = [Timestamp?](repeating: nil, count: count)
    var next = 0
    while next < scene.samples.count {
      // One report at a time, so that a delivery is judged by what had been received by then.
      let sample = scene.samples[next]
      next += 1
      var batch = ScanBatch()
      batch.append(
        AdvertisingReport(
          time: sample.time,
          rssi: sample.rssi,
          receiver: scene.streams[sample.stream].receiver,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: payloads[sample.stream]
      )
      driver.supply(batch)
      for delivery in driver.collectDeliveries() {
        guard case .ranged(let rangings) = delivery.event, let beacons = rangings.first?.beacons
        else { continue }
        var readings = [Reading?](repeating: nil, count: count)
        for (beacon, time) in received.enumerated() {
          guard let time else { continue }
          readings[beacon] = Reading(isPresent: (delivery.time - time).seconds <= Scene.present)
        }
        for beacon in beacons {
          let index = Int(beacon.identity.minor)
          readings[index]?.meters = beacon.distance?.meters
          readings[index]?.interval = beacon.distance.map { $0.low...$0.high }
          readings[index]?.proximity = beacon.proximity
          readings[index]?.isFirst = beacon == beacons.first && beacon.distance != nil
        }
        body(delivery.time, readings)
      }
      received[scene.streams[sample.stream].beacon] = sample.time
    }
  }

  private static func payload(_ stream: Scene.Stream) -> [UInt8] {
    let identity = BeaconIdentity(uuid: uuid, major: 0, minor: UInt16(stream.beacon))
    return BeaconEncoder.advertisingData(identity, measuredPower: stream.announcedPower)
  }

  // MARK: Peers

  private static func peer(
    _ scene: Scene,
    _ contender: Contender,
    _ rule: ProximityRule,
    _ body: (Timestamp, [Reading?]) -> Void
  ) {
    guard let first = scene.samples.first?.time, let last = scene.samples.last?.time else { return }
    let count = scene.beaconCount
    var filters = (0..<count).map { _ in contender.make() }
    var zones = [ProximityClassifier](repeating: ProximityClassifier(), count: count)
    var received = [(time: Timestamp, power: Double?)?](repeating: nil, count: count)
    let calibration = Calibration()
    let identity = BeaconIdentity(uuid: uuid, major: 0, minor: 0)
    var tick = first.nextWholeSecond
    var next = 0
    while tick < last {
      while next < scene.samples.count, scene.samples[next].time <= tick {
        let sample = scene.samples[next]
        next += 1
        let stream = scene.streams[sample.stream]
        // No peer combines receivers: each report counts.
        filters[stream.beacon].add(sample.rssi, at: sample.time)
        let power = calibration.power(for: identity, announced: stream.announcedPower)
        received[stream.beacon] = (sample.time, power)
      }
      let readings = (0..<count).map { beacon -> Reading? in
        guard let last = received[beacon] else { return nil }
        var reading = Reading(isPresent: (tick - last.time).seconds <= Scene.present)
        if reading.isPresent, let power = last.power,
          let value = filters[beacon].estimate(at: tick)
        {
          reading.meters = contender.pathLoss.distance(rssi: value.dBm, measuredPower: power)
        }
        reading.proximity = zones[beacon].update(reading.meters, at: tick, by: rule)
        return reading
      }
      body(tick, readings)
      tick = tick + .seconds(1)
    }
  }
}
