// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconGateway
internal import CMosquitto

/// The C library, loaded when the first broker is used and kept loaded from then on.
@safe
struct MosquittoLibrary: @unchecked Sendable {
  // Addresses of functions, which never change.
  let functions: cmqtt_functions

  private static let loaded: MosquittoLibrary? = {
    var functions = cmqtt_functions()
    guard unsafe cmqtt_load(&functions) else { return nil }
    return MosquittoLibrary(functions: functions)
  }()

  /// Returns the library.
  ///
  /// - Throws: ``BrokerClientError/noLibrary`` if this machine does not have it.
  static func load() throws(BrokerClientError) -> MosquittoLibrary {
    guard let loaded else { throw .noLibrary }
    return loaded
  }

  /// Returns the newest version of MQTT that is safe with a broker.
  ///
  /// Before 2.0.16 the library ends the process at a property that MQTT 5 does not know. ``PacketCheck`` keeps those away, except
  /// on an encrypted connection, of which only the library has the bytes. MQTT 3.1.1 has no properties.
  static func newest(for access: BrokerAccess) -> BrokerMachine.MQTTVersion {
    guard access.address.isEncrypted, let loaded else { return .v5 }
    var (major, minor, revision) = (Int32(0), Int32(0), Int32(0))
    _ = unsafe loaded.functions.lib_version_(&major, &minor, &revision)
    return (major, minor, revision) < (2, 0, 16) ? .v311 : .v5
  }
}

/// Why a broker's client cannot start.
package enum BrokerClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// This machine does not have the library.
  case noLibrary
  /// Another process uses the folder of the spool.
  case inUse(String, String)
  /// Another account could change the spool.
  case folder(String)
  /// The system has no thread or pipe left.
  case noThread

  package var description: String {
    switch self {
    case .noLibrary: "libmosquitto.so.1 is missing (Debian: libmosquitto1)"
    case .inUse(let folder, let holder): "\(holder) uses the spool in \(folder)"
    case .folder(let reason): "the spool is not used: \(reason)"
    case .noThread: "the system has no thread left"
    }
  }
}
