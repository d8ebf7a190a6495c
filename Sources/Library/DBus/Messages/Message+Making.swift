// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus

extension Message {
  /// Makes a call; throws if D-Bus cannot represent a name or value in it.
  ///
  /// libdbus ends the process on a malformed name, so every name is validated first.
  package static func call(_ call: MethodCall) throws(CallError) -> Message {
    guard unsafe dbus_validate_bus_name(call.destination, nil) != 0,
      unsafe dbus_validate_path(call.path, nil) != 0,
      unsafe dbus_validate_interface(call.interface, nil) != 0,
      unsafe dbus_validate_member(call.member, nil) != 0,
      let message = unsafe Message(
        owning: dbus_message_new_method_call(
          call.destination,
          call.path,
          call.interface,
          call.member
        )
      )
    else { throw .invalid }
    // A service that is not running must not be started without the user's knowledge.
    unsafe dbus_message_set_auto_start(message.raw, 0)
    try message.append(call.arguments)
    return message
  }

  /// Makes a call that wants no answer, whatever becomes of it.
  static func request(_ call: MethodCall) throws(CallError) -> Message {
    let message = try Message.call(call)
    unsafe dbus_message_set_no_reply(message.raw, 1)
    return message
  }

  /// Makes a signal from one of our objects.
  package static func signal(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue],
    to destination: String? = nil
  ) throws(CallError) -> Message {
    guard unsafe dbus_validate_path(path, nil) != 0,
      unsafe dbus_validate_interface(interface, nil) != 0,
      unsafe dbus_validate_member(member, nil) != 0,
      let message = unsafe Message(owning: dbus_message_new_signal(path, interface, member))
    else { throw .invalid }
    if let destination {
      guard unsafe dbus_validate_bus_name(destination, nil) != 0,
        unsafe dbus_message_set_destination(message.raw, destination) != 0
      else { throw .invalid }
    }
    try message.append(arguments)
    return message
  }

  /// Makes the answer to a call.
  package func answer(_ answer: Answer) throws(CallError) -> Message? {
    switch answer {
    case .later: return nil
    case .values(let values):
      guard let message = unsafe Message(owning: dbus_message_new_method_return(raw)) else {
        throw .invalid
      }
      try message.append(values)
      return message
    case .failure(let name, let text):
      guard unsafe dbus_validate_error_name(name, nil) != 0,
        let message = unsafe Message(owning: dbus_message_new_error(raw, name, text))
      else { throw .invalid }
      return message
    }
  }

  func append(_ values: [DBusValue]) throws(CallError) {
    var iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(raw, &iterator)
    for value in values {
      guard unsafe MessageWriter.append(value, to: &iterator) else { throw .invalid }
    }
  }
}
