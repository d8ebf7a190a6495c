// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconGateway
internal import ESPHomeAPI
internal import ESPHomeProxies
internal import SystemKit

extension AdditionalSource {
  /// Bluetooth proxies, each named with `--from esphome://HOST`.
  package static let proxies = AdditionalSource(
    networksAt: ProxyAddress.isAddress
  ) { texts, arguments in
    let addresses: [ProxyAddress]
    do throws(NetworkPlace.Fault) {
      addresses = try texts.map { text throws(NetworkPlace.Fault) in
        try ProxyAddress(parsing: text)
      }
    } catch {
      throw UsageError("a proxy's address is esphome://HOST[:PORT]: \(error)")
    }
    guard Set(addresses).count == addresses.count else {
      throw UsageError("a proxy is named twice")
    }
    guard addresses.count <= ProxyReception.receiverLimit else {
      throw UsageError("a run can have \(ProxyReception.receiverLimit) proxies")
    }
    return { io in
      let settings = try LoadedConfiguration(arguments, from: io.configurations).proxies
      let accesses = try addresses.map { address in
        let own = settings["\(address.host):\(address.port)"] ?? settings[address.host]
        return ProxyAccess(address, try APIKey(io, own?.keyFile))
      }
      let source: ESPHomeSource
      do {
        source = try await ESPHomeSource(accesses)
      } catch let error as ESPHomeError {
        throw CommandFailure(error)
      } catch let error as SodiumLibrary.Missing {
        throw CommandFailure(.unavailable, "\(error)")
      } catch let error as SystemError {
        throw CommandFailure(error)
      }
      return Connection(
        source,
        drainRemarks: source.drainRemarks,
        unused: { source.drops.occurred.map { ("\($0.reason)", $0.count) } },
        close: source.stop
      )
    }
  }
}

extension AdditionalSource {
  /// Live sources that a proxy cannot pass on.
  static let sums = AdditionalSource(
    networkAt: { address in ["service:", "mqtt://", "mqtts://"].contains { address.hasPrefix($0) } }
  ) { address, _ in
    throw UsageError(
      "'\(address)' sends sums of iBeacons, without addresses; without --from a proxy receives by itself, also next to the service"
    )
  }
}

extension APIKey {
  /// The systemd credential that has the key.
  private static let credential = "esphome-key"

  /// Reads the key of a file, or of the credential; `nil` without both.
  ///
  /// - Throws: ``CommandFailure``.
  init?(_ io: CommandIO, _ file: String?) throws(CommandFailure) {
    guard let secret = try io.secret(file, or: Self.credential) else { return nil }
    guard let key = APIKey(secret.bytes) else {
      throw CommandFailure(
        .badData,
        "\(secret.path): the first line is not a key: 32 bytes in Base64, 44 characters, as 'openssl rand -base64 32' writes them"
      )
    }
    self = key
  }
}

extension CommandFailure {
  fileprivate init(_ error: ESPHomeError) {
    let remedy =
      switch error.fault {
      case .api(.encryptionRequired), .api(.wrongKey):
        "; 'proxies' of the configuration names the file of its key"
      default: ""
      }
    self.init(error.fault.isPermanent ? .notPermitted : .unavailable, error.description + remedy)
  }
}
