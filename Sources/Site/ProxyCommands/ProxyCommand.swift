// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconGateway
internal import Beacons
internal import ESPHomeAPI
internal import ESPHomeProxies
internal import SystemKit

/// `proxy`: this machine's radio as a Bluetooth proxy.
package struct ProxyCommand {
  private static let listen = CommandOption(
    "listen",
    .text("ADDRESS[:PORT]"),
    "Listen there (default: every address, port \(ProxyAddress.usualPort))"
  )
  private static let keyFile = CommandOption(
    "key-file",
    .file("FILE"),
    "The first line of this file is the key: 32 bytes in Base64, as 'openssl rand -base64 32' writes them"
  )
  private static let isInsecure = CommandFlag(
    "insecure",
    "Serve everybody in the network, without encryption"
  )
  private static let name = CommandOption(
    "name",
    .text("NAME"),
    "The name of the proxy (default: that of this machine)"
  )

  /// Returns the command `proxy`, which is a Bluetooth proxy for Home Assistant.
  ///
  /// `--from` can name Bluetooth proxies besides captures.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "proxy",
      "Be a Bluetooth proxy for Home Assistant",
      discussion: [
        "Sends each advertisement that is received to every subscriber, as a Bluetooth proxy of ESPHome does: Home Assistant"
          + " finds it by itself where Avahi runs, and asks for the key. It only listens: it connects to no device and sends"
          + " no scan requests.",
        "Whoever has the key gets what every device nearby sends, with its address. A key is never accepted from the network.",
      ],
      groups: [
        .source([Options.adapter, Options.via, Options.from, Options.steadySpeed]),
        OptionGroup("Proxy", [keyFile, isInsecure, listen, name]),
        .settings,
      ],
      exclusive: [["adapter", "from"], ["via", "from"], ["key-file", "insecure"]]
        + Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl proxy --key-file /etc/beacons/proxy-key",
          "Serve the adapters' reports"
        ),
        CommandExample(
          "beaconctl proxy --from esphome://kitchen.local --key-file key --name kitchen-again",
          "Pass on what another proxy sends, which has room for one subscriber"
        ),
      ]
    ) { arguments, io in try await run(arguments, sources, io) }
  }

  private static func run(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ io: CommandIO
  ) async throws -> ExitCode {
    var options = try RunOptions(
      arguments,
      from: io.configurations,
      sources: sources + [.sums]
    )
    options.output.format = OutputFormat.none
    if !options.isLive { options.speed = arguments[Options.steadySpeed].map(\.factor) ?? 1 }
    let key = arguments.has(isInsecure) ? nil : try APIKey(io, arguments[keyFile])
    guard key != nil || arguments.has(isInsecure) else {
      throw UsageError(
        "a proxy needs a key: name its file with --key-file, or write --insecure to serve everybody"
      )
    }
    let identity = try ProxyIdentity(named: arguments[name])
    let setup = ProxyKeeper.Setup(
      place: try arguments[listen].map(place),
      info: identity.info(isEncrypted: key != nil),
      key: key
    )
    options.participants.append { ProxyKeeper(setup, $0) }
    let code = try await EventRun.run(options, .sightings, io: io)
    return options.isLive && io.isInterrupted() ? .done : code
  }

  private static func place(_ text: String) throws -> (host: String?, port: UInt16) {
    if let port = UInt16(text.hasPrefix(":") ? String(text.dropFirst()) : text) {
      return (nil, port)
    }
    do throws(NetworkPlace.Fault) {
      let place = try NetworkPlace(parsing: text[...])
      return (place.host, place.port ?? ProxyAddress.usualPort)
    } catch {
      throw UsageError("--listen is ADDRESS[:PORT]: \(error)")
    }
  }
}

/// The name of a proxy, and its description of itself.
struct ProxyIdentity {
  /// The version of ESPHome whose messages these are: Home Assistant warns of proxies of before 2025.8.
  private static let version = "2026.7.0"
  /// The longest name, as of a host.
  private static let longestName = 31

  private let name: String

  /// - Parameter given: The user's name for it; `nil` for that of the machine.
  /// - Throws: ``UsageError``.
  init(named given: String?) throws {
    if let given {
      guard given == Self.hostName(given), !given.isEmpty else {
        throw UsageError(
          "'\(given)' is not the name of a proxy: up to \(Self.longestName) small letters, digits and '-'"
        )
      }
      name = given
    } else {
      let host = Self.hostName(HostName.current)
      name = host.isEmpty ? "beacons" : host
    }
  }

  /// Returns the characters of a text that names of hosts have.
  private static func hostName(_ text: String) -> String {
    let first = text.prefix { $0 != "." }.lowercased()
    let kept = first.utf8.filter { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
    return String(decoding: kept.prefix(longestName), as: UTF8.self)
  }

  func info(isEncrypted: Bool) -> DeviceInfo {
    var info = DeviceInfo()
    (info.name, info.friendlyName) = (name, name)
    info.version = Self.version
    (info.model, info.manufacturer) = ("Linux", "Beacons")
    info.project = ("swift-beacons.beaconctl", Library.version)
    info.features = [.passiveScan, .rawAdvertisements, .stateAndMode]
    info.isEncrypted = isEncrypted
    info.address = address(of: 0)
    info.bluetoothAddress = address(of: 1)
    return info
  }

  /// Returns an address by which Home Assistant knows the proxy again: always the same for the machine and the name, and
  /// by its second bit not that of any device.
  private func address(of number: UInt64) -> String {
    let machine = (try? WholeFile.read("/etc/machine-id")) ?? []
    let hash = SodiumLibrary.number(of: name, onMachine: machine)
    let bits = (hash >> 16 & ~0x0300_0000_0001) | 0x0200_0000_0000 | number
    return DeviceAddress(bits & 0xFFFF_FFFF_FFFF, kind: .publicDevice).text
  }
}
