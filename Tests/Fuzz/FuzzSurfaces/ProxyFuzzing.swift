// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import ESPHomeAPI
import ESPHomeProxies

/// A connection of a Bluetooth proxy, of which the first byte chooses the end and the encryption.
///
/// However the bytes are cut into pieces, the same arrives.
enum ProxyFuzzing {
  private static let start = Timestamp(microseconds: 0)

  static func consume(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    if choice & 1 == 0 {
      let whole = subscribe(rest, pieces: max(1, rest.count), choice)
      let cut = subscribe(rest, pieces: Int(choice >> 2) + 1, choice)
      precondition(whole.events == cut.events && whole.fault == cut.fault, "depends on the pieces")
      receive(whole.events)
    } else {
      let whole = serve(rest, pieces: max(1, rest.count), choice)
      let cut = serve(rest, pieces: Int(choice >> 2) + 1, choice)
      precondition(whole.events == cut.events && whole.fault == cut.fault, "depends on the pieces")
    }
    _ = APIKey(rest)
  }

  private static func encryption(_ choice: UInt8) -> APITransport.Encryption? {
    let key = [UInt8](repeating: 1, count: APIKey.length)
    return choice & 2 == 0
      ? nil : APITransport.Encryption(key: key, privateKey: key, OpenPrimitives())
  }

  private static func subscribe(_ bytes: [UInt8], pieces: Int, _ choice: UInt8)
    -> (events: [ProxySubscription.Event], fault: APIFault?)
  {
    var connection = ProxySubscription(encryption(choice), at: start)
    var events: [ProxySubscription.Event] = []
    for first in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[first...].prefix(pieces))
      let (got, fault) = connection.received(piece, at: start)
      events += got
      _ = connection.drainOutput()
      if fault != nil { return (events, fault) }
    }
    connection.end()
    _ = connection.drainOutput()
    return (events, nil)
  }

  private static func serve(_ bytes: [UInt8], pieces: Int, _ choice: UInt8)
    -> (events: [ProxyService.Event], fault: APIFault?)
  {
    var connection = ProxyService(
      DeviceInfo(),
      encryption(choice),
      ScannerState(.running),
      at: start
    )
    var events: [ProxyService.Event] = []
    for first in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[first...].prefix(pieces))
      let (got, fault) = connection.received(piece, at: start)
      events += got
      connection.send([RawAdvertisement(address: 1, addressType: 0, rssi: -1, data: piece)])
      _ = connection.drainOutput()
      if fault != nil { return (events, fault) }
    }
    return (events, nil)
  }

  private static func receive(_ events: [ProxySubscription.Event]) {
    var reception = ProxyReception(["a"], at: start)
    var last = start
    for (number, event) in events.enumerated() {
      let time = start + .milliseconds(Int64(number) * 700)
      reception.add(event, of: 0, at: time)
      reception.isThere(0, at: time)
      let batch = reception.drain(at: time)
      for input in batch.inputs {
        precondition(input.time >= last, "time goes back")
        last = input.time
        guard case .report(let report) = input else { continue }
        precondition(
          batch.payload(of: report).count == Int(report.payloadCount),
          "outside its batch"
        )
      }
      precondition(batch.upTo ?? last >= last, "an input after its batch")
    }
  }
}

/// Functions without secrets, so that mutated bytes get past the encryption: a tag is sixteen zeros.
private struct OpenPrimitives: NoisePrimitives {
  private static let tag = [UInt8](repeating: 0, count: 16)

  func publicKey(of privateKey: [UInt8]) -> [UInt8] { privateKey }
  func secret(_ privateKey: [UInt8], _ publicKey: [UInt8]) -> [UInt8]? {
    publicKey.allSatisfy { $0 == 0 } ? nil : publicKey
  }
  func hash(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.suffix(APIKey.length)) }
  func authentication(of bytes: [UInt8], key: [UInt8]) -> [UInt8] { key }
  func seal(_ bytes: ArraySlice<UInt8>, key: [UInt8], nonce: UInt64, with context: [UInt8])
    -> [UInt8]
  { bytes + Self.tag }
  func open(_ bytes: ArraySlice<UInt8>, key: [UInt8], nonce: UInt64, with context: [UInt8])
    -> [UInt8]?
  {
    bytes.suffix(16).elementsEqual(Self.tag) ? Array(bytes.dropLast(16)) : nil
  }
}
