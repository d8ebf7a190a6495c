// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus

/// A libdbus message, released when it goes out of scope.
@safe
package struct Message: ~Copyable {
  /// The kind of a message.
  package enum Kind: Sendable {
    case call
    case answer
    case failure
    case signal
  }

  /// The most characters kept of another program's error text, so that it does not fill a log or the screen.
  private static let maximumErrorText = 200

  let raw: OpaquePointer

  /// Takes over a reference.
  init?(owning raw: OpaquePointer?) {
    guard let raw = unsafe raw else { return nil }
    unsafe self.raw = unsafe raw
  }

  deinit { unsafe dbus_message_unref(raw) }

  /// The kind; `nil` if it is unknown.
  package var kind: Kind? {
    switch unsafe dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .answer
    case DBUS_MESSAGE_TYPE_ERROR: .failure
    case DBUS_MESSAGE_TYPE_SIGNAL: .signal
    default: nil
    }
  }

  /// The serial number of the call that this message answers; 0 if it is not an answer.
  package var answeredSerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }

  /// The serial number that the sender gave it.
  var serial: UInt32 { unsafe dbus_message_get_serial(raw) }

  /// Whether the caller wants an answer.
  package var wantsAnswer: Bool { unsafe dbus_message_get_no_reply(raw) == 0 }

  /// The unique name of the sender, which the bus added.
  package var sender: String? {
    unsafe dbus_message_get_sender(raw).map { unsafe String(cString: $0) }
  }

  /// The path of the object that sent the signal or that is called.
  package var path: String? {
    unsafe dbus_message_get_path(raw).map { unsafe String(cString: $0) }
  }

  /// The interface of the method or signal.
  package var interface: String? {
    unsafe dbus_message_get_interface(raw).map { unsafe String(cString: $0) }
  }

  /// The name of the method or signal.
  package var member: String? {
    unsafe dbus_message_get_member(raw).map { unsafe String(cString: $0) }
  }

  /// The types of its arguments.
  package var signature: String {
    unsafe dbus_message_get_signature(raw).map { unsafe String(cString: $0) } ?? ""
  }

  /// Whether its arguments have exactly these types.
  package func hasSignature(_ signature: StaticString) -> Bool {
    guard let here = unsafe dbus_message_get_signature(raw) else { return false }
    return unsafe CText.areEqual(here, signature)
  }

  /// Whether it has this interface and this name.
  package func isNamed(_ interface: StaticString, _ member: StaticString) -> Bool {
    guard let hereMember = unsafe dbus_message_get_member(raw),
      unsafe CText.areEqual(hereMember, member),
      let hereInterface = unsafe dbus_message_get_interface(raw)
    else { return false }
    return unsafe CText.areEqual(hereInterface, interface)
  }

  /// Whether the program with this name sent it.
  func isSent(by name: SenderName) -> Bool {
    guard let sender = unsafe dbus_message_get_sender(raw) else { return false }
    return unsafe name.equals(sender)
  }

  /// Calls a closure with the bytes of the object's path.
  package func withPath<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
    guard let path = unsafe dbus_message_get_path(raw) else { return nil }
    return unsafe CText.withBytes(of: path, body)
  }

  /// Calls a closure with a cursor at the first argument.
  package func read<Result>(_ body: (inout MessageCursor) -> Result) -> Result {
    var cursor = unsafe MessageCursor(message: raw)
    return body(&cursor)
  }

  /// The error; `nil` if the message is not an error.
  package var error: CallError? {
    guard kind == .failure else { return nil }
    let name = unsafe dbus_message_get_error_name(raw).map { unsafe String(cString: $0) } ?? ""
    let text = read { $0.text() } ?? ""
    let start = text.unicodeScalars.prefix(Self.maximumErrorText)
    return .refused(name: name, message: String(String.UnicodeScalarView(start)))
  }
}
