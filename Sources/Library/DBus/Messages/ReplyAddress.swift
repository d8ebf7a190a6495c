// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus

/// The destination of the answer to a call, for an object that answers after the call was handled.
package struct ReplyAddress: Sendable, Equatable {
  /// The unique name of the caller.
  package let caller: String
  /// The number of the call.
  let serial: UInt32
  /// Whether the caller wants an answer.
  package let wantsAnswer: Bool

  /// The address of a call's answer; `nil` if the bus did not name the caller.
  package init?(_ message: borrowing Message) {
    guard let caller = message.sender else { return nil }
    self.caller = caller
    serial = message.serial
    wantsAnswer = message.wantsAnswer
  }

  /// Makes the answer; throws if D-Bus cannot represent a value in it.
  func message(_ answer: Answer) throws(CallError) -> Message? {
    switch answer {
    case .later: return nil
    case .values(let values):
      let message = try empty(DBUS_MESSAGE_TYPE_METHOD_RETURN)
      try message.append(values)
      return message
    case .failure(let name, let text):
      let message = try empty(DBUS_MESSAGE_TYPE_ERROR)
      guard unsafe dbus_validate_error_name(name, nil) != 0,
        unsafe dbus_message_set_error_name(message.raw, name) != 0
      else { throw .invalid }
      try message.append([.string(text)])
      return message
    }
  }

  private func empty(_ type: Int32) throws(CallError) -> Message {
    guard let message = unsafe Message(owning: dbus_message_new(type)),
      unsafe dbus_validate_bus_name(caller, nil) != 0,
      unsafe dbus_message_set_destination(message.raw, caller) != 0,
      unsafe dbus_message_set_reply_serial(message.raw, serial) != 0
    else { throw .invalid }
    unsafe dbus_message_set_no_reply(message.raw, 1)
    return message
  }
}
