// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats

/// A source of scan inputs that another module provides, such as a simulator.
package struct AdditionalSource: Sendable {
  /// What a source gives to a run.
  package struct Chosen: Sendable {
    /// The names of its receivers.
    let receiverNames: [String]
    /// Opens its inputs.
    let open: @Sendable () throws -> any ScanReader

    package init(receiverNames: [String], open: @escaping @Sendable () throws -> any ScanReader) {
      self.receiverNames = receiverNames
      self.open = open
    }
  }

  /// The option that chooses the source, by its name; only one source can be chosen.
  let name: String
  /// All of its options.
  let options: [any DeclaredOption]
  /// Reads its options, adjusts the configuration and adds names of beacons; `nil` if it was not chosen.
  let choose: Choice

  /// What reads the options of a source.
  package typealias Choice =
    @Sendable (ParsedArguments, inout Configuration, inout NameBook) throws -> Chosen?

  package init(
    _ name: String,
    options: [any DeclaredOption],
    choose: @escaping Choice
  ) {
    self.name = name
    self.options = options
    self.choose = choose
  }
}

extension OptionGroup {
  /// Where inputs come from: the adapters, captures, or a source of another module.
  static func anySource(_ additional: [AdditionalSource]) -> OptionGroup {
    guard !additional.isEmpty else { return anySource }
    let names = ["from"] + additional.map(\.name)
    return source(
      [
        Options.adapter, Options.via, Options.from, Options.speed.needing(names),
        Options.drain.needing(names),
      ] + additional.flatMap(\.options)
    )
  }
}

extension Exclusive {
  /// Of the options that name a source only one.
  static func sources(_ additional: [AdditionalSource]) -> [[String]] {
    let names = additional.map(\.name)
    return [["adapter", "from"] + names, ["via", "from"] + names]
  }
}
