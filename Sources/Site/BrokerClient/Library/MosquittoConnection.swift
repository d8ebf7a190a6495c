// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconGateway
internal import CMosquitto
internal import Glibc
internal import SystemKit

/// How a client reaches its broker.
package struct BrokerAccess: Sendable {
  /// The broker's address.
  package var address: BrokerAddress
  /// The client's identifier; the broker ends an older connection of the same one.
  package var clientID: String
  /// The account.
  package var user: String?
  /// The password.
  package var password: String?
  /// A file with the authorities that may have signed the broker's certificate; `nil` for those of the system.
  package var authorities: String?
  /// A file with our certificate, and one with its key.
  package var certificate: (file: String, key: String)?
  /// The broker's message when the connection is lost.
  package var will: GatewayMessage?

  package init(_ address: BrokerAddress, clientID: String) {
    self.address = address
    self.clientID = clientID
  }
}

/// One connection to a broker, from the first packet to the last; a new attempt is a new object.
///
/// It is made on a separate thread, since the library waits there; from then on only the thread that polls uses it.
@safe
final class MosquittoConnection: @unchecked Sendable {
  /// What happened on the connection.
  enum Event: Sendable {
    case connected
    case failed(BrokerFault)
    case published(Int32, isRefused: Bool)
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// A payload that is too long was not read.
    case tooLong(topic: String)
  }

  /// The values that the library's callbacks write; they run within calls of the library.
  private final class Events {
    var list: [Event] = []
    var lastError = ""
    /// OpenSSL's verdict on the broker's certificate, which is lost with the connection; 0 without one.
    var verdict = 0
    /// Whether the broker has accepted the connection.
    var hasConnected = false
    /// Whether the broker ended the connection because another client connected by the same name.
    var wasTakenOver = false
    let functions: cmqtt_functions

    init(_ functions: cmqtt_functions) { self.functions = functions }

    /// Notes an error of the library.
    func note(_ text: String, of handle: OpaquePointer?) {
      lastError = text
      // The library checks the name by itself.
      if text.includes("host name verification failed") { verdict = Self.otherName }
      guard verdict == 0, let handle = unsafe handle, let get = unsafe functions.ssl_get_,
        let read = unsafe functions.verify_result_, let connection = unsafe get(handle)
      else { return }
      verdict = unsafe read(connection)
    }

    /// `X509_V_ERR_HOSTNAME_MISMATCH`.
    private static let otherName = 62
  }

  /// How often the library sends a sign of life; a broker that is gone without a word is noticed after 1.5 times that.
  private static let keepAlive: Int32 = 15
  /// The broker waits so long before it reports the gateway as offline: shorter than a restart.
  private static let willDelay: UInt32 = 10
  /// The most bytes that wait for a broker that does not read: the library keeps all of them in memory.
  private static let unsentLimit = 1 << 20
  /// The longest packet that the broker may send, if it knows of limits.
  private static let longestPacket = UInt32(IncomingMessage.longest) + 1024

  private let library: MosquittoLibrary
  private let handle: OpaquePointer
  private let events: Events
  private let version: BrokerMachine.MQTTVersion
  private let access: BrokerAccess
  /// Checks the packets of an unencrypted connection; of an encrypted one only the library has the bytes.
  private var checked: CheckedSocket?
  /// The bytes that were handed over since the system last took everything.
  private var unsent = 0

  /// - Throws: ``BrokerClientError/noLibrary``.
  init(
    _ access: BrokerAccess,
    _ version: BrokerMachine.MQTTVersion
  ) throws(BrokerClientError) {
    library = try MosquittoLibrary.load()
    self.version = version
    self.access = access
    events = Events(library.functions)
    let context = unsafe Unmanaged.passUnretained(events).toOpaque()
    // A broker that delays a will does so only for a session that outlives its connection.
    let isClean = version == .v311 || access.will == nil
    guard let handle = unsafe library.functions.new_(access.clientID, isClean, context) else {
      throw .noThread
    }
    unsafe self.handle = handle
  }

  deinit { unsafe library.functions.destroy_(handle) }

  /// Connects; waits until the host has answered.
  ///
  /// - Returns: Why it failed; `nil` if the connection is on its way.
  func open() -> BrokerFault? {
    let functions = library.functions
    unsafe setCallbacks(functions)
    _ = unsafe functions.int_option_(handle, MOSQ_OPT_PROTOCOL_VERSION, version.rawValue)
    _ = unsafe functions.int_option_(handle, MOSQ_OPT_TCP_NODELAY, 1)
    if access.user != nil || access.password != nil {
      _ = unsafe functions.username_pw_set_(handle, access.user ?? "", access.password)
    }
    if let fault = setEncryption() { return fault }
    setWill()
    var properties: OpaquePointer?
    if version == .v5 {
      _ = unsafe functions.property_add_int32_(
        &properties,
        Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
        Self.longestPacket
      )
      if access.will != nil {
        _ = unsafe functions.property_add_int32_(
          &properties,
          Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue),
          Self.willDelay
        )
      }
    }
    let code = unsafe functions.connect_bind_v5_(
      handle,
      access.address.host,
      Int32(access.address.port),
      Self.keepAlive,
      nil,
      properties
    )
    let error = errno
    unsafe functions.property_free_all_(&properties)
    return code == MOSQ_SUCCESS ? checkSocket() : fault(code, error)
  }

  private func checkSocket() -> BrokerFault? {
    guard !access.address.isEncrypted, let socket = descriptor else { return nil }
    checked = CheckedSocket(socket, PacketCheck(version, longest: Int(Self.longestPacket)))
    return checked == nil ? .unreachable("the system has no descriptor left") : nil
  }

  private func setEncryption() -> BrokerFault? {
    guard access.address.isEncrypted else { return nil }
    let functions = library.functions
    if access.authorities == nil {
      _ = unsafe functions.int_option_(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
    }
    let folder = access.authorities == nil ? "/etc/ssl/certs" : nil
    let code = unsafe functions.tls_set_(
      handle,
      access.authorities,
      folder,
      access.certificate?.file,
      access.certificate?.key,
      nil
    )
    guard code != MOSQ_SUCCESS else { return nil }
    return .tls(.unreadableFile)
  }

  private func setWill() {
    guard let will = access.will else { return }
    let functions = library.functions
    let count = Int32(will.payload.count)
    if version == .v5 {
      var properties: OpaquePointer?
      _ = unsafe functions.property_add_int32_(
        &properties,
        Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue),
        Self.willDelay
      )
      // The library keeps the properties.
      _ = unsafe functions.will_set_v5_(
        handle,
        will.topic,
        count,
        will.payload,
        1,
        true,
        properties
      )
    } else {
      _ = unsafe functions.will_set_(handle, will.topic, count, will.payload, 1, true)
    }
  }

  @unsafe
  private func setCallbacks(_ functions: cmqtt_functions) {
    unsafe functions.connect_v5_callback_set_(handle) { _, context, code, _, _ in
      guard let events = unsafe MosquittoConnection.events(context) else { return }
      events.hasConnected = events.hasConnected || code == 0
      events.list.append(code == 0 ? .connected : .failed(MosquittoConnection.refusal(code)))
    }
    unsafe functions.disconnect_v5_callback_set_(handle) { _, context, reason, _ in
      guard let events = unsafe MosquittoConnection.events(context) else { return }
      events.wasTakenOver =
        events.wasTakenOver || reason == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue)
    }
    unsafe functions.publish_v5_callback_set_(handle) { _, context, message, reason, _ in
      guard let events = unsafe MosquittoConnection.events(context) else { return }
      events.list.append(.published(message, isRefused: reason >= 128))
    }
    unsafe functions.message_callback_set_(handle) { _, context, message in
      guard let events = unsafe MosquittoConnection.events(context),
        let message = unsafe message?.pointee, let name = unsafe message.topic
      else { return }
      let topic = unsafe String(cString: name)
      let count = Int(unsafe message.payloadlen)
      guard count <= IncomingMessage.longest else {
        events.list.append(.tooLong(topic: topic))
        return
      }
      var payload: [UInt8] = []
      if let start = unsafe message.payload, count > 0 {
        payload = unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
      }
      let isRetained = unsafe message.retain
      events.list.append(.message(topic: topic, payload: payload, isRetained: isRetained))
    }
    unsafe functions.log_callback_set_(handle) { handle, context, level, text in
      guard level == MOSQ_LOG_ERR, let text = unsafe text,
        let events = unsafe MosquittoConnection.events(context)
      else { return }
      unsafe events.note(String(cString: text), of: handle)
    }
  }

  @unsafe
  private static func events(_ context: UnsafeMutableRawPointer?) -> Events? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<Events>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: Faults

  /// Why a broker refuses, by the codes of both versions of MQTT.
  private static func refusal(_ code: Int32) -> BrokerFault {
    switch code {
    case 1, 132: .otherProtocol("it speaks another version of MQTT")
    case 4, 134, 140: .wrongPassword
    case 5, 135, 138: .notAuthorized
    case 2, 133: .refused("it does not accept the name of this client")
    case 3, 136, 137: .refused("it is not available now")
    case 151, 159: .refused("it accepts no more connections now")
    default: .refused("code \(code)")
    }
  }

  private func fault(_ code: Int32, _ error: Int32) -> BrokerFault {
    let host = access.address.host
    switch code {
    case _ where events.wasTakenOver:
      return .lost(
        "another client of the broker connected as '\(access.clientID)'; give each gateway another name, and let the"
          + " broker take the account for the client's name (mosquitto: use_username_as_clientid true)"
      )
    case MOSQ_EAI: return .unknownHost(host)
    // A broker that was killed ends an encrypted connection with an error as well.
    case _ where events.hasConnected && access.address.isEncrypted:
      return .lost("the broker ended it")
    case MOSQ_TLS, MOSQ_TLS_HANDSHAKE: return .tls(encryptionFault)
    case _ where access.address.isEncrypted && !tlsWords.isEmpty: return .tls(encryptionFault)
    case MOSQ_ERRNO:
      if error == EPROTO { return .tls(.other("")) }
      // Something answered, and ended the connection.
      if error == 0 { return .otherProtocol("another server answers") }
      // Version 2.1 of the library closes the socket first, and so loses the reason.
      if error == EBADF { return .unreachable("the connection was refused, or it ended at once") }
      return .unreachable(unsafe String(cString: Glibc.strerror(error)))
    case MOSQ_PROTOCOL, MOSQ_MALFORMED: return .otherProtocol("what answers is no broker")
    case MOSQ_LOST where checked?.error ?? 0 != 0:
      return .unreachable(unsafe String(cString: Glibc.strerror(checked?.error ?? 0)))
    case MOSQ_LOST:
      guard !events.hasConnected, !access.address.isEncrypted else {
        return .lost(
          "the broker ended it; if it does so again and again, another client has the name '\(access.clientID)'"
        )
      }
      return .lost("the broker ended it without an answer; if it wants TLS, write mqtts://")
    default: return .lost(text(of: code))
    }
  }

  private func text(of code: Int32) -> String {
    guard let text = library.functions.strerror_(code) else { return "code \(code)" }
    return unsafe String(cString: text)
  }

  private var encryptionFault: EncryptionFault {
    EncryptionFault(verdict: events.verdict, words: tlsWords) ?? EncryptionFault(words: tlsWords)
  }

  /// The last error of OpenSSL, without its numbers.
  private var tlsWords: String {
    let text = events.lastError
    guard text.includes("SSL") || text.includes("certificate") else { return "" }
    return text.split(separator: ":").last.map { String($0) } ?? ""
  }

  // MARK: Use

  /// The descriptor to poll; `nil` after the end.
  var descriptor: Int32? {
    let descriptor = unsafe library.functions.socket_(handle)
    return descriptor < 0 ? nil : checked?.descriptor ?? descriptor
  }

  /// Whether the descriptor is to be polled for writing.
  var wantsToWrite: Bool {
    unsafe library.functions.want_write_(handle) || checked?.wantsToWrite ?? false
  }

  /// Reads and writes what can be, and keeps the connection alive; returns what happened.
  func advance(canRead: Bool, canWrite: Bool) -> [Event] {
    defer {
      checked?.forward()
      events.list = []
    }
    var (code, error) = (MOSQ_SUCCESS, Int32(0))
    let functions = library.functions
    if canRead {
      (code, error) = read()
      if code == MOSQ_SUCCESS, !(checked?.isValid ?? true) {
        return events.list + [.failed(.otherProtocol("it sends packets that are not valid"))]
      }
    }
    if code == MOSQ_SUCCESS, canWrite || wantsToWrite {
      code = unsafe functions.loop_write_(handle, 1)
      error = errno
    }
    if code == MOSQ_SUCCESS {
      code = unsafe functions.loop_misc_(handle)
      error = errno
    }
    if !wantsToWrite { unsent = 0 }
    let refused = events.list.contains { if case .failed = $0 { true } else { false } }
    if code != MOSQ_SUCCESS, !refused { events.list.append(.failed(fault(code, error))) }
    return events.list
  }

  /// Lets the library read the bytes that have arrived; returns its result.
  private func read() -> (code: Int32, error: Int32) {
    events.list += checked?.receive().map { .tooLong(topic: $0) } ?? []
    while true {
      checked?.handOver()
      // At an end within a packet the library looks at the last error, which may be another call's.
      errno = 0
      let code = unsafe library.functions.loop_read_(handle, 1)
      let error = errno
      guard code == MOSQ_SUCCESS, checked?.hasUnread ?? false else { return (code, error) }
    }
  }

  /// Whether the broker reads our messages.
  var hasRoom: Bool { unsent < Self.unsentLimit }

  /// Hands over a message; returns its number, `nil` if the connection does not take it.
  func publish(_ topic: String, _ payload: [UInt8], atLeastOnce: Bool, retained: Bool) -> Int32? {
    var message: Int32 = 0
    let code = unsafe library.functions.publish_(
      handle,
      &message,
      topic,
      Int32(clamping: payload.count),
      payload,
      atLeastOnce ? 1 : 0,
      retained
    )
    checked?.forward()
    unsent = wantsToWrite ? unsent + topic.utf8.count + payload.count : 0
    return code == MOSQ_SUCCESS ? message : nil
  }

  /// Asks for the messages of some topics.
  func subscribe(_ topic: String) {
    _ = unsafe library.functions.subscribe_(handle, nil, topic, 0)
    checked?.forward()
  }

  /// Disconnects, so that the broker does not report us as lost.
  func close() {
    _ = unsafe library.functions.disconnect_(handle)
    checked?.forward()
  }
}

// The names of the library's results, which C has as an enumeration.
private let MOSQ_SUCCESS = Int32(MOSQ_ERR_SUCCESS.rawValue)
private let MOSQ_PROTOCOL = Int32(MOSQ_ERR_PROTOCOL.rawValue)
private let MOSQ_LOST = Int32(MOSQ_ERR_CONN_LOST.rawValue)
private let MOSQ_TLS = Int32(MOSQ_ERR_TLS.rawValue)
private let MOSQ_ERRNO = Int32(MOSQ_ERR_ERRNO.rawValue)
private let MOSQ_EAI = Int32(MOSQ_ERR_EAI.rawValue)
private let MOSQ_MALFORMED = Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue)
private let MOSQ_TLS_HANDSHAKE = Int32(MOSQ_ERR_TLS_HANDSHAKE.rawValue)
