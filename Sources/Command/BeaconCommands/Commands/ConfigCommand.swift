// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// `config`: the constants, where their values come from, and the faults of a file.
package struct ConfigCommand {
  /// The file that `config check` reads.
  private static let file = CommandArgument(
    .file("FILE"),
    "A configuration file, JSON5"
  )

  private static let keys = CommandFlag("keys", "List only the keys, for the completion of --set")
  private static let regions = CommandFlag(
    "regions",
    "List only the regions with separate settings, for the completion of --region"
  )
  private static let beacons = CommandFlag(
    "beacons",
    "List only the names of beacons, for the completion of --beacon"
  )

  /// `config`: the constants.
  package static let command = BeaconctlCommand(
    "config",
    "Show, check and edit the configuration",
    discussion: [
      "Values come from the profile, the machine's file, the account's file, --config and --set; a later one replaces an"
        + " earlier one. '--config none' reads no file. Without --config, the variable BEACONS_CONFIG names its file."
    ],
    subcommands: [
      Command(
        "list",
        "List every constant with its unit, default and reason",
        groups: [OptionGroup("Output", [Options.reportFormat, keys])],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).list() },
      Command(
        "show",
        "Show the value of every constant and its origin",
        groups: [.settings, OptionGroup("Output", [Options.reportFormat, regions, beacons])],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).show() },
      Command(
        "check",
        "Check a configuration file; exit code 2 if it is wrong",
        arguments: [file],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).check() },
      Command(
        "path",
        "Print the path of the account's configuration file",
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).path() },
      Command(
        "edit",
        "Edit the account's configuration file, then check it",
        discussion: [
          "Opens a draft of the file with VISUAL or EDITOR, else with nano or vi. The draft replaces the file once it has no"
            + " fault. A file that does not exist is started."
        ],
        exclusive: Exclusive.verbosity
      ) { arguments, io in try ConfigCommand(arguments, io: io).edit() },
    ]
  )

  private let arguments: ParsedArguments
  private let isTable: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) {
    self.arguments = arguments
    isTable = io.reportFormat(arguments[Options.reportFormat], arguments) == .table
    self.io = io
  }

  /// `config list`: every constant with its unit, default and reason.
  package func list() throws -> ExitCode {
    if arguments.has(Self.keys) {
      try io.write(table: io.schema.constants.map(\.key))
      return .done
    }
    let standard = ConfigurationSettings()
    let apple = ConfigurationSettings(.coreLocation14)
    guard isTable else {
      try writeJSON { constant, writer in
        writer.string("unit", constant.unit)
        writer.key("default")
        Self.append(constant.value(in: standard), to: &writer)
        writer.key("coreLocation")
        Self.append(constant.value(in: apple), to: &writer)
        writer.string("takes", constant.expectation)
        writer.string("reason", constant.reason)
      }
      return .done
    }
    let width = keyWidth
    try put(Column.left("CONSTANT", width) + "DEFAULT")
    for constant in io.schema.constants {
      let (ours, its) = (constant.value(in: standard), constant.value(in: apple))
      var line = Column.left(constant.key, width) + Self.text(ours, constant)
      let appleText = its == ours ? "" : "   (coreLocation: \(its))"
      let fits = line.count + appleText.count <= io.columns
      if fits { line += appleText }
      try put(line)
      if !fits { try put("  " + appleText) }
      for line in HelpText.wrapped(constant.reason, indent: 4, max(io.columns, 40)) {
        try put(line)
      }
    }
    return .done
  }

  /// `config show`: every constant's value and its origin.
  package func show() throws -> ExitCode {
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    if arguments.has(Self.regions) {
      let names = loaded.regionNames
      try io.write(table: names.filter(ValueKind<RegionArgument>.canName))
      return .done
    }
    if arguments.has(Self.beacons) {
      try io.write(table: loaded.names.entries.map(\.name).filter(\.isCompletable))
      return .done
    }
    guard isTable else {
      try writeJSON { constant, writer in
        writer.key("value")
        Self.append(loaded.value(of: constant), to: &writer)
        writer.string("unit", constant.unit)
        writer.key("from")
        let origin = loaded.origin(of: constant)
        writer.string(origin.name)
        guard case .file(let path) = origin else { return }
        writer.string("file", path)
      }
      return .done
    }
    let width = keyWidth
    try put(Column.left("CONSTANT", width) + Column.left("VALUE", 16) + "FROM")
    for constant in io.schema.constants {
      let value = Column.left(Self.text(loaded.value(of: constant), constant), 14)
      try put(Column.left(constant.key, width) + "\(value)  \(Self.text(loaded, constant))")
    }
    for line in Self.further(loaded) { try put(line) }
    return .done
  }

  /// Keys and values stand apart.
  private var keyWidth: Int { (io.schema.constants.map(\.key.count).max() ?? 0) + 2 }

  private static func text(_ loaded: LoadedConfiguration, _ constant: Constant) -> String {
    switch loaded.origin(of: constant) {
    case .profile where loaded.settings.profile == .standard: "built in"
    case .profile: "profile \(loaded.settings.profile.rawValue)"
    case .file(let path): path
    case .commandLine: "--set"
    }
  }

  /// The values in files other than constants, and which files were read.
  private static func further(_ loaded: LoadedConfiguration) -> [String] {
    let powers = loaded.configuration.ranging.calibration.overrides
    let sections: [(title: String, rows: [String])] = [
      ("measured powers at 1 m", powers.map { "\($0.constraint)  \($0.power) dBm" }),
      ("receivers' offsets", loaded.receiverOffsets.map { "\($0.name)  \($0.decibels) dB" }),
      ("names", loaded.names.entries.map { "\($0.identity)  \($0.name)" }),
      ("regions with separate settings", loaded.regionNames),
      ("output.piped", loaded.pipedFormat.map { [$0.rawValue] } ?? []),
      ("files, the one with the last word last", loaded.files),
    ]
    return sections.filter { !$0.rows.isEmpty }
      .flatMap { ["", $0.title] + $0.rows.map { "  " + $0 } }
  }

  // MARK: The file

  private var userFile: String {
    get throws(CommandFailure) {
      guard let path = io.configurations.userFile else {
        throw CommandFailure(.failed, "no home folder is known; set HOME or XDG_CONFIG_HOME")
      }
      return path
    }
  }

  /// `config path`: the path of the account's file, even if it does not exist.
  package func path() throws -> ExitCode {
    try put(userFile)
    return .done
  }

  /// `config edit`: the account's file in an editor.
  package func edit() throws -> ExitCode {
    let path = try userFile
    guard io.terminal != nil else {
      throw CommandFailure(.usage, "'config edit' needs a terminal; the file is \(path)")
    }
    try FileDescriptor.createFolders(for: path)
    let old = FileStatus(path) == nil ? nil : try WholeFile.read(path)
    let draft = try DraftFile(of: path, containing: old ?? Array(Self.template.utf8))
    while true {
      let new = try edit(draft, of: path)
      if try check(draft.path) == .done {
        if new == old { return .done }
        try io.edit(configuration: path) { now in
          if now == old ?? [] { return new }
          draft.isKept = true
          throw CommandFailure(
            .failed,
            "\(path) was changed meanwhile and left as it is; the draft is \(draft.path)"
          )
        }
        draft.isKept = false
        return .done
      }
      io.show(
        "\(path) was left as it is; press Return to correct the draft,"
          + " or Control-D to end\(draft.isKept ? " and keep it as \(draft.path)" : "")"
      )
      guard try isReady() else { return .negativeVerdict }
    }
  }

  /// Lets the user edit a draft, which is kept from then on if they changed it, and returns its content.
  private func edit(_ draft: DraftFile, of path: String) throws -> [UInt8] {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap { io.environment[$0] }.first { !$0.isEmpty }
    let editor = named ?? Self.usualEditor
    let child = try ChildProcess("/bin/sh", ["sh", "-c", editor + " \"$1\"", "sh", draft.path])
    let ending = child.wait()
    // Only a draft that is known to be unchanged contains no work of the user.
    draft.isKept = true
    if let status = FileStatus(draft.path), !status.isRegular {
      let reason = "\(draft.path) is not a regular file"
      throw CommandFailure(.failed, "\(path) was left as it is: \(reason)")
    }
    let content: [UInt8]
    do throws(SystemError) {
      content = try WholeFile.read(draft.path, mayWait: false)
    } catch {
      let failure = CommandFailure(error)
      throw CommandFailure(failure.code, failure.lines + ["\(path) was left as it is"])
    }
    draft.isKept = content != draft.content
    guard ending == .exited(0) else {
      let rest = draft.isKept ? "the draft is \(draft.path)" : "the file is \(path)"
      throw CommandFailure(.failed, "the editor '\(editor)' failed; \(rest)")
    }
    return content
  }

  /// Waits for Return; returns `false` if the user would rather end.
  private func isReady() throws -> Bool {
    let input = try FileByteSource(path: "-", isCancelled: io.isInterrupted, beforeWaiting: {})
    var lines = InputLines(input)
    do {
      return try lines.next() != nil
    } catch let error as SystemError where error.isInterruption {
      return false
    }
  }

  private static var usualEditor: String {
    ["/usr/bin/editor", "/usr/bin/nano"].first { FileStatus($0) != nil } ?? "vi"
  }

  /// The contents of a new file.
  private static let template = """
    // Configuration of beaconctl, JSON5. 'beaconctl config list' names every constant.
    {
      // Names of beacons by UUID/MAJOR/MINOR.
      // beacons: { "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/7": "Astrolabe" },
      // set: { "ranging.linger": 10 },
    }

    """

  /// `config check`: every fault of a file.
  package func check() throws -> ExitCode {
    try check(arguments.required(Self.file))
  }

  private func check(_ path: String) throws -> ExitCode {
    do throws(CommandFailure) {
      _ = try ConfigurationFile(path: path, schema: io.schema)
      return .done
    } catch {
      guard error.code == .badConfiguration else { throw error }
      for line in error.lines { try put(line) }
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
      writer.string("key", constant.key)
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
