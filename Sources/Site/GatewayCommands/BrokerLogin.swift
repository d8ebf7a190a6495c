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
  /// The longest password file: a password is not a document.
  private static let longestPassword = 4096

  /// Reads how a broker is reached.
  ///
  /// - Throws: ``UsageError`` for a wrong address, ``CommandFailure`` if a file cannot be read.
  static func access(
    _ text: String,
    _ arguments: ParsedArguments,
    _ io: CommandIO,
    clientID: (BrokerAddress) -> String
  ) throws -> BrokerAccess {
    let address: BrokerAddress
    do throws(BrokerAddress.Fault) {
      address = try BrokerAddress(parsing: text)
    } catch {
      throw UsageError("\(error)")
    }
    var access = BrokerAccess(address, clientID: clientID(address))
    let brokers = try LoadedConfiguration(arguments, from: io.configurations).brokers
    let settings = brokers["\(address.host):\(address.port)"] ?? brokers[address.host]
    access.user = settings?.user
    access.password = try password(settings?.passwordFile, io)
    access.authorities = settings?.authorities
    if let file = settings?.certificate, let key = settings?.key {
      access.certificate = (file, key)
    }
    for file in [access.authorities, access.certificate?.file, access.certificate?.key] {
      if let file { _ = try read(file) }
    }
    return access
  }

  private static func password(_ file: String?, _ io: CommandIO) throws -> String? {
    if let file {
      if let status = FileStatus(file), status.isRegular, status.mode & 0o077 != 0 {
        io.show("\(file) can be read by other accounts; chmod 600 it")
      }
      return try password(in: file)
    }
    guard let folder = io.environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
    let file = folder + "/mqtt-password"
    return FileStatus(file) == nil ? nil : try password(in: file)
  }

  private static func password(in file: String) throws -> String {
    let bytes = try read(file)
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    guard !line.isEmpty, line.count <= longestPassword, !line.contains(0) else {
      throw CommandFailure(.badData, "\(file): the first line is not a password")
    }
    return String(decoding: line, as: UTF8.self)
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
    case .tls(.unknownAuthority) where access.authorities == nil:
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
