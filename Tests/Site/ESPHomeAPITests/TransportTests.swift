// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import ESPHomeProxies
import Testing

@testable import ESPHomeAPI

@Suite struct NoiseTests {
  static let key = Array(UInt8(0)..<32)
  static let clientKey = [UInt8](repeating: 0x11, count: 32)
  static let serverKey = [UInt8](repeating: 0x22, count: 32)
  static let prologue = Array("NoiseAPIInit".utf8) + [0, 0]

  // As noiseprotocol 0.3.1 for Python computes them.
  private let first = bytes(
    "7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13d1bc1a38b6793685dc7e2ffdf8ea0933"
  )
  private let second = bytes(
    "0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f207336b95933b321b1ae86673f689f5c9f"
  )

  private func handshake(_ privateKey: [UInt8], key: [UInt8] = key) throws -> NoiseHandshake {
    NoiseHandshake(
      key: key,
      privateKey: privateKey,
      prologue: Self.prologue,
      try SodiumLibrary.load()
    )
  }

  @Test func `both ends compute what another library computes`() throws {
    let library = try SodiumLibrary.load()
    var client = try handshake(Self.clientKey)
    var server = try handshake(Self.serverKey)
    #expect(client.writeFirst() == first)
    let answered = server.answer(first[...])
    let answer = try #require(answered)
    #expect(answer.message == second)
    let finished = client.finish(second[...])
    let ciphers = try #require(finished)
    var sending = ciphers.fromClient
    var receiving = answer.1.fromClient
    var back = answer.1.fromServer
    let ping: [UInt8] = [0, 7, 0, 0]
    let sealed = sending.seal(ping[...], library)
    #expect(sealed == bytes("082a88d4457b72646ca1ef304be34f8ffac1f659"))
    #expect(
      sending.seal(ping[...], library) == bytes("431e3a2be0271e101ee745e7fe892b0d3c3923a5")
    )
    #expect(
      back.seal([0, 8, 0, 0], library) == bytes("d9423bf48bdea62bb10bbd87a7fb5ecc26721050")
    )
    #expect(receiving.open(sealed[...], library) == ping)
    // The same bytes again are not accepted.
    #expect(receiving.open(sealed[...], library) == nil)
  }

  @Test func `another key, a changed bit and a key without a secret are refused`() throws {
    var server = try handshake(Self.serverKey, key: Self.clientKey)
    #expect(server.answer(first[...]) == nil)
    for bit in stride(from: 0, to: first.count * 8, by: 7) {
      var changed = first
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      var server = try handshake(Self.serverKey)
      #expect(server.answer(changed[...]) == nil)
      var client = try handshake(Self.clientKey)
      _ = client.writeFirst()
      changed = second
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(client.finish(changed[...]) == nil)
    }
    let library = try SodiumLibrary.load()
    #expect(library.secret(Self.clientKey, [UInt8](repeating: 0, count: 32)) == nil)
    #expect(library.newPrivateKey() != library.newPrivateKey())
  }
}

@Suite struct TransportTests {
  static func encryption(_ seed: UInt8, key: [UInt8] = NoiseTests.key) throws
    -> APITransport.Encryption
  {
    APITransport.Encryption(
      key: key,
      privateKey: [UInt8](repeating: seed, count: 32),
      try SodiumLibrary.load()
    )
  }

  static func ends(client: APITransport.Encryption?, server: APITransport.Encryption?)
    -> (APITransport, APITransport)
  {
    (
      APITransport(.client, client),
      APITransport(.server(name: "hall", address: "aabbccddeeff"), server)
    )
  }

  /// Passes bytes to and fro until nothing more comes.
  private func talk(_ client: inout APITransport, _ server: inout APITransport, pieces: Int = .max)
    -> (client: [APITransport.Event], server: [APITransport.Event], APIFault?, APIFault?)
  {
    var events: ([APITransport.Event], [APITransport.Event]) = ([], [])
    var faults: (APIFault?, APIFault?)
    while true {
      let (up, down) = (client.drainOutput(), server.drainOutput())
      guard !up.isEmpty || !down.isEmpty else { return (events.0, events.1, faults.0, faults.1) }
      for start in stride(from: 0, to: up.count, by: max(1, min(pieces, up.count))) {
        let (got, fault) = server.receive(up[start...].prefix(pieces))
        events.1 += got
        faults.1 = faults.1 ?? fault
      }
      for start in stride(from: 0, to: down.count, by: max(1, min(pieces, down.count))) {
        let (got, fault) = client.receive(down[start...].prefix(pieces))
        events.0 += got
        faults.0 = faults.0 ?? fault
      }
    }
  }

  @Test(arguments: [true, false], [1, 2, 3, 17, .max])
  func `messages arrive as they were sent, in pieces of any length`(
    _ isEncrypted: Bool,
    _ pieces: Int
  ) throws {
    var (client, server) = Self.ends(
      client: isEncrypted ? try Self.encryption(1) : nil,
      server: isEncrypted ? try Self.encryption(2) : nil
    )
    var result = talk(&client, &server, pieces: pieces)
    #expect(result.client == (isEncrypted ? [.ready] : []))
    #expect(client.isReady && server.isReady)
    client.send(.ping)
    client.send(.subscribeAdvertisements(flags: 1))
    for _ in 0..<200 { server.send(MessageTests.advertisements) }
    result = talk(&client, &server, pieces: pieces)
    #expect(result.server == [.message(.ping), .message(.subscribeAdvertisements(flags: 1))])
    #expect(result.client == Array(repeating: .message(MessageTests.advertisements), count: 200))
    #expect(result.2 == nil && result.3 == nil)
  }

  @Test func `each mismatch of keys has its fault at both ends`() throws {
    let other = try Self.encryption(3, key: NoiseTests.clientKey)
    let key = try Self.encryption(4)
    let cases: [(APITransport.Encryption?, APITransport.Encryption?, APIFault, APIFault)] = [
      (other, key, .wrongKey, .wrongKey), (key, nil, .plaintext, .encryptionRequired),
      (nil, key, .encryptionRequired, .plaintext),
    ]
    for (own, others, clientFault, serverFault) in cases {
      var (client, server) = Self.ends(client: own, server: others)
      if own == nil { client.send(.ping) }
      let result = talk(&client, &server)
      #expect(result.2 == clientFault && result.3 == serverFault)
      #expect(result.client.isEmpty && result.server.isEmpty)
      // Nothing is processed after a fault.
      #expect(server.receive([0, 0, 7]).events.isEmpty)
    }
  }

  @Test func `a changed, repeated or left out frame ends the connection`() throws {
    for change in 0..<3 {
      var (client, server) = Self.ends(
        client: try Self.encryption(1),
        server: try Self.encryption(2)
      )
      _ = talk(&client, &server)
      client.send(.ping)
      var frame = client.drainOutput()
      switch change {
      case 0: frame[5] ^= 1
      case 1: frame += frame
      default:
        client.send(.ping)
        frame = client.drainOutput()
      }
      let (events, fault) = server.receive(frame)
      #expect(fault == .notAuthentic)
      #expect(events.count == (change == 1 ? 1 : 0))
    }
  }

  @Test func `lengths have limits`() throws {
    var (plain, _) = Self.ends(client: nil, server: nil)
    #expect(plain.receive([0, 0xFF, 0xFF, 0x03]).1 == nil)
    (plain, _) = Self.ends(client: nil, server: nil)
    #expect(plain.receive([0, 0x80, 0x80, 0x04, 7]).1 == .tooLong)
    (plain, _) = Self.ends(client: nil, server: nil)
    #expect(plain.receive([0] + Array(repeating: 0xFF, count: 12)).1 == .malformed)
    var server = APITransport(.server(name: "", address: ""), try Self.encryption(1), longest: 4096)
    #expect(server.receive([1, 0x10, 0x01]).1 == .tooLong)
    // A message whose length is longer than the frame.
    var (client, far) = Self.ends(client: try Self.encryption(1), server: try Self.encryption(2))
    _ = talk(&client, &far)
    #expect(far.receive([1, 0, 0]).1 == .notAuthentic)
  }

  @Test func `a message that cannot be read is left out`() throws {
    var (client, _) = Self.ends(client: nil, server: nil)
    let (events, fault) = client.receive([0, 1, 93, 0x0A, 0, 0, 7])
    #expect(events == [.unreadable(type: 93), .message(.ping)])
    #expect(fault == nil)
  }
}
