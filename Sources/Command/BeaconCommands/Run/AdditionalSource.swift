// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats
package import Beacons

/// A source of scan inputs that another module provides, such as a simulator.
package struct AdditionalSource: Sendable {
  /// A source that is open.
  package struct Connection {
    package let source: any ScanSource
    /// Returns the remarks for the user since the last call.
    package let drainRemarks: () -> [String]
    /// Returns how many messages were not used so far, by reason.
    let unused: () -> [(name: String, count: Int)]
    /// Closes it.
    package let close: () -> Void

    package init(
      _ source: any ScanSource,
      drainRemarks: @escaping () -> [String] = { [] },
      unused: @escaping () -> [(name: String, count: Int)] = { [] },
      close: @escaping () -> Void = {}
    ) {
      (self.source, self.drainRemarks) = (source, drainRemarks)
      (self.unused, self.close) = (unused, close)
    }
  }

  /// Opens a source; the run closes it.
  package typealias Opener = @Sendable (CommandIO) async throws -> Connection

  /// A source in the network, which `--from` names by an address.
  struct Network: Sendable {
    /// Whether a text is such an address.
    let isAddress: @Sendable (String) -> Bool
    /// Reads the addresses and the options.
    let choose: @Sendable ([String], ParsedArguments) throws -> Opener
  }

  /// The option that chooses the source, by its name, only one at a time; `nil` where `--from` chooses it.
  let name: String?
  /// The source in the network; `nil` for a simulated one.
  let network: Network?
  /// All of its options.
  package let options: [any DeclaredOption]
  /// Reads its options, adjusts the configuration and adds names of beacons; `nil` if it was not chosen.
  let choose: Choice

  /// What reads the options of a source.
  package typealias Choice =
    @Sendable (ParsedArguments, inout Configuration, inout NameBook) throws -> Opener?

  package init(
    _ name: String,
    options: [any DeclaredOption],
    choose: @escaping Choice
  ) {
    self.name = name
    self.options = options
    self.choose = choose
    network = nil
  }

  /// A source in the network with one address, such as a broker.
  ///
  /// - Parameters:
  ///   - isAddress: Whether a value of `--from` is one of its addresses.
  ///   - choose: Reads an address and the options of the run.
  package init(
    networkAt isAddress: @escaping @Sendable (String) -> Bool,
    choose: @escaping @Sendable (String, ParsedArguments) throws -> Opener
  ) {
    self.init(networksAt: isAddress) { addresses, arguments in
      guard addresses.count == 1 else {
        throw UsageError("'\(addresses[0])' is live and cannot be merged with other sources")
      }
      return try choose(addresses[0], arguments)
    }
  }

  /// A source in the network with one or several addresses.
  ///
  /// - Parameters:
  ///   - isAddress: Whether a value of `--from` is one of its addresses.
  ///   - choose: Reads the addresses and the options of the run.
  package init(
    networksAt isAddress: @escaping @Sendable (String) -> Bool,
    choose: @escaping @Sendable ([String], ParsedArguments) throws -> Opener
  ) {
    name = nil
    options = []
    self.choose = { _, _, _ in nil }
    network = Network(isAddress: isAddress, choose: choose)
  }
}

extension AdditionalSource {
  /// Returns the source in the network that values of `--from` name; `nil` if they name captures.
  ///
  /// - Throws: ``UsageError`` for a wrong address, or if they name both.
  package static func network(
    of values: [String],
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource]
  ) throws -> Opener? {
    for network in sources.compactMap(\.network) {
      guard let address = values.first(where: network.isAddress) else { continue }
      guard values.allSatisfy(network.isAddress) else {
        throw UsageError("'\(address)' is live and cannot be merged with other sources")
      }
      return try network.choose(values, arguments)
    }
    return nil
  }
}

extension OptionGroup {
  /// Where inputs come from: the adapters, captures, or a source of another module.
  static func anySource(_ additional: [AdditionalSource]) -> OptionGroup {
    guard !additional.isEmpty else { return anySource }
    let names = ["from"] + additional.compactMap(\.name)
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
    let names = additional.compactMap(\.name)
    return [["adapter", "from"] + names, ["via", "from"] + names]
  }
}
