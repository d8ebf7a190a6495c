// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconGateway
import BeaconTestSupport
import BrokerTestSupport
import Foundation
import Glibc
import Testing

@testable import BrokerClient

/// With a real broker.
@Suite(
  .enabled(if: Mosquitto.isThere, "mosquitto is not installed; tools/setup installs it"),
  .serialized
)
struct BrokerLinkTests {
  /// Longer than anything takes on a busy machine; nothing waits as long unless it fails.
  static let patience: Int32 = 60_000

  static func access(_ broker: Mosquitto, id: String = "hall", scheme: String = "mqtt") throws
    -> BrokerAccess
  {
    BrokerAccess(try BrokerAddress(parsing: "\(scheme)://127.0.0.1:\(broker.port)"), clientID: id)
  }

  static func crossing(_ number: Int) -> GatewayMessage {
    GatewayMessage(.event, "beacons/1/home/hall/crossing", Array("\(number)".utf8))
  }

  static func text(_ message: BrokerLink.Received) -> String {
    String(decoding: message.payload, as: UTF8.self)
  }

  /// Receives until something is so.
  static func receive(
    _ link: BrokerLink,
    until isEnough: ([BrokerLink.Received]) -> Bool
  ) -> [BrokerLink.Received] {
    var messages: [BrokerLink.Received] = []
    _ = link.wait(milliseconds: patience) { link in
      messages += link.drainReceived().messages.filter { $0.topic != ready }
      return isEnough(messages)
    }
    return messages
  }

  /// A topic with a retained message. Who receives it is subscribed to all that was subscribed before it.
  static let ready = "ready"

  /// A link that is connected and subscribed.
  static func listener(
    _ broker: Mosquitto,
    _ topic: String = "beacons/#",
    id: String = "listener"
  ) throws -> BrokerLink {
    _ = try broker.run("mosquitto_pub", ["-r", "-t", ready, "-m", "x"])
    var setup = BrokerLink.Setup(try access(broker, id: id))
    setup.subscriptions = [topic, ready]
    let link = try BrokerLink(setup)
    var isReady = false
    #expect(
      link.wait(milliseconds: patience) { link in
        isReady = isReady || link.drainReceived().messages.contains { $0.topic == ready }
        return isReady
      }
    )
    return link
  }

  @Test func `a sender of too many messages takes no room from another one`() {
    var received = BrokerLink.ReceivedMessages()
    let large = BrokerLink.Received(
      topic: "evil",
      payload: [UInt8](repeating: 0, count: 1 << 18),
      isRetained: false
    )
    let (evil, hall) = (SiteSender.gateway("evil"), SiteSender.gateway("hall"))
    for _ in 0..<1000 { received.add(large, of: evil) }
    let kept = received.messages.count
    #expect(kept < 70 && received.overflow == 1000 - kept)
    #expect(received.misses(evil) && !received.misses(hall))
    let small = BrokerLink.Received(topic: "hall", payload: [1], isRetained: false)
    for _ in 0..<100 { received.add(small, of: hall) }
    #expect(received.messages.count == kept + 100)
    // However many names nodes use, they take nothing from gateways.
    for number in 0..<1000 { received.add(large, of: .node(.theengs, "\(number)")) }
    #expect(received.misses(.node(.espresense, "other")) && !received.misses(hall))
    received.add(small, of: hall)
    #expect(received.messages.last == small)
  }

  @Test func `a sender of too many messages delays no other one`() {
    var received = BrokerLink.ReceivedMessages()
    func message(_ topic: String, _ number: UInt8, size: Int) -> BrokerLink.Received {
      let payload = [number] + [UInt8](repeating: 0, count: size)
      return BrokerLink.Received(topic: topic, payload: payload, isRetained: false)
    }
    let (evil, hall) = (SiteSender.gateway("evil"), SiteSender.gateway("hall"))
    for number: UInt8 in 0..<100 { received.add(message("evil", number, size: 100_000), of: evil) }
    for number: UInt8 in 0..<10 { received.add(message("hall", number, size: 100), of: hall) }
    var order: [String: [UInt8]] = [:]
    for round in 0..<20 {
      let taken = received.take(limit: 2_000_000).messages
      if round == 0 { #expect(taken.count { $0.topic == "hall" } == 10) }
      #expect(taken.reduce(0) { $0 + $1.payload.count } <= 2_000_000)
      for message in taken { order[message.topic, default: []].append(message.payload[0]) }
    }
    #expect(order == ["evil": Array(0..<100), "hall": Array(0..<10)])
    #expect(received.messages.isEmpty && received.overflow == 0)
    // Before messages of another connection, the rest counts as missed.
    for number: UInt8 in 0..<100 { received.add(message("evil", number, size: 100_000), of: evil) }
    received.leaveOutAll()
    #expect(received.messages.isEmpty && received.overflow == 100 && received.misses(evil))
    #expect(!received.misses(hall))
  }

  @Test func `a killed broker loses nothing, and what waited comes in order`() throws {
    let broker = try Mosquitto()
    let folder = try TestFolder()
    var setup = BrokerLink.Setup(try Self.access(broker))
    setup.spoolFolder = folder.path
    let link = try BrokerLink(setup)
    defer { link.stop() }
    let listener = try Self.listener(broker)
    defer { listener.stop() }
    #expect(link.wait(milliseconds: Self.patience, until: \.isConnected))
    link.submit((0..<10).map(Self.crossing))
    let first = Self.receive(listener) { $0.count >= 10 }
    #expect(first.map(Self.text) == (0..<10).map { "\($0)" })
    #expect(link.wait(milliseconds: Self.patience) { $0.waiting == 0 })
    broker.kill()
    #expect(link.wait(milliseconds: Self.patience) { !$0.isConnected })
    link.submit((10..<200).map(Self.crossing))
    link.submit([GatewayMessage(.levels, "beacons/1/home/hall/levels", [1], late: "beacons/late")])
    #expect(link.wait(milliseconds: Self.patience) { $0.waiting == 191 })
    try broker.start()
    let second = Self.receive(listener) { _ in link.waiting == 0 && listener.isConnected }
    // The listener may come back later than the gateway: what it gets is in order and ends with the last.
    let numbers = second.compactMap { Int(Self.text($0)) }
    #expect(numbers == numbers.sorted())
    #expect(link.wait(milliseconds: Self.patience) { $0.waiting == 0 })
  }

  @Test func `a crossing that the disk does not take is sent, and the disk is named once`() throws {
    let broker = try Mosquitto()
    let folder = try TestFolder()
    // A folder in the place of the next file: the disk takes nothing.
    let obstacle = folder.url.appending(path: "spool-00000000000000000000/x")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
    var setup = BrokerLink.Setup(try Self.access(broker))
    setup.spoolFolder = folder.path
    let link = try BrokerLink(setup)
    defer { link.stop() }
    let listener = try Self.listener(broker)
    defer { listener.stop() }
    #expect(link.wait(milliseconds: Self.patience, until: \.isConnected))
    link.submit((0..<10).map(Self.crossing))
    let first = Self.receive(listener) { $0.count >= 10 }
    #expect(first.map(Self.text) == (0..<10).map { "\($0)" })
    broker.kill()
    #expect(link.wait(milliseconds: Self.patience) { !$0.isConnected })
    link.submit((10..<50).map(Self.crossing))
    #expect(link.wait(milliseconds: Self.patience) { $0.waiting == 40 })
    try broker.start()
    #expect(link.wait(milliseconds: Self.patience) { $0.waiting == 0 })
    let faults = link.drainNews().filter { if case .disk = $0 { true } else { false } }
    #expect(faults.count == 1)
  }

  @Test func `a link that ends leaves every state with the broker`() throws {
    let broker = try Mosquitto()
    let link = try BrokerLink(BrokerLink.Setup(try Self.access(broker)))
    #expect(link.wait(milliseconds: Self.patience, until: \.isConnected))
    // More than may be on their way at a time.
    let regions = (0..<60).map { "beacons/1/home/hall/region/\($0)" }
    let topics = regions + ["beacons/1/home/hall/status"]
    link.submit(topics.map { GatewayMessage(.state, $0, Array("x".utf8)) })
    link.stop()
    #expect(link.wait(milliseconds: Self.patience, until: \.hasEnded))
    var reading = BrokerLink.Setup(try Self.access(broker, id: "listener"))
    reading.subscriptions = ["beacons/#"]
    let listener = try BrokerLink(reading)
    defer { listener.stop() }
    let retained = Self.receive(listener) { $0.count >= topics.count }
    #expect(Set(topics).subtracting(retained.map(\.topic)).count == 0)
  }

  @Test func `what waits survives the process, and another run deletes what it no longer retains`()
    throws
  {
    let broker = try Mosquitto()
    let folder = try TestFolder()
    var setup = BrokerLink.Setup(try Self.access(broker))
    setup.spoolFolder = folder.path
    setup.retainedTopics = ["beacons/1/home/hall/status", "beacons/1/home/hall/region/old"]
    do {
      let link = try BrokerLink(setup)
      #expect(link.wait(milliseconds: Self.patience, until: \.isConnected))
      link.submit(setup.retainedTopics.map { GatewayMessage(.state, $0, Array("x".utf8)) })
      link.stop()
      #expect(link.wait(milliseconds: Self.patience, until: \.hasEnded))
      broker.kill()
      let later = try BrokerLink(setup)
      later.submit((0..<20).map(Self.crossing))
      #expect(later.wait(milliseconds: Self.patience) { $0.waiting == 20 })
      later.stop()
      #expect(later.wait(milliseconds: Self.patience, until: \.hasEnded))
    }
    try broker.start()
    let listener = try Self.listener(broker, "beacons/1/home/hall/crossing")
    defer { listener.stop() }
    // The broker has forgotten what it retained; somebody else keeps the old topic.
    _ = try broker.run("mosquitto_pub", ["-r", "-t", "beacons/1/home/hall/region/old", "-m", "x"])
    setup.retainedTopics.removeLast()
    let link = try BrokerLink(setup)
    defer { link.stop() }
    let received = Self.receive(listener) { $0.count >= 20 }
    #expect(received.map(Self.text) == (0..<20).map { "\($0)" })
    #expect(link.wait(milliseconds: Self.patience) { $0.waiting == 0 })
    // A broker ends a connection when another one comes with its name.
    let left = try Self.listener(broker, "beacons/1/home/hall/region/+", id: "other listener")
    defer { left.stop() }
    _ = try broker.run("mosquitto_pub", ["-t", "beacons/1/home/hall/region/now", "-m", "y"])
    let seen = Self.receive(left) { !$0.isEmpty }
    #expect(seen.map(\.topic) == ["beacons/1/home/hall/region/now"])
  }

  /// The connections of this process to a port.
  static func connections(_ port: UInt16) -> Set<Int32> {
    var found: Set<Int32> = []
    for descriptor in Int32(3)..<1024 {
      var address = sockaddr_in()
      var count = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { place in
        place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getpeername(descriptor, $0, &count)
        }
      }
      if result == 0, address.sin_port == port.bigEndian { found.insert(descriptor) }
    }
    return found
  }

  @Test(.slow) func `a short loss is not told, and of a gateway that is gone the broker says it`()
    throws
  {
    let broker = try Mosquitto()
    let listener = try Self.listener(broker)
    defer { listener.stop() }
    var access = try Self.access(broker)
    let topic = "beacons/1/home/hall/status"
    access.will = GatewayMessage(.state, topic, Array("offline".utf8))
    #expect(listener.isConnected)
    let before = Self.connections(broker.port)
    let link = try BrokerLink(BrokerLink.Setup(access))
    link.submit([GatewayMessage(.state, topic, Array("online".utf8))])
    #expect(Self.receive(listener) { !$0.isEmpty }.map(Self.text) == ["online"])
    for descriptor in Self.connections(broker.port).subtracting(before) {
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
    #expect(Self.receive(listener) { !$0.isEmpty }.map(Self.text) == ["online"])
    // A broker that stands still lets nobody come back before the link has ended.
    broker.pause()
    for descriptor in Self.connections(broker.port).subtracting(before) {
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
    link.stop()
    #expect(link.wait(milliseconds: Self.patience, until: \.hasEnded))
    broker.goOn()
    let last = Self.receive(listener) { $0.contains { Self.text($0) == "offline" } }
    #expect(last.map(Self.text).last == "offline")
  }

  @Test func `a wrong password and a missing account are told apart from no broker`() throws {
    let broker = try Mosquitto(
      ["allow_anonymous false", "password_file FOLDER/users"],
      files: ["users": ""]
    )
    var access = try Self.access(broker)
    access.user = "hall"
    access.password = "wrong"
    let link = try BrokerLink(BrokerLink.Setup(access))
    defer { link.stop() }
    #expect(link.wait(milliseconds: Self.patience) { $0.fault != nil })
    #expect(link.fault == .notAuthorized || link.fault == .wrongPassword)
    broker.kill()
    let other = try BrokerLink(BrokerLink.Setup(access))
    defer { other.stop() }
    #expect(other.wait(milliseconds: Self.patience) { $0.fault != nil })
    guard case .unreachable = other.fault else {
      Issue.record("\(String(describing: other.fault))")
      return
    }
  }

  /// Makes an authority, and certificates of brokers: a good one, one of another name, and an expired one.
  private static func certificates() throws -> TestFolder {
    let folder = try TestFolder()
    let script = """
      set -e; cd '\(folder.path)'
      curve="-pkeyopt ec_paramgen_curve:prime256v1"
      openssl req -x509 -newkey ec $curve -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority
      make() {
        openssl req -newkey ec $curve -nodes -keyout $1.key -out $1.csr -subj /CN=broker
        echo "subjectAltName=$2" > $1.ext
        openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $1.pem \
          -extfile $1.ext -days $3
      }
      make good IP:127.0.0.1 2
      openssl req -x509 -newkey ec $curve -nodes -keyout own.key -out own.pem -days 2 -subj /CN=own \
        -addext subjectAltName=IP:127.0.0.1
      openssl req -newkey ec $curve -nodes -keyout client.key -out client.csr -subj /CN=client
      printf 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=clientAuth\n' > client.ext
      openssl x509 -req -in client.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out client.pem \
        -extfile client.ext -days 2
      openssl req -newkey ec $curve -nodes -keyout leaf.key -out leaf.csr -subj /CN=leaf
      printf 'basicConstraints=CA:FALSE\n' > none.ext
      openssl req -newkey ec $curve -nodes -keyout none.key -out none.csr -subj /CN=none
      openssl x509 -req -in none.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out none.pem \
        -extfile none.ext -days 2
      printf 'subjectAltName=IP:127.0.0.1\n' > leaf.ext
      openssl x509 -req -in leaf.csr -CA none.pem -CAkey none.key -CAcreateserial -out one.pem \
        -extfile leaf.ext -days 2
      cat one.pem none.pem > leaf.pem
      cat good.pem ca.pem > chain.pem
      cp good.key chain.key
      make other DNS:broker.example 2
      make old IP:127.0.0.1 -1
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return folder
  }

  /// The fault of a connection to a broker; `nil` if it is connected.
  private static func fault(_ access: BrokerAccess) throws -> BrokerFault? {
    let link = try BrokerLink(BrokerLink.Setup(access))
    defer { link.stop() }
    #expect(link.wait(milliseconds: patience) { $0.isConnected || $0.fault != nil })
    return link.fault
  }

  @Test func `each fault of the encryption has its own reason`() throws {
    let folder = try Self.certificates()
    func broker(_ certificate: String) throws -> Mosquitto {
      try Mosquitto([
        "allow_anonymous true", "certfile \(folder.path)/\(certificate).pem",
        "keyfile \(folder.path)/\(certificate).key",
      ])
    }
    let known = folder.path + "/ca.pem"
    for (certificate, authorities, expected) in [
      ("good", known, nil), ("other", known, .otherName), ("old", known, .expired),
      ("good", nil, .unknownAuthority), ("good", folder.path + "/other.pem", .unknownAuthority),
      ("own", known, .ownAuthority), ("chain", nil, .ownAuthority),
      ("client", known, .otherPurpose), ("leaf", known, .signedByNoAuthority),
    ] as [(String, String?, EncryptionFault?)] {
      let broker = try broker(certificate)
      var access = try Self.access(broker, scheme: "mqtts")
      access.authorities = authorities
      #expect(try Self.fault(access) == expected.map { .tls($0) }, "\(certificate)")
    }
    let plain = try Mosquitto()
    var access = try Self.access(plain, scheme: "mqtts")
    access.authorities = known
    #expect(try Self.fault(access) == .tls(.noTLS))
    let encrypted = try broker("good")
    guard case .lost(let reason)? = try Self.fault(try Self.access(encrypted)) else {
      Issue.record("not lost")
      return
    }
    #expect(reason.contains("mqtts://"))
  }

  @Test func `the words of OpenSSL about our certificate are recognized`() {
    for words in [
      "tlsv13 alert certificate required", "sslv3 alert bad certificate", "tlsv1 alert unknown ca",
    ] {
      #expect(EncryptionFault(words: words) == .wantsCertificate)
    }
    #expect(EncryptionFault(words: "wrong version number") == .noTLS)
    #expect(EncryptionFault(words: "no shared cipher") == .other("no shared cipher"))
    #expect(EncryptionFault(verdict: 0, words: "") == nil)
    #expect(EncryptionFault(verdict: 9, words: "") == .notYetValid)
    #expect(EncryptionFault(verdict: 23, words: "revoked") == .revoked)
    #expect(EncryptionFault(verdict: 50, words: "odd") == .notValid("odd"))
    for verdict in [66, 67, 68, 76] {
      #expect(EncryptionFault(verdict: verdict, words: "") == .weak)
    }
    #expect(EncryptionFault(words: "sslv3 alert certificate expired") == .ownExpired)
    #expect(EncryptionFault(words: "tlsv1 alert protocol version") == .otherVersion)
    #expect(EncryptionFault(words: "key values mismatch") == .otherKey)
  }

  /// With the fault and the next step, and without words of the library if the fault is known.
  @Test func `each fault of a certificate is a sentence of ours`() throws {
    let access = BrokerAccess(
      try BrokerAddress(parsing: "mqtts://broker.example/hall"),
      clientID: "a"
    )
    for verdict in [2, 9, 10, 18, 19, 20, 21, 23, 24, 25, 26, 27, 32, 37, 62, 64, 66, 67, 68, 79] {
      let fault = try #require(EncryptionFault(verdict: verdict, words: "RAW WORDS"))
      let sentence = BrokerFault.tls(fault).sentence(access)
      #expect(!sentence.contains("RAW WORDS") && sentence.contains("its"), "\(sentence)")
    }
    let other = try #require(EncryptionFault(verdict: 34, words: "unhandled critical extension"))
    #expect(
      BrokerFault.tls(other).sentence(access).hasSuffix(
        "its certificate is not valid (unhandled critical extension); issue a new one"
      )
    )
  }

  /// CONNACK, then DISCONNECT with the reason 0x8E: another client has the name.
  private static let taken: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00, 0xE0, 0x02, 0x8E, 0x00]

  /// Starts a server that gives each client an answer and ends the connection, and returns its port.
  private static func server(answering answer: [UInt8]) throws -> UInt16 {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(listening, $0, length) == 0 && listen(listening, 8) == 0)
        #expect(getsockname(listening, $0, &length) == 0)
      }
    }
    Thread.detachNewThread {
      while case let client = accept(listening, nil, nil), client >= 0 {
        var request = [UInt8](repeating: 0, count: 1024)
        guard read(client, &request, request.count) > 0 else { continue }
        _ = write(client, answer, answer.count)
        usleep(100_000)
        close(client)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Starts a broker that accepts connections and then reads nothing, and returns its port.
  private static func deafBroker() throws -> UInt16 {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (address, few) = (sockaddr_in(), Int32(16_384))
    setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &few, 4)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(listening, $0, length) == 0 && listen(listening, 8) == 0)
        #expect(getsockname(listening, $0, &length) == 0)
      }
    }
    Thread.detachNewThread {
      while case let client = accept(listening, nil, nil), client >= 0 {
        var request = [UInt8](repeating: 0, count: 1024)
        _ = read(client, &request, request.count)
        // CONNACK.
        _ = write(client, [0x20, 0x03, 0x00, 0x00, 0x00] as [UInt8], 5)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  @Test func `messages that a broker does not read wait on the disk, not in memory`() throws {
    let folder = try TestFolder()
    let address = try BrokerAddress(parsing: "mqtt://127.0.0.1:\(try Self.deafBroker())")
    var setup = BrokerLink.Setup(BrokerAccess(address, clientID: "hall"))
    setup.spoolFolder = folder.path
    let link = try BrokerLink(setup)
    defer { link.stop() }
    #expect(link.wait(milliseconds: Self.patience, until: \.isConnected))
    let payload = [UInt8](repeating: 0x20, count: 20_000)
    let topic = "beacons/1/home/hall/levels"
    for _ in 0..<600 {
      link.submit([GatewayMessage(.levels, topic, payload, late: "beacons/1/home/hall/late")])
    }
    // The system takes some megabytes of the twelve, and the library one.
    func kept() -> Int {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return files.filter { $0.hasPrefix("spool-") }.compactMap {
        try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + $0)[.size] as? Int
      }.reduce(0, +)
    }
    #expect(link.wait(milliseconds: Self.patience) { _ in kept() > 2_000_000 })
  }

  @Test func `a client that takes the name of another is named`() throws {
    let port = try Self.server(answering: Self.taken)
    let address = try BrokerAddress(parsing: "mqtt://127.0.0.1:\(port)")
    let link = try BrokerLink(BrokerLink.Setup(BrokerAccess(address, clientID: "hall")))
    var reasons: [String] = []
    let isNamed = link.wait(milliseconds: Self.patience) { link in
      for case .remark(.failed(.lost(let text))) in link.drainNews() { reasons.append(text) }
      return !reasons.isEmpty
    }
    link.stop()
    #expect(isNamed && reasons[0].hasPrefix("another client of the broker connected as 'hall'"))
  }

  @Test(arguments: ["HTTP/1.0 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2p1\r\n"])
  func `a server of another kind is named`(_ answer: String) throws {
    let port = try Self.server(answering: Array(answer.utf8))
    let address = try BrokerAddress(parsing: "mqtt://127.0.0.1:\(port)")
    let fault = try #require(try Self.fault(BrokerAccess(address, clientID: "hall")))
    guard case .otherProtocol = fault else { return #expect(fault == .otherProtocol("")) }
  }

  // libmosquitto before 2.0.16 ends the process at a property that MQTT 5 does not know.
  @Test(
    arguments: [
      [0x20, 0x05, 0x00, 0x00, 0x02, 0x78, 0x00],
      [0x20, 0x03, 0x00, 0x00, 0x00, 0x30, 0x05, 0x00, 0x01, 0x61, 0x01, 0x78],
      [0x20, 0x03, 0x00, 0x00, 0x00, 0x40, 0x06, 0x00, 0x01, 0x00, 0x02, 0x78, 0x00],
      // A value that is longer than its properties makes the library read the message as properties.
      [0x20, 0x03, 0x00, 0x00, 0x00, 0x30, 0x08, 0x00, 0x01, 0x61, 0x01, 0x02, 0x00, 0x00, 0x00],
    ] as [[UInt8]]
  )
  func `a broker with properties that do not exist is named, and ends nothing`(
    _ answer: [UInt8]
  ) throws {
    let port = try Self.server(answering: answer)
    let address = try BrokerAddress(parsing: "mqtt://127.0.0.1:\(port)")
    let link = try BrokerLink(BrokerLink.Setup(BrokerAccess(address, clientID: "hall")))
    defer { link.stop() }
    // After a refusal of the first answer, the link speaks the older version, which has no properties.
    #expect(
      link.wait(milliseconds: Self.patience) {
        switch $0.fault {
        case .otherProtocol: true
        case .lost: answer.count == 7
        default: false
        }
      }
    )
  }

  @Test func `a message that claims 256 MB takes no memory, and the next one is received`() throws {
    let head: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]
    // 300,000 bytes, then a message without any.
    let large = [0x30, 0xE0, 0xA7, 0x12, 0x00, 0x01, 0x61] + [UInt8](repeating: 0, count: 299_997)
    let last: [UInt8] = [0x30, 0x04, 0x00, 0x01, 0x62, 0x00]
    let endless: [UInt8] = [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0x00, 0x01, 0x61]
    let port = try Self.server(answering: head + large + last + endless)
    let address = try BrokerAddress(parsing: "mqtt://127.0.0.1:\(port)")
    let link = try BrokerLink(BrokerLink.Setup(BrokerAccess(address, clientID: "hall")))
    defer { link.stop() }
    var received = BrokerLink.ReceivedMessages()
    let isThere = link.wait(milliseconds: Self.patience) { link in
      let more = link.drainReceived()
      if !more.messages.isEmpty || more.overflow > 0 { received = more }
      return received.overflow >= 2
    }
    #expect(isThere && received.messages.map(\.topic) == ["b"])
  }

  @Test func `a payload of 100 MB is not even read`() throws {
    let broker = try Mosquitto()
    let listener = try Self.listener(broker)
    defer { listener.stop() }
    let file = broker.folder.appending(path: "large")
    try Data(count: 100 << 20).write(to: file)
    _ = try broker.run("mosquitto_pub", ["-t", "beacons/1/home/hall/levels", "-f", file.path])
    _ = try broker.run("mosquitto_pub", ["-t", "beacons/last", "-m", "y"])
    let seen = Self.receive(listener) { $0.contains { $0.topic == "beacons/last" } }
    #expect(seen.map(\.topic) == ["beacons/last"])
    #expect(listener.fault == nil)
  }
}

@Suite struct BrokerAddressTests {
  @Test func `addresses of brokers`() throws {
    let plain = try BrokerAddress(parsing: "mqtt://pi.local")
    #expect(plain.port == 1883 && !plain.isEncrypted && plain.site == nil)
    let full = try BrokerAddress(parsing: "mqtts://[fe80::1]:9000/home")
    #expect(full.host == "fe80::1" && full.port == 9000 && full.isEncrypted)
    #expect(full.site?.text == "home" && full.description == "mqtts://[fe80::1]:9000")
    let faults: [(String, BrokerAddress.Fault)] = [
      ("http://a", .noScheme), ("mqtt://a:b@c", .hasAccount), ("mqtt://", .noHost),
      ("mqtt://a:0", .wrongPort("0")), ("mqtt://a:70000", .wrongPort("70000")),
      ("mqtt://a/b/c", .wrongSite("b/c")), ("mqtt://a b", .noHost),
    ]
    for (text, fault) in faults {
      #expect(throws: fault, "\(text)") { _ = try BrokerAddress(parsing: text) }
    }
  }
}
