// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats

/// `config`: the constants, where their values come from, and what is wrong with a file.
package struct ConfigCommand {
  /// The file that `config check` reads.
  private static let file = CommandArgument(
    .file("FILE"),
    "A configuration file, JSON5"
  )

  /// `config`: the constants.
  package static let command = BeaconctlCommand(
    "config",
    "List, show and check the configuration",
    subcommands: [
      Command(
        "list",
        "List every constant with its unit, default and reason",
        groups: [OptionGroup("Output", [Options.reportFormat])],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).list() },
      Command(
        "show",
        "Show the value of every constant and where it was set",
        groups: [.settings, OptionGroup("Output", [Options.reportFormat])],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).show() },
      Command(
        "check",
        "Check a configuration file; exit code 2 if it is wrong",
        arguments: [file],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).check() },
    ]
  )

  private let arguments: ParsedArguments
  private let isTable: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) {
    self.arguments = arguments
    isTable = arguments[Options.reportFormat].map { $0 == .table } ?? io.output.isTerminal
    self.io = io
  }

  /// `config list`: every constant with its unit, default and reason.
  package func list() throws -> ExitCode {
    let standard = ConfigurationSettings()
    let apple = ConfigurationSettings(.coreLocation14)
    guard isTable else {
      try writeJSON { constant, writer in
        writer.key("unit")
        writer.string(constant.unit)
        writer.key("default")
        Self.append(constant.value(in: standard), to: &writer)
        writer.key("coreLocation")
        Self.append(constant.value(in: apple), to: &writer)
        writer.key("takes")
        writer.string(constant.expectation)
        writer.key("reason")
        writer.string(constant.reason)
      }
      return .done
    }
    for constant in io.schema.constants {
      let (ours, its) = (constant.value(in: standard), constant.value(in: apple))
      var line = Column.left(constant.key, 26) + Self.text(ours, constant)
      if its != ours { line += "   (coreLocation: \(its))" }
      try put(line)
      try put("    \(constant.reason)")
    }
    return .done
  }

  /// `config show`: every constant's value and where it came from.
  package func show() throws -> ExitCode {
    let loaded = try LoadedConfiguration(arguments, schema: io.schema)
    guard isTable else {
      try writeJSON { constant, writer in
        writer.key("value")
        Self.append(loaded.value(of: constant), to: &writer)
        writer.key("unit")
        writer.string(constant.unit)
        writer.key("from")
        writer.string(loaded.origin(of: constant).rawValue)
      }
      return .done
    }
    for constant in io.schema.constants {
      let value = loaded.value(of: constant)
      try put(
        Column.left(constant.key, 26) + Column.left(Self.text(value, constant), 22)
          + loaded.origin(of: constant).rawValue
      )
    }
    return .done
  }

  /// `config check`: every fault of a file.
  package func check() throws -> ExitCode {
    do {
      _ = try ConfigurationFile(path: try arguments.required(Self.file), schema: io.schema)
      return .done
    } catch let failure as CommandFailure where failure.code == .badConfiguration {
      for line in failure.lines { try put(line) }
      return .negativeVerdict
    }
  }

  private static func text(_ value: Constant.Value, _ constant: Constant) -> String {
    constant.unit.isEmpty ? "\(value)" : "\(value) \(constant.unit)"
  }

  private func put(_ line: String) throws {
    try io.write(table: [line])
  }

  private func writeJSON(_ fields: (Constant, inout JSONLineWriter) -> Void) throws {
    var writer = JSONLineWriter()
    writer.beginArray()
    for constant in io.schema.constants {
      writer.beginObject()
      writer.key("key")
      writer.string(constant.key)
      fields(constant, &writer)
      writer.endObject()
    }
    writer.endArray()
    try io.output.write(writer.bytes + [0x0A])
  }

  private static func append(_ value: Constant.Value, to writer: inout JSONLineWriter) {
    switch value {
    case .number(let number):
      // Constants have at most six decimals, as spans of microseconds do.
      writer.seconds(TimeSpan(seconds: number))
    case .count(let count): writer.integer(count)
    case .flag(let flag): writer.bool(flag)
    case .choice(let name): writer.string(name)
    }
  }
}
