// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport

/// Random inputs for two clients, used with engines that differ only in what must not matter.
struct GateScript {
  enum Input {
    case report(BeaconIdentity)
    case user(UserAction, client: Int?)
    case request(ClientRequest, client: Int)
  }

  static let names = ["guide", "shop"]
  static let manifests = [
    Manifest(
      whenInUse: "when",
      alwaysAndWhenInUse: "always",
      purposes: [.init(key: "Guide", text: "guide")],
      backgroundLocation: true
    ),
    Manifest(whenInUse: "when", purposes: [.init(key: "Guide", text: "guide")]),
  ]

  private(set) var inputs: [(time: Timestamp, input: Input)] = []

  init(seed: UInt64, count: Int) {
    var random = SplitMix64(seed: seed)
    var time = TestScan.start
    for _ in 0..<count {
      let spans = [0.05, 0.3, 1, 1, 3.7, 12, 33]
      time = time + TimeSpan(seconds: spans.randomElement(using: &random) ?? 1)
      inputs.append((time, Self.input(&random)))
    }
  }

  private static func input(_ random: inout SplitMix64) -> Input {
    let client = Int.random(in: 0..<2, using: &random)
    let region = Region(Bool.random(using: &random) ? "a" : "b", .uuid(TestScan.museum))
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<12: return .report(TestScan.beacon(UInt16.random(in: 1...3, using: &random), 1))
    case 12: return .user(.foreground, client: client)
    case 13: return .user(.background, client: client)
    case 14: return .user(.answer(.whileUsing), client: client)
    case 15: return .user(.answer(.once), client: client)
    case 16:
      return .user(
        .settings(precise: Bool.random(using: &random)),
        client: client
      )
    case 17: return .user(.services(on: Bool.random(using: &random)), client: nil)
    case 18: return .request(.authorize(.always), client: client)
    case 19: return .request(.authorize(.whenInUse), client: client)
    case 20: return .request(.range(.uuid(TestScan.museum)), client: client)
    case 21: return .request(.requestState("a"), client: client)
    default: return .request(.monitor(region), client: client)
    }
  }

  /// Runs the script and returns what was delivered to each client, one line for each event.
  ///
  /// - Parameters:
  ///   - order: The clients in the order in which they connect.
  ///   - steps: The number of steps in which time passes between two inputs.
  func run(_ profile: Profile, order: [Int] = [0, 1], steps: Int64 = 1) -> [String] {
    var driver = EngineDriver(Configuration(profile), startingAt: TestScan.start)
    var delivered: [Delivery] = []
    var ids: [Int: ClientID] = [:]
    for client in order { ids[client] = driver.connect(Self.manifests[client]) }
    for (time, input) in inputs {
      let span = (time - driver.now).microseconds
      for step in 1...steps {
        let point = driver.now + TimeSpan(microseconds: span / steps * step)
        driver.advance(before: step == steps ? time : min(point, time))
        delivered += driver.collectDeliveries()
      }
      put(input, at: time, into: &driver, ids, &delivered)
      delivered += driver.collectDeliveries()
    }
    var lines = [0: "", 1: ""]
    let names = EventNames(clients: order.map { Self.names[$0] })
    for delivery in delivered {
      guard case .client(let id) = delivery.recipient else { continue }
      var writer = EventLineWriter(names)
      writer.append(delivery)
      lines[order[Int(id.number)], default: ""] += String(decoding: writer.bytes, as: UTF8.self)
    }
    return [lines[0] ?? "", lines[1] ?? ""]
  }

  private func put(
    _ input: Input,
    at time: Timestamp,
    into driver: inout EngineDriver,
    _ ids: [Int: ClientID],
    _ deliveries: inout [Delivery]
  ) {
    var batch = ScanBatch(inputs: [.mark(time)])
    if case .report(let identity) = input {
      batch = ScanBatch()
      batch.append(
        AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0),
        payload: BeaconEncoder.advertisingData(identity, measuredPower: -59)
      )
    }
    // An action ends no gap, so a mark shows that the source was received until then.
    driver.supply(batch)
    if case .user(let input, let client) = input {
      deliveries += driver.collectDeliveries()
      return driver.perform(input, by: client.flatMap { ids[$0] }, exactlyAt: time)
    }
    guard case .request(let request, let client) = input, let id = ids[client] else { return }
    deliveries += driver.collectDeliveries()
    driver.request(request, by: id)
  }
}
