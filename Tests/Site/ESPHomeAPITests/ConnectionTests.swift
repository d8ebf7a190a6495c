// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import ESPHomeProxies
import Testing

@testable import ESPHomeAPI

@Suite struct ProxyConnectionTests {
  private typealias Subscriber = ProxySubscription

  private func ends(isEncrypted: Bool = true, _ info: DeviceInfo = MessageTests.device) throws
    -> (ProxySubscription, ProxyService)
  {
    let start = TestScan.at(0)
    let keys =
      isEncrypted ? (try TransportTests.encryption(1), try TransportTests.encryption(2)) : nil
    return (
      ProxySubscription(keys?.0, at: start),
      ProxyService(info, keys?.1, ScannerState(.running), at: start)
    )
  }

  /// Passes bytes to and fro until nothing more comes.
  private func talk(
    _ client: inout ProxySubscription,
    _ service: inout ProxyService,
    at second: Double
  )
    -> (client: [ProxySubscription.Event], service: [ProxyService.Event], APIFault?, APIFault?)
  {
    var result: ([ProxySubscription.Event], [ProxyService.Event], APIFault?, APIFault?) = (
      [], [], nil, nil
    )
    while true {
      let (up, down) = (client.drainOutput(), service.drainOutput())
      guard !up.isEmpty || !down.isEmpty else { return result }
      let atService = service.received(up, at: TestScan.at(second))
      let atClient = client.received(down, at: TestScan.at(second))
      result.0 += atClient.events
      result.1 += atService.events
      result.2 = result.2 ?? atClient.1
      result.3 = result.3 ?? atService.1
    }
  }

  @Test(arguments: [true, false])
  func `a subscriber gets the state and the advertisements`(_ isEncrypted: Bool) throws {
    var (client, service) = try ends(isEncrypted: isEncrypted)
    var result = talk(&client, &service, at: 1)
    #expect(result.client == [.subscribed(MessageTests.device), .scanner(ScannerState(.running))])
    #expect(result.service == [.subscribed(client: "beaconctl")])
    #expect(client.isSubscribed && service.isSubscribed)
    let items = (0..<40).map {
      RawAdvertisement(address: UInt64($0), addressType: 1, rssi: -60, data: [1, UInt8($0)])
    }
    service.send(items)
    service.scanner = ScannerState(.stopped)
    result = talk(&client, &service, at: 2)
    #expect(
      result.client == [
        .advertisements(Array(items[..<16])), .advertisements(Array(items[16..<32])),
        .advertisements(Array(items[32...])), .scanner(ScannerState(.stopped)),
      ]
    )
    client.end()
    result = talk(&client, &service, at: 3)
    #expect(result.service == [.unsubscribed] && result.3 == .ended)
  }

  @Test func `a silent proxy is asked, and given up after 20 seconds`() throws {
    var (client, service) = try ends()
    _ = talk(&client, &service, at: 1)
    #expect(client.deadline == TestScan.at(1.5))
    try client.passed(to: TestScan.at(1.4))
    #expect(client.drainOutput().isEmpty)
    try client.passed(to: TestScan.at(1.5))
    _ = talk(&client, &service, at: 1.6)
    #expect(client.lastReceived == TestScan.at(1.6))
    for step in 0..<39 { try client.passed(to: TestScan.at(2.1 + Double(step) * 0.5)) }
    #expect(throws: APIFault.silent) { try client.passed(to: TestScan.at(21.6)) }
  }

  /// A proxy with an advertisement to send.
  private static let item = RawAdvertisement(address: 1, addressType: 1, rssi: -60, data: [1])

  // Row M11.
  @Test(arguments: [true, false])
  func `a part of a message does not show that a proxy lives`(_ isEncrypted: Bool) throws {
    var (client, service) = try ends(isEncrypted: isEncrypted)
    _ = talk(&client, &service, at: 1)
    service.send([Self.item])
    let message = service.drainOutput()
    for (index, byte) in message.dropLast().enumerated() {
      let (events, fault) = client.received([byte], at: TestScan.at(2 + Double(index) / 10))
      #expect(events.isEmpty && fault == nil)
    }
    #expect(client.lastReceived == TestScan.at(1))
    // Nor are bytes that do not decrypt.
    if isEncrypted {
      var other = client
      let (_, fault) = other.received([0], at: TestScan.at(4))
      #expect(fault == .notAuthentic && other.lastReceived == TestScan.at(1))
    }
    let (events, _) = client.received(message.suffix(1), at: TestScan.at(4))
    #expect(events == [.advertisements([Self.item])] && client.lastReceived == TestScan.at(4))
    _ = client.received(message.dropLast(), at: TestScan.at(5))
    #expect(throws: APIFault.silent) { try client.passed(to: TestScan.at(24)) }
  }

  // Row M11.
  @Test func `messages that waited while this end did not run are left out`() throws {
    var (client, service) = try ends()
    _ = talk(&client, &service, at: 1)
    // A question is on its way already, and its answer waits as well.
    try client.passed(to: TestScan.at(2))
    service.send([Self.item])
    _ = service.received(client.drainOutput(), at: TestScan.at(2))
    service.send([Self.item])
    client.stalled(until: TestScan.at(42))
    let old = client.received(service.drainOutput(), at: TestScan.at(42))
    #expect(old.events == [.fellBehind])
    service.send([Self.item])
    #expect(talk(&client, &service, at: 42.1).client == [.caughtUp])
    service.send([Self.item])
    #expect(talk(&client, &service, at: 42.2).client == [.advertisements([Self.item])])
  }

  // Row M11.
  @Test func `a proxy that sends old messages has a late answer`() throws {
    var (client, service) = try ends()
    _ = talk(&client, &service, at: 1)
    // It sends all the time, and is asked nevertheless.
    var asked: [UInt8] = []
    var events: [ProxySubscription.Event] = []
    for step in 0..<80 {
      let second = 1.1 + Double(step) * 0.1
      service.send([Self.item])
      events += client.received(service.drainOutput(), at: TestScan.at(second)).events
      try client.passed(to: TestScan.at(second))
      asked += client.drainOutput()
    }
    #expect(events.last == .fellBehind && (48...51).contains(events.count), "\(events.count)")
    _ = service.received(asked, at: TestScan.at(9.1))
    #expect(talk(&client, &service, at: 9.1).client == [.caughtUp])
  }

  @Test func `a proxy that never answers is given up`() throws {
    var (client, _) = try ends()
    try client.passed(to: TestScan.at(19))
    #expect(throws: APIFault.silent) { try client.passed(to: TestScan.at(20)) }
  }

  @Test func `a client has 10 s to greet, and is gone after 60 s of silence`() throws {
    var (client, service) = try ends()
    #expect(service.deadline == TestScan.at(10))
    #expect(throws: APIFault.silent) { try service.passed(to: TestScan.at(10)) }
    _ = talk(&client, &service, at: 1)
    try service.passed(to: TestScan.at(21))
    #expect(!service.drainOutput().isEmpty)
    // A part of a message does not count.
    client.end()
    _ = service.received(client.drainOutput().prefix(3).map(\.self), at: TestScan.at(60))
    #expect(throws: APIFault.silent) { try service.passed(to: TestScan.at(61)) }
  }

  @Test func `a device without raw advertisements is not a proxy`() throws {
    var info = MessageTests.device
    info.features = [.passiveScan]
    var (client, service) = try ends(info)
    #expect(talk(&client, &service, at: 1).2 == .noProxy)
  }

  // Row M14.
  @Test func `a proxy answers what Home Assistant asks, and accepts no key`() throws {
    let service = ProxyService(MessageTests.device, nil, ScannerState(.running), at: TestScan.at(0))
    func answers(to messages: [APIMessage]) -> ([APIMessage], [ProxyService.Event], APIFault?) {
      var service = service
      var client = APITransport(.client, nil)
      messages.forEach { client.send($0) }
      let (events, fault) = service.received(client.drainOutput(), at: TestScan.at(0))
      let sent = client.receive(service.drainOutput()).events.compactMap {
        if case .message(let message) = $0 { message } else { nil }
      }
      return (sent, events, fault)
    }
    let (sent, events, fault) = answers(to: [
      .hello(client: "Home Assistant"), .authentication, .deviceInfo, .listEntities,
      .subscribeConnections, .setScannerMode(.active), .setKey, .other(20), .ping,
    ])
    var greeting = APIMessage.HelloResponse()
    (greeting.server, greeting.name) = ("2026.11.0", "hall")
    #expect(
      sent == [
        .helloResponse(greeting), .authenticationResponse(isRefused: false),
        .deviceInfoResponse(MessageTests.device), .listEntitiesDone,
        .connections(free: 0, limit: 0),
        .scannerState(ScannerState(.running)), .setKeyResponse(isDone: false), .pingResponse,
      ]
    )
    #expect(events == [.refusedKey(client: "Home Assistant")] && fault == nil)
    // Who does not greet is not answered.
    #expect(answers(to: [.deviceInfo]).2 == .malformed)
    #expect(answers(to: [.deviceInfo]).0.isEmpty)
  }
}
