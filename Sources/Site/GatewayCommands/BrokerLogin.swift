// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconFormats
internal import BeaconGateway
internal import BrokerClient
internal import SystemKit

/// How a broker is reached: by its address, and by the configuration of its host.
enum BrokerLogin {
  /// Reads a broker's address.
  ///
  /// - Throws: ``UsageError`` for a wrong one.
  static func address(_ text: String) throws(UsageError) -> BrokerAddress {
    do throws(BrokerAddress.Fault) {
      return try BrokerAddress(parsing: text)
    } catch {
      throw UsageError("\(error)")
    }
  }

  /// Reads how a broker is reached.
  ///
  /// - Throws: ``UsageError`` for a wrong address, ``CommandFailure`` if a file cannot be read.
  static func access(
    _ text: String,
    _ arguments: ParsedArguments,
    _ io: CommandIO,
    clientID: (BrokerAddress) -> String
  ) throws -> BrokerAccess {
    let address = try address(text)
    var access = BrokerAccess(address, clientID: clientID(address))
    let brokers = try LoadedConfiguration(arguments, from: io.configurations).brokers
    let settings = brokers["\(address.host):\(address.port)"] ?? brokers[address.host]
    access.user = settings?.user
    access.password = try io.secret(settings?.passwordFile, or: "mqtt-password").map(\.text)
    access.authorities = settings?.authorities
    if let file = settings?.certificate, let key = settings?.key {
      access.certificate = (file, key)
    }
    for file in [access.authorities, access.certificate?.file, access.certificate?.key] {
      if let file { _ = try read(file) }
    }
    return access
  }

  private static func read(_ file: String) throws -> [UInt8] {
    do throws(SystemError) {
      return try WholeFile.read(file)
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension CommandFailure {
  /// A broker's client cannot start.
  init(_ error: BrokerClientError) {
    self.init(.unavailable, "\(error)")
  }

  /// A broker cannot be used.
  init(_ fault: BrokerFault, _ access: BrokerAccess) {
    let code: ExitCode =
      switch fault {
      case .wrongPassword, .notAuthorized: .notPermitted
      default: .unavailable
      }
    self.init(code, fault.remedy(access))
  }
}

extension BrokerFault {
  /// A sentence with the reason, and with the remedy of a user of the command.
  func remedy(_ access: BrokerAccess) -> String {
    switch self {
    case .wrongPassword where access.user == nil, .notAuthorized where access.user == nil:
      sentence(access) + "; 'brokers' of the configuration names it"
    case .tls(.unknownAuthority) where access.authorities == nil,
      .tls(.ownAuthority) where access.authorities == nil:
      sentence(access) + "; 'ca' in 'brokers' of the configuration can name one of your own"
    case .tls(.wantsCertificate) where access.certificate == nil:
      sentence(access) + "; 'certificate' and 'key' in 'brokers' of the configuration name it"
    default: sentence(access)
    }
  }
}

extension AdditionalSource {
  /// A broker, named with `--from mqtt://HOST/SITE`.
  package static let broker = AdditionalSource(
    networkAt: BrokerAddress.isAddress
  ) { text, arguments in
    guard
      (try? BrokerAddress(parsing: text))?.site != nil || (try? BrokerAddress(parsing: text)) == nil
    else {
      throw UsageError("'\(text)' names no site; write mqtt://HOST/SITE")
    }
    return { io in
      let access = try BrokerLogin.access(text, arguments, io) { _ in BrokerSource.newClientID }
      guard let site = access.address.site else { throw UsageError("'\(text)' names no site") }
      let source: BrokerSource
      do {
        source = try await BrokerSource(access, site)
      } catch let error as BrokerClientError {
        throw CommandFailure(error)
      } catch let error as BrokerError {
        throw CommandFailure(error.fault, access)
      }
      return Connection(
        source,
        drainRemarks: {
          source.remarks().map { remark in
            switch remark {
            case .text(let text): text
            case .failed(let fault): fault.remedy(access) + "; trying again"
            }
          }
        },
        unused: { source.unused },
        close: source.stop
      )
    }
  }
}
