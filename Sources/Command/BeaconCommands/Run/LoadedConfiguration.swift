// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats
internal import Beacons
internal import SystemKit

/// A configuration as it came together: the profile, the files, and the settings of the command line.
package struct LoadedConfiguration {
  /// The origin of a constant's value.
  package enum Origin: Sendable, Equatable {
    case profile
    case file(String)
    case commandLine

    /// The word for it in JSON.
    package var name: String {
      switch self {
      case .profile: "profile"
      case .file: "file"
      case .commandLine: "commandLine"
      }
    }
  }

  /// The engine's configuration.
  package private(set) var configuration: Configuration
  /// Everything that is set, from which each module decodes its own configuration.
  package private(set) var settings: ConfigurationSettings
  /// The addition to a receiver's RSSI in dB, by the receiver's name, ordered by name.
  package private(set) var receiverOffsets: [(name: String, decibels: Double)] = []
  /// The names of beacons.
  package private(set) var names = NameBook()
  /// How events are written if standard output is not a terminal; `nil` if no file chooses it.
  package private(set) var pipedFormat: OutputFormat?
  /// How brokers are logged in to, by their hosts.
  package private(set) var brokers: [String: BrokerSettings] = [:]
  /// How Bluetooth proxies are connected to, by their hosts.
  package private(set) var proxies: [String: ProxySettings] = [:]
  /// The files that were read, the one with the last word last.
  package private(set) var files: [String] = []
  private var origins: [String: Origin] = [:]
  private var regions: [String: RegionSettings] = [:]

  /// Loads the configuration that a command line requests.
  ///
  /// - Throws: ``CommandFailure``: 64 for a fault on the command line, 66 and 78 for one of a file.
  package init(_ arguments: ParsedArguments, from places: ConfigurationPlaces) throws {
    let schema = places.schema
    files = places.files(arguments)
    let contents = try files.map { try ConfigurationFile(path: $0, schema: schema) }
    let profile = arguments[Options.profile] ?? contents.compactMap(\.profile).last
    settings = ConfigurationSettings(profile ?? .standard)
    configuration = Configuration(settings)
    for (path, file) in zip(files, contents) { apply(file, at: path) }
    receiverOffsets.sort { $0.name < $1.name }
    for entry in arguments.entries(Options.set) {
      apply(
        try schema.setting(entry.value.key, entry.value.value, argument: entry.place),
        from: .commandLine
      )
    }
  }

  /// Returns a region with the files' settings for its name.
  package func region(_ name: String, _ constraint: IdentityConstraint) -> Region {
    var region = Region(RegionIdentifier(name), constraint)
    regions[name]?.apply(to: &region, configuration.regions.enter)
    return region
  }

  /// The names of the regions with settings in the files, in their order.
  package var regionNames: [String] { regions.keys.sorted() }

  /// The origin of a constant's value.
  package func origin(of constant: Constant) -> Origin { origins[constant.key] ?? .profile }

  /// A constant's value.
  package func value(of constant: Constant) -> Constant.Value {
    constant.value(in: settings, given: configuration)
  }

  private mutating func apply(_ file: ConfigurationFile, at path: String) {
    for setting in file.settings { apply(setting, from: .file(path)) }
    for (constraint, power) in file.calibration.overrides {
      // The file was read with the bounds of a power, so it is within them.
      try? configuration.ranging.calibration.setPower(power, for: constraint)
    }
    if let site = file.site { configuration.ranging.pathLoss = .twoPoint(site) }
    for offset in file.receiverOffsets {
      receiverOffsets.removeAll { $0.name == offset.name }
      receiverOffsets.append(offset)
    }
    regions.merge(file.regions) { $0.overridden(by: $1) }
    brokers.merge(file.brokers) { $1 }
    proxies.merge(file.proxies) { $1 }
    names.add(file.names)
    pipedFormat = file.pipedFormat.flatMap { OutputFormat(rawValue: $0) } ?? pipedFormat
  }

  private mutating func apply(_ setting: ConfigurationSetting, from origin: Origin) {
    settings.append(setting)
    configuration.apply(setting)
    origins[setting.key] = origin
  }
}

extension ConfigurationSchema {
  /// Reads a setting of a command line.
  ///
  /// - Throws: ``UsageError`` with the values that its constant accepts, or a similar key.
  package func setting(
    _ key: String,
    _ value: String,
    argument: Int?
  ) throws(UsageError) -> ConfigurationSetting {
    guard let constant = constant(named: key) else {
      let hint = NearestName.find(key, in: constants.map(\.key))
        .map { "; did you mean '\($0)'?" }
      throw UsageError(
        "no constant is named \(quoted(key))" + (hint ?? "; see 'beaconctl config list'"),
        argument: argument
      )
    }
    do throws(ConstantError) {
      return try constant.setting(parsing: value)
    } catch {
      var fault = "\(error), not \(quoted(value))"
      if case .seconds = constant.kind, case .wrongKind = error {
        fault += "; write a number and ms, s, m, h or d, such as 30s"
      }
      throw UsageError(fault, argument: argument)
    }
  }
}

/// Where configuration files are looked for.
package struct ConfigurationPlaces: Sendable {
  /// Every constant that a file may set.
  package let schema: ConfigurationSchema
  /// The machine's file, which applies to every account; `nil` in tests.
  package let machineFile: String?
  /// The account's file; `nil` if no home folder is known.
  package let userFile: String?
  /// The value of `BEACONS_CONFIG`: a file that is read in place of `--config`, or `none`.
  private let preference: String?

  /// What stands for reading no file at all.
  package static let none = "none"

  /// - Parameters:
  ///   - schema: Every constant that a file may set.
  ///   - machineFile: The machine's file.
  ///   - environment: The environment variables, which name the account's folder.
  package init(
    _ schema: ConfigurationSchema,
    machineFile: String? = nil,
    environment: [String: String] = [:]
  ) {
    self.schema = schema
    self.machineFile = machineFile
    userFile = Self.folder(in: environment).map { $0 + "/beacons/config.json5" }
    preference = environment["BEACONS_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func folder(in environment: [String: String]) -> String? {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.config"
  }

  /// The files that are read without being named, if they exist: the machine's, then the account's.
  package var usual: [String] { [machineFile, userFile].compactMap(\.self) }

  /// The file that a command line or the environment names, or ``none``; `nil` where neither does.
  package func named(_ arguments: ParsedArguments) -> String? {
    arguments[Options.config] ?? preference
  }

  /// The files that a command reads, the one with the last word last; a named one need not exist.
  package func files(_ arguments: ParsedArguments) -> [String] {
    let named = named(arguments)
    guard named != Self.none else { return [] }
    return usual.filter { FileStatus($0) != nil } + (named.map { [$0] } ?? [])
  }
}

extension CommandIO {
  /// Where configuration files are looked for.
  package var configurations: ConfigurationPlaces {
    ConfigurationPlaces(schema, machineFile: machineConfiguration, environment: environment)
  }

  /// The format of a report that people read, also through a pipe: JSON only if the user or the configuration chooses it.
  package func reportFormat(_ asked: OutputFormat?, _ arguments: ParsedArguments) -> OutputFormat {
    if let asked { return asked }
    guard !output.isTerminal,
      // A command that needs the configuration reports its faults.
      let loaded = try? LoadedConfiguration(arguments, from: configurations)
    else { return .table }
    return loaded.pipedFormat == .json || loaded.pipedFormat == .jsonl ? .json : .table
  }

  /// Changes a configuration file; one that does not exist is empty.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - change: Returns the new content, which replaces the file only if it is a valid configuration.
  /// - Throws: What `change` throws; ``CommandFailure`` if the result has faults, or if the file cannot be read or
  ///   written.
  package func edit(configuration path: String, _ change: ([UInt8]) throws -> [UInt8]) throws {
    do {
      try files.edit(path) { bytes in
        let edited = try change(bytes)
        _ = try ConfigurationFile(edited, schema)
        return edited
      }
    } catch let faults as JSON5Faults {
      let failure = CommandFailure(faults, of: path, .badConfiguration)
      throw CommandFailure(failure.code, failure.lines + ["\(path) was left as it is"])
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }
}

extension ConfigurationFile {
  /// Reads a file.
  ///
  /// - Throws: ``CommandFailure`` with every fault of the file, a line each.
  package init(path: String, schema: ConfigurationSchema) throws(CommandFailure) {
    self = try ParsedFile.read(path, failing: .badConfiguration) { bytes throws(JSON5Faults) in
      try Self(bytes, schema)
    }
  }
}
