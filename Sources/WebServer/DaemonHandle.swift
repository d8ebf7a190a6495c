// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// The C library's server and its callbacks.
final class DaemonHandle: Sendable {
  /// The library's pointer, which is given back once.
  @safe private struct Raw: @unchecked Sendable {
    // The library locks what it needs to; stopping is the only call, and is made once.
    let daemon: OpaquePointer
  }

  private let raw: Mutex<Raw?>
  private let service: RequestService
  private let library: MicroHTTPD

  /// Seconds after which a connection without a request is closed; one whose stream is suspended stays open.
  private static let timeout = 30
  /// Bytes of memory for a connection: a request's fields may take half of it.
  private static let memory = 32_768

  init(
    _ socket: ListeningSocket,
    _ service: RequestService,
    _ library: MicroHTTPD,
    connections: Int
  ) throws(WebServerError) {
    self.service = service
    self.library = library
    let flags =
      MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    var options = unsafe [
      MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(socket.descriptor), ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_LIMIT, value: connections, ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: Self.timeout, ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: Self.memory, ptr_value: nil),
      MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
    ]
    // This handle keeps the service, and stops the server before it is released.
    let context = unsafe Unmanaged.passUnretained(service).toOpaque()
    var functions = library.functions
    let daemon = unsafe cmhd_start(&functions, flags, Self.handle, context, &options)
    guard let daemon = unsafe daemon else {
      close(socket.descriptor)
      throw .failed("libmicrohttpd cannot start a server")
    }
    raw = unsafe Mutex(Raw(daemon: daemon))
  }

  /// Stops the server; its streams must have been ended.
  func stop() {
    let raw = raw.withLock { raw in
      defer { raw = nil }
      return raw
    }
    if let raw { unsafe library.functions.stop_daemon(raw.daemon) }
  }

  private static let handle: MHD_AccessHandlerCallback = {
    context,
    connection,
    path,
    method,
    _,
    _,
    _,
    _ in
    guard let context = unsafe context, let connection = unsafe connection, let path = unsafe path,
      let method = unsafe method
    else { return .NO }
    let service = unsafe Unmanaged<RequestService>.fromOpaque(context).takeUnretainedValue()
    return unsafe service.serve(
      connection,
      path: String(cString: path),
      method: String(cString: method)
    )
  }
}
