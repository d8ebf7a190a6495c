// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus

/// A private libdbus connection, closed when it goes out of scope.
///
/// Only the thread that created it may use it.
///
/// This code pops messages instead of letting libdbus dispatch them. So C calls no Swift callback, calls have our own
/// deadlines, and libdbus never runs the code that ends the process when the connection is lost.
@safe
struct RawConnection: ~Copyable {
  /// The most bytes of one message: 128 MiB, the most that D-Bus allows.
  ///
  /// A longer message ends the connection, and on a system bus every program may send a signal to every other. So only
  /// the bus may refuse a message: a system bus passes on at most 32 MiB. The memory is freed with the message.
  static let maximumMessageBytes = 128 << 20
  /// The most bytes of messages that were received and not yet freed: 8 MiB.
  ///
  /// With more, the loop first handles its messages.
  static let maximumReceivedBytes = 8 << 20
  /// The most characters kept of an error text from libdbus.
  private static let maximumErrorText = 200

  private static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"

  private let raw: OpaquePointer
  /// The socket, to wait on.
  let descriptor: Int32

  /// The most descriptors of one message, where descriptors may come; a bus passes on at most 16.
  private static let maximumDescriptors = 64
  /// With so many descriptors in messages not yet freed, the loop first handles its messages: without one for the next message
  /// the connection would end.
  private static let mostReceived = 16

  /// Connects, without waiting for the other end to answer.
  ///
  /// - Parameters:
  ///   - address: The bus.
  ///   - takesDescriptors: Whether messages may carry descriptors. One that does is otherwise the end of the connection,
  ///     since the system has dropped them; a program whose objects anyone may call must take them, and closes them.
  /// - Throws: ``BusFailure/cannotConnect(_:)`` or ``BusFailure/forbidden(_:)`` with libdbus's text.
  init(to address: BusAddress, takesDescriptors: Bool) throws(BusFailure) {
    // Without this call libdbus does not lock the data that its connections share. Calling it twice is harmless.
    _ = dbus_threads_init_default()
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    guard let raw = unsafe dbus_connection_open_private(address.text, &error) else {
      let text = unsafe error.message.map { unsafe String(cString: $0) } ?? ""
      let start = text.unicodeScalars.prefix(Self.maximumErrorText)
      let reason = String(String.UnicodeScalarView(start))
      // Set for the system's errors EACCES and EPERM.
      let isForbidden = unsafe dbus_error_has_name(&error, Self.accessDenied) != 0
      throw isForbidden ? .forbidden(reason) : .cannotConnect(reason)
    }
    unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
    unsafe dbus_connection_set_max_message_size(raw, Self.maximumMessageBytes)
    unsafe dbus_connection_set_max_received_size(raw, Self.maximumReceivedBytes)
    let descriptors = takesDescriptors ? Self.maximumDescriptors : 0
    unsafe dbus_connection_set_max_message_unix_fds(raw, descriptors)
    // One, not zero: libdbus stops reading when it holds the allowed number of descriptors, and with zero that is at
    // once.
    unsafe dbus_connection_set_max_received_unix_fds(raw, takesDescriptors ? Self.mostReceived : 1)
    var descriptor: Int32 = -1
    guard unsafe dbus_connection_get_unix_fd(raw, &descriptor) != 0 else {
      unsafe dbus_connection_close(raw)
      unsafe dbus_connection_unref(raw)
      throw .cannotConnect("not a socket")
    }
    unsafe self.raw = unsafe raw
    self.descriptor = descriptor
  }

  deinit {
    unsafe dbus_connection_close(raw)
    unsafe dbus_connection_unref(raw)
  }

  /// Whether the other end is still connected.
  var isConnected: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }
  /// Whether authentication has succeeded, so that messages can be sent.
  var isAuthenticated: Bool { unsafe dbus_connection_get_is_authenticated(raw) != 0 }
  /// Whether messages are pending to be sent.
  var hasMessagesToSend: Bool { unsafe dbus_connection_has_messages_to_send(raw) != 0 }

  /// How many bytes of messages wait to be sent.
  var outgoingBytes: Int { unsafe dbus_connection_get_outgoing_size(raw) }

  /// Reads and writes as much as is possible without waiting.
  func transfer() {
    unsafe dbus_connection_read_write(raw, 0)
  }

  /// Returns the next received message.
  func nextMessage() -> Message? {
    unsafe Message(owning: dbus_connection_pop_message(raw))
  }

  /// Queues a message for the next transfer and returns its serial number; `nil` if memory is short.
  func send(_ message: borrowing Message) -> UInt32? {
    var serial: UInt32 = 0
    return unsafe dbus_connection_send(raw, message.raw, &serial) != 0 ? serial : nil
  }
}
