// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What a command line says, once it was understood.
package enum Invocation: Sendable {
  /// Run a command.
  case run(ParsedArguments)
  /// Show the help of a command.
  case help(CommandPath)
  /// Show the version.
  case version
}

/// The options and arguments of one call, each of its declared type.
///
/// They are asked for by the option's or argument's own value, so that a name cannot be mistyped.
package struct ParsedArguments: Sendable {
  /// A value and where it stood.
  package struct Entry: Sendable, Equatable {
    /// The value.
    package var value: OptionValue
    /// The place of its option or of itself, 1 the first.
    package var argument: Int
  }

  /// The command called.
  package let path: CommandPath
  private var entries: [String: [Entry]] = [:]

  init(path: CommandPath) {
    self.path = path
  }

  mutating func append(_ value: OptionValue, to key: String, argument: Int) {
    entries[key, default: []].append(Entry(value: value, argument: argument))
  }

  /// Where an option was first given; `nil` where it was not.
  package func place(of option: CommandOption) -> Int? { entries[option.longName]?.first?.argument }

  /// Whether an option was given.
  package func has(_ option: CommandOption) -> Bool { entries[option.longName] != nil }

  /// How often a flag was given.
  package func count(_ option: CommandOption) -> Int { all(option).count }

  /// All values of an option with their places, in the order given.
  package func all(_ option: CommandOption) -> [Entry] { entries[option.longName] ?? [] }

  /// All values of an argument with their places, in the order given.
  package func all(_ argument: CommandArgument) -> [Entry] { entries[argument.name] ?? [] }

  /// The text, file or choice of an option.
  package func text(_ option: CommandOption) -> String? { texts(all(option)).first }

  /// The texts of an option that repeats.
  package func texts(_ option: CommandOption) -> [String] { texts(all(option)) }

  /// The text of an argument.
  package func text(_ argument: CommandArgument) -> String? { texts(all(argument)).first }

  /// The texts of an argument that repeats.
  package func texts(_ argument: CommandArgument) -> [String] { texts(all(argument)) }

  private func texts(_ entries: [Entry]) -> [String] {
    entries.compactMap { if case .text(let text) = $0.value { text } else { nil } }
  }

  /// The whole number of an option.
  package func integer(_ option: CommandOption) -> Int? {
    if case .integer(let value) = all(option).first?.value { value } else { nil }
  }

  /// The number of an option.
  package func number(_ option: CommandOption) -> Double? { numbers(option).first }

  /// The numbers of an option that repeats, in the order given.
  package func numbers(_ option: CommandOption) -> [Double] {
    all(option).compactMap { if case .number(let value) = $0.value { value } else { nil } }
  }

  /// The span of time of an option.
  package func span(_ option: CommandOption) -> TimeSpan? {
    if case .span(let value) = all(option).first?.value { value } else { nil }
  }

  /// The number of bytes of an option.
  package func bytes(_ option: CommandOption) -> Int? {
    if case .bytes(let value) = all(option).first?.value { value } else { nil }
  }

  /// The speed of an option.
  package func speed(_ option: CommandOption) -> ReplaySpeed? {
    if case .speed(let value) = all(option).first?.value { value } else { nil }
  }

  /// The identity constraints of an option, in the order given.
  package func constraints(_ option: CommandOption) -> [IdentityConstraint] {
    all(option).compactMap { if case .constraint(let value) = $0.value { value } else { nil } }
  }

  /// The regions of an option, in the order given.
  package func regions(_ option: CommandOption) -> [RegionArgument] {
    all(option).compactMap { if case .region(let value) = $0.value { value } else { nil } }
  }

  /// The settings of an option, in the order given.
  package func settings(_ option: CommandOption) -> [SettingArgument] {
    all(option).compactMap { if case .setting(let value) = $0.value { value } else { nil } }
  }

  /// The sinks of an option, in the order given.
  package func sinks(_ option: CommandOption) -> [SinkArgument] {
    all(option).compactMap { if case .sink(let value) = $0.value { value } else { nil } }
  }
}
