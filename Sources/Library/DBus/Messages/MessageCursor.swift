// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus

/// A position in the arguments of a message.
///
/// It reads them in place, without a tree of values, and copies only on request.
///
/// Every read checks the type first and returns `nil` if it is another type, so any message can be read safely. A
/// closure gets a cursor only while the message exists.
@safe
package struct MessageCursor: ~Copyable {
  /// The most elements read from one array; BlueZ's list of thousands of devices stays below it.
  static let maximumElements = 1 << 16

  private var iterator: DBusMessageIter

  /// Starts at a message's first argument.
  init(message: OpaquePointer) {
    var iterator = unsafe DBusMessageIter()
    _ = unsafe dbus_message_iter_init(message, &iterator)
    unsafe self.iterator = unsafe iterator
  }

  /// Starts inside the container at another cursor.
  private init(inside outer: inout DBusMessageIter) {
    var iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&outer, &iterator)
    unsafe self.iterator = unsafe iterator
  }

  /// The type of the value here; `nil` after the last one.
  package var type: WireType? {
    mutating get {
      WireType(
        rawValue: UInt8(truncatingIfNeeded: unsafe dbus_message_iter_get_arg_type(&iterator))
      )
    }
  }

  /// The type of the elements of the array here; `nil` if this is not an array.
  package var elementType: WireType? {
    mutating get {
      guard type == .array else { return nil }
      let code = unsafe dbus_message_iter_get_element_type(&iterator)
      return WireType(rawValue: UInt8(truncatingIfNeeded: code))
    }
  }

  /// Moves to the next value; returns false at the end.
  @discardableResult
  package mutating func advance() -> Bool {
    unsafe dbus_message_iter_next(&iterator) != 0
  }

  /// Reads a number that has exactly the width of the wire type.
  private mutating func basic<Number: BitwiseCopyable>(_ type: WireType, _ start: Number) -> Number?
  {
    guard self.type == type else { return nil }
    var value = start
    unsafe dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  /// The byte here.
  package mutating func byte() -> UInt8? { basic(.byte, 0) }
  /// The 16-bit integer here.
  package mutating func int16() -> Int16? { basic(.int16, 0) }
  /// The unsigned 16-bit integer here.
  package mutating func uint16() -> UInt16? { basic(.uint16, 0) }
  /// The 32-bit integer here.
  package mutating func int32() -> Int32? { basic(.int32, 0) }
  /// The unsigned 32-bit integer here.
  package mutating func uint32() -> UInt32? { basic(.uint32, 0) }
  /// The 64-bit integer here.
  package mutating func int64() -> Int64? { basic(.int64, 0) }
  /// The unsigned 64-bit integer here.
  package mutating func uint64() -> UInt64? { basic(.uint64, 0) }
  /// The floating-point number here.
  package mutating func double() -> Double? { basic(.double, 0) }
  /// The Boolean here; four bytes wide on the wire.
  package mutating func boolean() -> Bool? { basic(.boolean, UInt32(0)).map { $0 != 0 } }

  /// A duplicate of the descriptor here, which the caller closes.
  mutating func descriptor() -> Int32? {
    basic(.unixDescriptor, Int32(-1)).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// The text here: of a string, an object path or a signature.
  package mutating func text() -> String? {
    unsafe pointerToText().map { unsafe String(cString: $0) }
  }

  /// Whether the text here is this one.
  package mutating func holds(_ text: StaticString) -> Bool {
    guard let here = unsafe pointerToText() else { return false }
    return unsafe CText.areEqual(here, text)
  }

  /// Calls a closure with the bytes of the text here, without its terminating zero.
  package mutating func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
    guard let here = unsafe pointerToText() else { return nil }
    return unsafe CText.withBytes(of: here, body)
  }

  private mutating func pointerToText() -> UnsafePointer<CChar>? {
    switch type {
    case .string, .objectPath, .signature:
      var pointer: UnsafePointer<CChar>?
      unsafe dbus_message_iter_get_basic(&iterator, &pointer)
      return unsafe pointer
    default:
      return nil
    }
  }

  /// Calls a closure with the bytes of the array of bytes here.
  package mutating func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
    guard elementType == .byte else { return nil }
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &inner)
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
    // libdbus leaves the pointer undefined without bytes.
    let bytes = unsafe UnsafeBufferPointer(
      start: count > 0 ? start : nil,
      count: max(0, Int(count))
    )
    return unsafe body(bytes.span)
  }

  /// The signature of one element of the array here.
  mutating func containedSignature() -> String? {
    guard type == .array, let text = unsafe dbus_message_iter_get_signature(&iterator) else {
      return nil
    }
    defer { unsafe dbus_free(text) }
    return String(unsafe String(cString: text).dropFirst())
  }

  /// Calls a closure with the value inside the variant here.
  package mutating func variant<Result>(_ body: (inout MessageCursor) -> Result?) -> Result? {
    guard type == .variant else { return nil }
    var inner = unsafe MessageCursor(inside: &iterator)
    return body(&inner)
  }

  /// Calls a closure with each element of the array, or member of the structure or dictionary entry, here.
  ///
  /// - Returns: Whether there was such a container and all of it was read.
  @discardableResult
  package mutating func forEach(_ body: (inout MessageCursor) -> Void) -> Bool {
    search {
      body(&$0)
      return false
    }
  }

  /// Calls a closure with each element of the container here until it returns true.
  ///
  /// It stops there because moving to the next element takes time.
  private mutating func search(_ isEnough: (inout MessageCursor) -> Bool) -> Bool {
    switch type {
    case .array, .structure, .dictionaryEntry: break
    default: return false
    }
    var inner = unsafe MessageCursor(inside: &iterator)
    var seen = 0
    while inner.type != nil {
      if seen == Self.maximumElements { return false }
      seen += 1
      if isEnough(&inner) { break }
      inner.advance()
    }
    return true
  }

  /// Calls a closure with a cursor at the key of each entry of the dictionary here; ``advance()`` moves to the value.
  ///
  /// - Returns: Whether there was a dictionary and all of it was read.
  @discardableResult
  package mutating func forEachEntry(_ body: (inout MessageCursor) -> Void) -> Bool {
    searchEntries {
      body(&$0)
      return false
    }
  }

  /// Calls a closure with a cursor at the key of each entry of the dictionary here, until it returns true.
  ///
  /// - Returns: Whether there was a dictionary and all of it was read, or the closure returned true.
  package mutating func searchEntries(_ isEnough: (inout MessageCursor) -> Bool) -> Bool {
    guard elementType == .dictionaryEntry else { return false }
    return search { element in
      var entry = unsafe MessageCursor(inside: &element.iterator)
      return isEnough(&entry)
    }
  }
}
