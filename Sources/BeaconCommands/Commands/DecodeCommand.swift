// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `decode`: bytes, and the beacon in them or the reason why there is none.
package struct DecodeCommand {
  private enum Layout: String {
    case ad, manufacturer, hci
  }

  private let text: String
  private let layout: Layout
  private let isTable: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) {
    text = arguments.text(BeaconctlGrammar.decodeBytes) ?? "-"
    layout = arguments.text(.decodeAs).flatMap(Layout.init) ?? .ad
    isTable = arguments.text(.format).map { $0 == "table" } ?? io.output.isTerminal
    self.io = io
  }

  /// Answers the argument, or each line of standard input.
  package func run() throws -> ExitCode {
    guard text == "-" else {
      try io.output.write(try answer(text, place: "argument 1"))
      return .done
    }
    var lines = InputLines(try FileByteSource(path: "-"))
    var number = 0
    while let line = try lines.next() {
      number += 1
      try io.output.write(try answer(line, place: "line \(number)"))
    }
    return .done
  }

  private func answer(_ text: String, place: String) throws -> [UInt8] {
    let bytes = try HexText.bytes(of: text, place: place)
    let reading =
      switch layout {
      case .ad: BeaconDecoder.read(advertisingData: bytes.span, in: 0..<bytes.count)
      case .manufacturer: BeaconDecoder.read(manufacturerData: bytes.span, in: 0..<bytes.count)
      case .hci: BeaconDecoder.read(packet: bytes)
      }
    return isTable ? Self.sentence(reading) : Self.line(bytes, reading)
  }

  private static func line(_ bytes: [UInt8], _ reading: BeaconReading) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("v")
    writer.integer(1)
    writer.key("hex")
    writer.hex(bytes)
    writer.key("beacon")
    if case .beacon(let identity, let power) = reading {
      append(identity, to: &writer)
      writer.key("power")
      writer.integer(power)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.key("presence")
    if case .presence(let identity) = reading {
      append(identity, to: &writer)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.key("reason")
    writer.string(reading.reason?.name)
    writer.endLine()
    return writer.bytes
  }

  private static func append(_ identity: BeaconIdentity, to writer: inout JSONLineWriter) {
    writer.beginObject()
    writer.key("uuid")
    writer.uuid(identity.uuid)
    writer.key("major")
    writer.integer(identity.major)
    writer.key("minor")
    writer.integer(identity.minor)
  }

  private static func sentence(_ reading: BeaconReading) -> [UInt8] {
    let text =
      switch reading {
      case .beacon(let identity, let power): "\(identity)  \(power) dBm at 1 m"
      case .presence(let identity):
        "\(identity)  without its measured power: regions count it, its distance is unknown"
      case .rejected(let reason): "no iBeacon: \(reason.name)"
      }
    return Array((text + "\n").utf8)
  }
}
