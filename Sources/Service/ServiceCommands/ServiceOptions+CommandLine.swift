// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconService
internal import DBus

/// The bus that the service is on.
enum ServiceBusOption: String, CaseIterable, Sendable {
  case system, session

  /// The option that names it.
  static let option = CommandOption(
    "bus",
    .choice(of: ServiceBusOption.self),
    "The bus of the machine, or of this login (default: system)"
  )

  /// Returns the address.
  ///
  /// - Throws: ``CommandFailure`` without a session bus.
  func address(_ environment: [String: String]) throws -> BusAddress {
    switch self {
    case .system: return .system
    case .session:
      if let address = environment["DBUS_SESSION_BUS_ADDRESS"] { return BusAddress(address) }
      if let folder = environment["XDG_RUNTIME_DIR"] {
        return BusAddress("unix:path=\(folder)/bus")
      }
      throw CommandFailure(
        .unavailable,
        "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set"
      )
    }
  }
}

extension ServiceConnection {
  /// Connects to the service that a command line means, for some work.
  static func use<Value>(
    _ arguments: ParsedArguments,
    _ io: CommandIO,
    _ work: (ServiceConnection) async throws -> Value
  ) async throws -> Value {
    let bus = arguments[ServiceBusOption.option] ?? .system
    let address = try bus.address(io.environment)
    let connection: ServiceConnection
    do {
      connection = try await ServiceConnection(address)
    } catch let failure as BusFailure {
      throw CommandFailure(.unavailable, "the \(bus.rawValue) bus cannot be reached: \(failure)")
    }
    return try await connection.use(bus, work)
  }

  /// Does some work with the connection and closes it.
  func use<Value>(
    _ bus: ServiceBusOption,
    _ work: (ServiceConnection) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await work(self)
      await close()
      return value
    } catch let error as CallError {
      await close()
      throw Self.failure(error, bus)
    } catch {
      await close()
      throw error
    }
  }

  /// The meaning of a refused call to the user of a command.
  static func failure(_ error: CallError, _ bus: ServiceBusOption) -> CommandFailure {
    guard case .refused(let name, let message) = error else {
      return CommandFailure(.unavailable, "the service does not answer: \(error)")
    }
    if error.isWithoutOwner {
      return CommandFailure(
        .unavailable,
        "no service runs on the \(bus.rawValue) bus; 'beaconctl service run' starts one"
      )
    }
    let isRefused = name.hasSuffix(".NotAuthorized") || name.hasSuffix(".AccessDenied")
    return CommandFailure(isRefused ? .notPermitted : .failed, message.isEmpty ? name : message)
  }
}

extension AdditionalSource {
  /// The service, named with `--from service:` or `--from service:session`.
  package static let service = AdditionalSource(
    networkAt: { $0.hasPrefix(prefix) }
  ) { text, _ in
    let name = text.dropFirst(prefix.count)
    guard let bus = name.isEmpty ? .system : ServiceBusOption(rawValue: String(name)) else {
      throw UsageError("'\(text)' names no bus; write service: or service:session")
    }
    return { io in
      let source: ServiceSource
      do {
        source = try await ServiceSource(bus.address(io.environment))
      } catch let failure as BusFailure {
        throw CommandFailure(
          .unavailable,
          "the \(bus.rawValue) bus cannot be reached: \(failure)"
        )
      } catch let error as CallError {
        throw ServiceConnection.failure(error, bus)
      } catch is ServiceSource.Silence {
        throw CommandFailure(
          .unavailable,
          "the service on the \(bus.rawValue) bus gives no sightings"
        )
      }
      return Connection(source, drainRemarks: source.drainRemarks, close: source.stop)
    }
  }

  private static let prefix = "service:"
}
