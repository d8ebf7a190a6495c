// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `decode`: bytes, and the beacon in them or the reason against one.
package struct DecodeCommand {
  /// The bytes that `decode` reads.
  private static let bytes = CommandArgument(
    .text("HEX|-"),
    "Bytes in hexadecimal; - reads one string per line from standard input"
  )
  /// What bytes to decode are.
  private static let layout = CommandOption(
    "as",
    .choice(of: Layout.self),
    "The kind of the bytes: advertising data (default), manufacturer data with its company, or an HCI packet"
  )
  /// The format of answers, one a line.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .jsonl]),
    "Output format: table on a terminal, else jsonl"
  )

  /// `decode`: one frame.
  package static let command = BeaconctlCommand(
    "decode",
    "Decode bytes as an iBeacon, or explain why they are not one",
    arguments: [bytes],
    groups: [OptionGroup("Output", [layout, format, Options.summary])],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl decode --as manufacturer 4c000215...",
        "Decode manufacturer data with its company"
      )
    ]
  ) { arguments, io in
    var command = try DecodeCommand(arguments, io: io)
    return try command.run()
  }

  private enum Layout: String, CaseIterable {
    case ad, manufacturer, hci
  }

  private let text: String
  private let layout: Layout
  private let isTable: Bool
  private let wantsSummary: Bool
  private let io: CommandIO
  private var summary = RunSummary()
  /// Answers not yet written.
  private var pending: [UInt8] = []
  private var shownHints: Set<String> = []

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    text = try arguments.required(Self.bytes)
    layout = arguments[Self.layout] ?? .ad
    isTable = arguments[Self.format].map { $0 == .table } ?? io.output.isTerminal
    wantsSummary = arguments.has(Options.summary)
    self.io = io
  }

  /// Answers the argument, or each line of standard input.
  package mutating func run() throws -> ExitCode {
    let started = io.clock.elapsed
    let code: ExitCode
    if text == "-" {
      try io.files.addInput("-")
      code = try answerLines()
    } else {
      answer(try HexText.written(Array(text.utf8), place: "argument 1"))
      try flush()
      code = .done
    }
    if wantsSummary {
      try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
    }
    return code
  }

  /// 64 KiB: the capacity of a pipe.
  private static let blockSize = 65_536

  /// Answers every line, so that the last one's answer does not depend on whether the first was right.
  private mutating func answerLines() throws -> ExitCode {
    var lines = InputLines(
      try FileByteSource(
        path: "-",
        isCancelled: { Interruption.exitCode != nil },
        beforeWaiting: {}
      )
    )
    var number = 0
    var code = ExitCode.done
    while let line = try lines.next() {
      number += 1
      do throws(CommandFailure) {
        guard !line.isCut else {
          throw CommandFailure(
            .badData,
            "line \(number), column \(InputLines.limit + 1): the line is longer than any packet"
          )
        }
        answer(try HexText.written(line.bytes, place: "line \(number)"))
      } catch {
        error.lines.forEach(io.show)
        code = error.code
        append(nil, .none)
      }
      // A user who types lines gets each answer immediately; a million piped lines do not cost a million writes.
      if !lines.hasLine || pending.count >= Self.blockSize { try flush() }
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
    }
    return code
  }

  private mutating func flush() throws {
    defer { pending.removeAll(keepingCapacity: true) }
    try io.output.write(pending)
  }

  private mutating func answer(_ written: HexText.Written) {
    let bytes = written.bytes
    let layout = written.isManufacturerData ? .manufacturer : layout
    let reading =
      switch layout {
      case .ad: BeaconDecoder.read(advertisingData: bytes.span, in: 0..<bytes.count)
      case .manufacturer: BeaconDecoder.read(manufacturerData: bytes.span, in: 0..<bytes.count)
      case .hci: BeaconDecoder.read(packet: bytes)
      }
    summary.count(reading)
    if case .rejected = reading, let hint = Self.hint(bytes, layout),
      shownHints.insert(hint).inserted
    {
      io.show(hint)
    }
    append(bytes, reading)
  }

  /// The probable kind of bytes without an iBeacon, by the way they begin; `nil` if it is unknown.
  private static func hint(_ bytes: [UInt8], _ layout: Layout) -> String? {
    func begins(_ start: UInt8...) -> Bool { bytes.starts(with: start) }
    switch layout {
    case .manufacturer where begins(0x02, 0x15):
      return "0215 without a company begins no manufacturer data; write 4c00 before it"
    case .manufacturer where begins(0x00, 0x4C):
      return "the bytes of Apple's company are swapped; write 4c00"
    case .ad where begins(0x4C, 0x00):
      return "4c00 begins manufacturer data; read it with: --as manufacturer"
    case .ad where begins(0x02, 0x15) && bytes.count == frameCount:
      return "0215 begins manufacturer data without its company; write 4c00 before it, and"
        + " read it with: --as manufacturer"
    case .ad where begins(0x04, 0x3E): return "043e begins an HCI packet; read it with: --as hci"
    case .ad, .manufacturer, .hci: return nil
    }
  }

  /// The bytes of an iBeacon after the company.
  private static let frameCount = 23

  /// Adds an answer; a line that is not bytes is answered too, so that the tenth answer is the tenth line's.
  private mutating func append(_ bytes: [UInt8]?, _ reading: BeaconReading?) {
    pending += isTable ? Self.sentence(reading) : Self.line(bytes, reading)
  }

  private static func line(_ bytes: [UInt8]?, _ reading: BeaconReading?) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.integer("v", 1)
    writer.key("hex")
    if let bytes { writer.hex(bytes) } else { writer.null() }
    writer.key("beacon")
    if case .beacon(let identity, let power) = reading {
      writer.beginObject()
      writer.identity(identity)
      writer.integer("power", power)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.key("presence")
    if case .presence(let identity) = reading {
      writer.beginObject()
      writer.identity(identity)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.string("reason", reading.map { $0.reason?.name } ?? HexText.faultName)
    writer.endLine()
    return writer.bytes
  }

  private static func sentence(_ reading: BeaconReading?) -> [UInt8] {
    let text =
      switch reading {
      case .beacon(let identity, let power): "\(identity)  \(power) dBm at 1 m"
      case .presence(let identity):
        "\(identity)  without its measured power: regions count it, its distance is unknown"
      case .rejected(let reason): "no iBeacon: \(reason.text) (\(reason.name))"
      case nil: "no bytes: \(HexText.faultName)"
      }
    return Array((text + "\n").utf8)
  }
}
