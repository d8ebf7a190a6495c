// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD

/// Answers single requests on the server's thread.
final class RequestService: Sendable {
  private let hub: EventHub
  private let library: MicroHTTPD
  private let answer: @Sendable (WebRequest) -> WebResponse
  /// The host names that a request may have; `nil` for any.
  private let hosts: [String]?

  init(
    hub: EventHub,
    library: MicroHTTPD,
    answer: @escaping @Sendable (WebRequest) -> WebResponse,
    hosts: [String]?
  ) {
    self.hub = hub
    self.library = library
    self.answer = answer
    self.hosts = hosts
  }

  /// Answers one request.
  func serve(_ connection: OpaquePointer, path: String, method: String) -> MHD_Result {
    guard method == "GET" || method == "HEAD" else {
      return unsafe refuse(connection, 405, "only reading is possible here\n")
    }
    if let hosts {
      let host = unsafe value(of: "Host", .HEADER_KIND, on: connection)?.lowercased()
      guard let host, hosts.contains(host) else {
        return unsafe refuse(connection, 403, "ask for this machine as localhost\n")
      }
    }
    let languages = unsafe value(of: "Accept-Language", .HEADER_KIND, on: connection) ?? ""
    let request = unsafe WebRequest(
      path: path,
      query: query(of: connection),
      languages: WebRequest.languages(of: languages)
    )
    switch answer(request) {
    case .notFound: return unsafe refuse(connection, 404, "nothing is here\n")
    case .content(let bytes, let type):
      hub.count(refused: false)
      return unsafe send(bytes, type, 200, on: connection)
    case .events where method == "HEAD":
      hub.count(refused: false)
      return unsafe send([], "text/event-stream", 200, on: connection)
    case .events(let topic): return unsafe stream(topic, on: connection)
    }
  }

  private func refuse(_ connection: OpaquePointer, _ status: UInt32, _ text: String) -> MHD_Result {
    hub.count(refused: true)
    return unsafe send(Array(text.utf8), "text/plain; charset=utf-8", status, on: connection)
  }

  // MARK: Sending

  private func send(
    _ bytes: [UInt8],
    _ type: String,
    _ status: UInt32,
    on connection: OpaquePointer
  ) -> MHD_Result {
    var bytes = bytes
    let response = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe library.functions.create_response_from_buffer(
        buffer.count,
        buffer.baseAddress,
        .RESPMEM_MUST_COPY
      )
    }
    guard let response = unsafe response else { return MHD_Result.NO }
    defer { unsafe library.functions.destroy_response(response) }
    unsafe addHeaders(type, to: response)
    return unsafe library.functions.queue_response(connection, status, response)
  }

  private func stream(_ topic: String, on connection: OpaquePointer) -> MHD_Result {
    guard let stream = unsafe hub.open(topic, on: ConnectionHandle(connection, library)) else {
      return unsafe refuse(connection, 503, "too many readers; come back later\n")
    }
    hub.count(refused: false)
    let reader = unsafe Unmanaged.passRetained(StreamReader(stream, hub))
    let response = unsafe library.functions.create_response_from_callback(
      cmhd_size_unknown,
      4096,
      Self.read,
      reader.toOpaque(),
      Self.free
    )
    guard let response = unsafe response else {
      hub.close(stream)
      unsafe reader.release()
      return MHD_Result.NO
    }
    defer { unsafe library.functions.destroy_response(response) }
    unsafe addHeaders("text/event-stream", to: response)
    return unsafe library.functions.queue_response(connection, 200, response)
  }

  /// What the library keeps for a stream until its connection is closed.
  private final class StreamReader: Sendable {
    let stream: EventStream
    let hub: EventHub

    init(_ stream: EventStream, _ hub: EventHub) {
      self.stream = stream
      self.hub = hub
    }
  }

  private static let read: MHD_ContentReaderCallback = { context, _, buffer, most in
    guard let context = unsafe context, let buffer = unsafe buffer else {
      return cmhd_end_of_stream
    }
    let reader = unsafe Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
    return switch unsafe reader.stream.pull(into: buffer, upTo: most) {
    case .bytes(let count): count
    case .suspended: 0
    case .ended: cmhd_end_of_stream
    }
  }

  private static let free: MHD_ContentReaderFreeCallback = { context in
    guard let context = unsafe context else { return }
    let reader = unsafe Unmanaged<StreamReader>.fromOpaque(context).takeRetainedValue()
    reader.hub.close(reader.stream)
  }

  /// Adds the fields of every answer: no content from elsewhere, no caching, and no referrer.
  private func addHeaders(_ type: String, to response: OpaquePointer) {
    let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
      + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    let fields = [
      ("Content-Type", type), ("Content-Security-Policy", policy), ("Cache-Control", "no-store"),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    for (name, value) in fields {
      _ = unsafe library.functions.add_response_header(response, name, value)
    }
  }

  // MARK: Reading

  private func value(
    of name: String,
    _ kind: MHD_ValueKind,
    on connection: OpaquePointer
  ) -> String? {
    guard let text = unsafe library.functions.lookup_connection_value(connection, kind, name) else {
      return nil
    }
    return unsafe String(cString: text)
  }

  private func query(of connection: OpaquePointer) -> [String: String] {
    var found: [String: String] = [:]
    unsafe withUnsafeMutablePointer(to: &found) { place in
      _ = unsafe library.functions.get_connection_values(
        connection,
        .GET_ARGUMENT_KIND,
        { context, _, key, value in
          guard let context = unsafe context, let key = unsafe key else { return MHD_Result.YES }
          let found = unsafe context.assumingMemoryBound(to: [String: String].self)
          unsafe found.pointee[String(cString: key)] =
            value.map { unsafe String(cString: $0) } ?? ""
          return MHD_Result.YES
        },
        place
      )
    }
    return found
  }
}
