// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import ESPHomeAPI

/// Bytes as hexadecimal digits.
func bytes(_ hex: String) -> [UInt8] {
  let digits = Array(hex)
  return stride(from: 0, to: digits.count, by: 2).compactMap {
    UInt8(String(digits[$0...$0 + 1]), radix: 16)
  }
}

@Suite struct MessageTests {
  static let advertisements = APIMessage.advertisements([
    RawAdvertisement(address: 0xAABB_CCDD_EEFF, addressType: 1, rssi: -70, data: [2, 1, 6]),
    RawAdvertisement(address: 1, addressType: 0, rssi: 127, data: []),
    RawAdvertisement(address: 0x0102, addressType: 0, rssi: -128, data: [1]),
  ])

  static var device: DeviceInfo {
    var info = DeviceInfo()
    (info.name, info.friendlyName, info.manufacturer) = ("hall", "Hall", "M")
    (info.address, info.bluetoothAddress) = ("AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:00")
    (info.version, info.model, info.project) = ("2026.11.0", "m", ("p.q", "1"))
    info.features = [.passiveScan, .rawAdvertisements, .stateAndMode]
    info.isEncrypted = true
    return info
  }

  static var scanner: ScannerState {
    var state = ScannerState(.running)
    state.configuredMode = .active
    return state
  }

  static var greeting: APIMessage.HelloResponse {
    var response = APIMessage.HelloResponse()
    (response.server, response.name) = ("1.0", "hall")
    return response
  }

  // As Google's library for Python wrote them.
  @Test(arguments: [
    (APIMessage.hello(client: "beaconctl"), "0a09626561636f6e63746c1001180d"),
    (.helloResponse(greeting), "0801100d1a03312e30220468616c6c"),
    (.subscribeAdvertisements(flags: 1), "0801"),
    (
      advertisements,
      "0a1208ffddf7e6bcd72a108b01180122030201060a05080110fe010a0908820210ff01220101"
    ),
    (.scannerState(scanner), "08021801"),
    (.setScannerMode(.active), "0801"),
    (.setKeyResponse(isDone: true), "0801"),
    (.authenticationResponse(isRefused: true), "0801"),
    (.connections(free: 3, limit: 3), "08031003"),
  ]) func `messages have the bytes of others`(_ message: APIMessage, _ hex: String) throws {
    #expect(message.content == bytes(hex))
    #expect(try APIMessage(message.type, bytes(hex)[...]) == message)
  }

  @Test func `a device's description of itself is read`() throws {
    let hex =
      "120468616c6c1a1141413a42423a43433a44443a45453a46462209323032362e31312e3032016d4203702e714a013162014d"
      + "6a0448616c6c786192011141413a42423a43433a44443a45453a3030980101"
    let message = APIMessage.deviceInfoResponse(Self.device)
    #expect(try APIMessage(10, bytes(hex)[...]) == message)
    #expect(try APIMessage(10, message.content[...]) == message)
  }

  @Test(arguments: [
    "08", "0a05aa", "0affffffffffffffffff01", "08ffffffffffffffffffff01", "0b", "0001", "0d0000",
    "0a0208",
  ]) func `a message that is cut off or not valid is refused`(_ hex: String) {
    #expect(throws: APIFault.malformed) { try APIMessage(93, bytes(hex)[...]) }
  }

  @Test func `unknown fields and kinds are left out`() throws {
    let unknown = bytes("f80107fa0702aabb2a0101")
    #expect(try APIMessage(126, (unknown + [8, 2])[...]) == .scannerState(ScannerState(.running)))
    #expect(try APIMessage(4711, unknown[...]) == .other(4711))
    #expect(throws: APIFault.malformed) { try APIMessage(126, [8, 9]) }
  }

  @Test func `text of another program is short and printable`() throws {
    var writer = ProtobufWriter()
    writer.write(
      1,
      "a\u{1B}[31m\n" + String(repeating: "ü", count: 9) + String(repeating: "b", count: 500)
    )
    guard case .hello(let client) = try APIMessage(1, writer.bytes[...]) else {
      Issue.record("not a greeting")
      return
    }
    let rest = String(repeating: "b", count: 64 - 25)
    #expect(client == #"a\u{1B}[31m\u{A}"# + String(repeating: "ü", count: 9) + rest + "…")
  }

  @Test(arguments: [
    ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", true),
    ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", false),
    ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", false),
    ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= ", false),
    ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdH_8=", false), ("", false),
  ]) func `a key is 32 bytes in Base64`(_ text: String, _ isKey: Bool) {
    #expect(APIKey(Array(text.utf8))?.bytes == (isKey ? Array(0..<32) : nil))
  }

  @Test(arguments: [
    ("esphome://hall.local", "hall.local"), ("esphome://hall.local/", "hall.local"),
    ("esphome://hall:6053", "hall"), ("esphome://hall:6054", "hall:6054"),
    ("esphome://[fe80::1]:7", "[fe80::1]:7"),
  ]) func `an address names a host and a port`(_ text: String, _ name: String) throws {
    #expect(try ProxyAddress(parsing: text).name == name)
  }

  @Test(arguments: [
    "esphome://", "esphome://a:0", "esphome://a:70000", "esphome://a/b", "esphome://a b",
  ])
  func `another address is refused`(_ text: String) {
    #expect(throws: (any Error).self) { try ProxyAddress(parsing: text) }
  }
}
