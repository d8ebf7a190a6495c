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
    /// Whether one source reads several addresses.
    let takesSeveral: Bool
    /// Reads the addresses and the options.
    let choose: @Sendable ([String], ParsedArguments) throws -> Opener
  }

  /// Addresses that one source reads, of some kind of network.
  private struct Group {
    let kind: Int
    var addresses: [String]

    /// The name of the source among others: an address, or the kind of several.
    var label: String {
      let isOne = addresses.count == 1 && !addresses[0].hasSuffix(":")
      return isOne ? addresses[0] : String(addresses[0].prefix { $0 != ":" })
    }
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
    self.init(
      Network(isAddress: isAddress, takesSeveral: false) { addresses, arguments in
        try choose(addresses[0], arguments)
      }
    )
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
    self.init(Network(isAddress: isAddress, takesSeveral: true, choose: choose))
  }

  private init(_ network: Network) {
    name = nil
    options = []
    choose = { _, _, _ in nil }
    self.network = network
  }
}

extension AdditionalSource {
  /// Returns the source in the network that values of `--from` name; `nil` if they name captures.
  ///
  /// Addresses of several kinds, or several of a kind with one address, are merged.
  ///
  /// - Throws: ``UsageError`` for a wrong address, or if they name captures as well.
  package static func network(
    of values: [String],
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource]
  ) throws -> Opener? {
    let networks = sources.compactMap(\.network)
    let kinds = values.map { value in networks.firstIndex { $0.isAddress(value) } }
    guard let first = zip(values, kinds).first(where: { $0.1 != nil })?.0 else { return nil }
    guard !kinds.contains(nil) else {
      throw UsageError("'\(first)' is live and cannot be merged with captures")
    }
    let groups = try groups(of: zip(values, kinds.compactMap(\.self)), networks)
    let openers = try groups.map { try networks[$0.kind].choose($0.addresses, arguments) }
    guard openers.count > 1 else { return openers.first }
    let labels = groups.enumerated().map { number, group in
      let isFurther = groups.prefix(number).contains { $0.kind == group.kind }
      return MergedInputs.Label(group.label, marksAll: isFurther)
    }
    return merged(openers, labels)
  }

  private static func groups(
    of values: some Sequence<(String, Int)>,
    _ networks: [Network]
  ) throws(UsageError) -> [Group] {
    var groups: [Group] = []
    for (address, kind) in values {
      guard !groups.contains(where: { $0.addresses.contains(address) }) else {
        throw UsageError("'\(address)' is named twice")
      }
      if networks[kind].takesSeveral, let known = groups.firstIndex(where: { $0.kind == kind }) {
        groups[known].addresses.append(address)
      } else {
        groups.append(Group(kind: kind, addresses: [address]))
      }
    }
    return groups
  }

  /// Opens sources one after the other, and merges them; if one cannot be opened, none is.
  private static func merged(_ openers: [Opener], _ labels: [MergedInputs.Label]) -> Opener {
    { io in
      var opened: [Connection] = []
      do {
        for open in openers { opened.append(try await open(io)) }
      } catch {
        for connection in opened { connection.close() }
        throw error
      }
      let connections = opened
      let source = MergedSource(zip(connections, labels).map { .init($0.source, $1) })
      return Connection(
        source,
        drainRemarks: { connections.flatMap { $0.drainRemarks() } + source.drainRemarks() },
        unused: { sum(of: connections.flatMap { $0.unused() }) },
        close: {
          source.stop()
          for connection in connections { connection.close() }
        }
      )
    }
  }

  /// Adds the counts of each reason.
  private static func sum(of counts: [(name: String, count: Int)]) -> [(name: String, count: Int)] {
    counts.reduce(into: []) { sums, item in
      if let index = sums.firstIndex(where: { $0.name == item.name }) {
        sums[index].count += item.count
      } else {
        sums.append(item)
      }
    }
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
