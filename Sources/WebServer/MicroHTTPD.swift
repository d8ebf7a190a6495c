// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD

/// The C library, loaded when the first server starts and kept loaded from then on.
@safe
struct MicroHTTPD: @unchecked Sendable {
  // Addresses of functions, which never change.
  let functions: cmhd_functions

  private static let loaded: MicroHTTPD? = {
    var functions = cmhd_functions()
    guard unsafe cmhd_load(&functions) else { return nil }
    return MicroHTTPD(functions: functions)
  }()

  /// Returns the library.
  ///
  /// - Throws: ``WebServerError/failed(_:)`` where this machine does not have it.
  static func load() throws(WebServerError) -> MicroHTTPD {
    guard let loaded else {
      throw .failed("libmicrohttpd.so.12 is missing (Debian: libmicrohttpd12)")
    }
    return loaded
  }
}
