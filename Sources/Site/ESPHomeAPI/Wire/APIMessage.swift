// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A message of ESPHome's native API: those that a Bluetooth proxy and its subscriber need.
package enum APIMessage: Sendable, Equatable {
  case hello(client: String)
  case helloResponse(HelloResponse)
  case authentication
  case authenticationResponse(isRefused: Bool)
  case disconnect
  case disconnectResponse
  case ping
  case pingResponse
  case deviceInfo
  case deviceInfoResponse(DeviceInfo)
  case listEntities
  case listEntitiesDone
  case subscribeAdvertisements(flags: UInt64)
  case unsubscribeAdvertisements
  case advertisements([RawAdvertisement])
  case scannerState(ScannerState)
  case setScannerMode(ScannerState.Mode)
  case subscribeConnections
  /// How many connections to devices a proxy can make.
  case connections(free: UInt64, limit: UInt64)
  case setKey
  case setKeyResponse(isDone: Bool)
  /// A message for other purposes.
  case other(UInt64)

  /// The answer to a greeting.
  package struct HelloResponse: Sendable, Equatable {
    package var major: UInt64 = 1
    package var minor: UInt64 = 13
    package var server = ""
    package var name = ""

    package init() {}
  }

  /// The number of the message's kind.
  package var type: UInt64 {
    switch self {
    case .hello: 1
    case .helloResponse: 2
    case .authentication: 3
    case .authenticationResponse: 4
    case .disconnect: 5
    case .disconnectResponse: 6
    case .ping: 7
    case .pingResponse: 8
    case .deviceInfo: 9
    case .deviceInfoResponse: 10
    case .listEntities: 11
    case .listEntitiesDone: 19
    case .subscribeAdvertisements: 66
    case .subscribeConnections: 80
    case .connections: 81
    case .unsubscribeAdvertisements: 87
    case .advertisements: 93
    case .setKey: 124
    case .setKeyResponse: 125
    case .scannerState: 126
    case .setScannerMode: 127
    case .other(let type): type
    }
  }

  // MARK: Bytes

  /// The message's content.
  package var content: [UInt8] {
    var writer = ProtobufWriter()
    switch self {
    case .hello(let client):
      writer.write(1, client)
      writer.write(2, 1)
      writer.write(3, 13)
    case .helloResponse(let response):
      writer.write(1, response.major)
      writer.write(2, response.minor)
      writer.write(3, response.server)
      writer.write(4, response.name)
    case .authenticationResponse(let isRefused): writer.write(1, isRefused)
    case .deviceInfoResponse(let info): info.write(&writer)
    case .subscribeAdvertisements(let flags): writer.write(1, flags)
    case .advertisements(let list): for item in list { writer.writeElement(1, item.bytes) }
    case .scannerState(let state):
      writer.write(1, UInt64(state.phase.rawValue))
      writer.write(2, UInt64(state.mode.rawValue))
      writer.write(3, UInt64(state.configuredMode.rawValue))
    case .setScannerMode(let mode): writer.write(1, UInt64(mode.rawValue))
    case .connections(let free, let limit):
      writer.write(1, free)
      writer.write(2, limit)
    case .setKeyResponse(let isDone): writer.write(1, isDone)
    case .authentication, .disconnect, .disconnectResponse, .ping, .pingResponse, .deviceInfo,
      .listEntities, .listEntitiesDone, .unsubscribeAdvertisements, .subscribeConnections, .setKey,
      .other:
      break
    }
    return writer.bytes
  }

  /// Reads a message.
  ///
  /// - Throws: ``APIFault/malformed``.
  package init(_ type: UInt64, _ content: ArraySlice<UInt8>) throws(APIFault) {
    switch type {
    case 1: self = .hello(client: try Self.text(1, content))
    case 2: self = .helloResponse(try HelloResponse(content))
    case 4: self = .authenticationResponse(isRefused: try Self.number(1, content) != 0)
    case 10: self = .deviceInfoResponse(try DeviceInfo(content))
    case 66: self = .subscribeAdvertisements(flags: try Self.number(1, content))
    case 81:
      let limit = try Self.number(2, content)
      self = .connections(free: try Self.number(1, content), limit: limit)
    case 93: self = .advertisements(try RawAdvertisement.list(content))
    case 125: self = .setKeyResponse(isDone: try Self.number(1, content) != 0)
    case 126: self = .scannerState(try ScannerState(content))
    case 127: self = .setScannerMode(.init(try Self.number(1, content)))
    default:
      self = Self.bare[type] ?? .other(type)
      try Self.check(content)
    }
  }

  /// The messages without fields, and those of whose fields none is used.
  private static let bare: [UInt64: APIMessage] = {
    let list: [APIMessage] = [
      .authentication, .disconnect, .disconnectResponse, .ping, .pingResponse, .deviceInfo,
      .listEntities, .listEntitiesDone, .subscribeConnections, .unsubscribeAdvertisements, .setKey,
    ]
    return Dictionary(uniqueKeysWithValues: list.map { ($0.type, $0) })
  }()

  private static func check(_ content: ArraySlice<UInt8>) throws(APIFault) {
    var reader = ProtobufReader(content)
    while try reader.next() != nil {}
  }

  private static func number(_ wanted: UInt64, _ content: ArraySlice<UInt8>) throws(APIFault)
    -> UInt64
  {
    var reader = ProtobufReader(content)
    var found: UInt64 = 0
    while let (field, value) = try reader.next() {
      if field == wanted, case .number(let number) = value { found = number }
    }
    return found
  }

  private static func text(_ wanted: UInt64, _ content: ArraySlice<UInt8>) throws(APIFault)
    -> String
  {
    var reader = ProtobufReader(content)
    var found = ""
    while let (field, value) = try reader.next() {
      if field == wanted, case .bytes(let bytes) = value { found = APIFault.printable(bytes) }
    }
    return found
  }
}

extension APIMessage.HelloResponse {
  fileprivate init(_ content: ArraySlice<UInt8>) throws(APIFault) {
    var reader = ProtobufReader(content)
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (1, .number(let number)): major = number
      case (2, .number(let number)): minor = number
      case (3, .bytes(let bytes)): server = APIFault.printable(bytes)
      case (4, .bytes(let bytes)): name = APIFault.printable(bytes)
      default: break
      }
    }
  }
}

/// A device's description of itself, as far as a subscriber of advertisements needs it.
package struct DeviceInfo: Sendable, Equatable {
  /// The features of a proxy.
  package struct Features: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let passiveScan = Features(rawValue: 1)
    package static let rawAdvertisements = Features(rawValue: 32)
    /// It sends the state of its scanner, and accepts another mode.
    package static let stateAndMode = Features(rawValue: 64)
  }

  package var name = ""
  package var friendlyName = ""
  /// The address of the machine, and of its Bluetooth radio, as `AA:BB:CC:DD:EE:FF`.
  package var address = ""
  package var bluetoothAddress = ""
  package var version = ""
  package var model = ""
  package var manufacturer = ""
  package var project: (name: String, version: String) = ("", "")
  package var features: Features = []
  package var isEncrypted = false

  package init() {}

  package static func == (left: DeviceInfo, right: DeviceInfo) -> Bool {
    left.fields.elementsEqual(right.fields, by: ==) && left.features == right.features
      && left.isEncrypted == right.isEncrypted
  }

  private var fields: [(UInt64, String)] {
    [
      (2, name), (3, address), (4, version), (6, model), (8, project.name), (9, project.version),
      (12, manufacturer), (13, friendlyName), (18, bluetoothAddress),
    ]
  }

  fileprivate func write(_ writer: inout ProtobufWriter) {
    for (field, text) in fields { writer.write(field, text) }
    writer.write(15, features.rawValue)
    writer.write(19, isEncrypted)
  }

  fileprivate init(_ content: ArraySlice<UInt8>) throws(APIFault) {
    var reader = ProtobufReader(content)
    while let (field, value) = try reader.next() {
      switch value {
      case .number(let number):
        if field == 15 { features = Features(rawValue: number) }
        if field == 19 { isEncrypted = number != 0 }
      case .bytes(let bytes): set(field, APIFault.printable(bytes))
      }
    }
  }

  private mutating func set(_ field: UInt64, _ text: String) {
    switch field {
    case 2: name = text
    case 3: address = text
    case 4: version = text
    case 6: model = text
    case 8: project.name = text
    case 9: project.version = text
    case 12: manufacturer = text
    case 13: friendlyName = text
    case 18: bluetoothAddress = text
    default: break
    }
  }
}

/// The state of a proxy's scanner.
package struct ScannerState: Sendable, Equatable {
  package enum Phase: UInt8, Sendable {
    case idle, starting, running, failed, stopping, stopped
  }

  package enum Mode: UInt8, Sendable {
    case passive, active

    fileprivate init(_ number: UInt64) { self = number == 1 ? .active : .passive }
  }

  package var phase: Phase
  package var mode: Mode
  package var configuredMode: Mode

  package init(_ phase: Phase, _ mode: Mode = .passive) {
    (self.phase, self.mode, configuredMode) = (phase, mode, mode)
  }

  fileprivate init(_ content: ArraySlice<UInt8>) throws(APIFault) {
    self.init(.idle)
    var reader = ProtobufReader(content)
    while let (field, value) = try reader.next() {
      guard case .number(let number) = value else { continue }
      switch field {
      case 1:
        guard let phase = UInt8(exactly: number).flatMap(Phase.init) else { throw .malformed }
        self.phase = phase
      case 2: mode = Mode(number)
      case 3: configuredMode = Mode(number)
      default: break
      }
    }
  }
}

/// An advertisement as a proxy received it.
package struct RawAdvertisement: Sendable, Equatable {
  /// The most advertisements of one message; a proxy collects up to 16.
  static let mostInMessage = 1024

  /// The 48 bits of the sender's address.
  package var address: UInt64
  /// The type of the address: 0 public, 1 random.
  package var addressType: UInt8
  /// In dBm; 127 if the controller does not report it.
  package var rssi: Int8
  /// The data of the advertisement, followed by that of the scan response if there is one.
  package var data: [UInt8]

  package init(address: UInt64, addressType: UInt8, rssi: Int8, data: [UInt8]) {
    (self.address, self.addressType, self.rssi, self.data) = (address, addressType, rssi, data)
  }

  fileprivate var bytes: [UInt8] {
    var writer = ProtobufWriter()
    writer.write(1, address)
    let signed = Int32(rssi)
    writer.write(2, UInt64(UInt32(bitPattern: signed << 1 ^ signed >> 31)))
    writer.write(3, UInt64(addressType))
    writer.write(4, data)
    return writer.bytes
  }

  fileprivate static func list(_ content: ArraySlice<UInt8>) throws(APIFault) -> [RawAdvertisement]
  {
    var list: [RawAdvertisement] = []
    var reader = ProtobufReader(content)
    while let (field, value) = try reader.next() {
      guard field == 1, case .bytes(let bytes) = value else { continue }
      guard list.count < mostInMessage else { throw .malformed }
      list.append(try RawAdvertisement(bytes))
    }
    return list
  }

  private init(_ content: ArraySlice<UInt8>) throws(APIFault) {
    self.init(address: 0, addressType: 0, rssi: 0, data: [])
    var reader = ProtobufReader(content)
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (1, .number(let number)): address = number & 0xFFFF_FFFF_FFFF
      case (2, .number(let number)):
        let folded = UInt32(truncatingIfNeeded: number)
        rssi = Int8(clamping: Int32(bitPattern: folded >> 1) ^ -Int32(bitPattern: folded & 1))
      case (3, .number(let number)): addressType = UInt8(clamping: number)
      case (4, .bytes(let bytes)): data = Array(bytes)
      default: break
      }
    }
  }
}
