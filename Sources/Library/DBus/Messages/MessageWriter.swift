// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus

/// Writes values into a message.
enum MessageWriter {
  /// Appends a value; returns false if D-Bus cannot represent it or memory is short.
  ///
  /// If it returns false, the message is incomplete and must be discarded.
  static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) -> Bool {
    switch value {
    case .byte(let value): return unsafe basic(value, .byte, &iterator)
    case .boolean(let value): return unsafe basic(UInt32(value ? 1 : 0), .boolean, &iterator)
    case .int16(let value): return unsafe basic(value, .int16, &iterator)
    case .uint16(let value): return unsafe basic(value, .uint16, &iterator)
    case .int32(let value): return unsafe basic(value, .int32, &iterator)
    case .uint32(let value): return unsafe basic(value, .uint32, &iterator)
    case .int64(let value): return unsafe basic(value, .int64, &iterator)
    case .uint64(let value): return unsafe basic(value, .uint64, &iterator)
    case .double(let value): return unsafe basic(value, .double, &iterator)
    case .string(let text):
      return unsafe !text.utf8.contains(0) && append(text, .string, &iterator)
    case .objectPath(let text):
      guard unsafe dbus_validate_path(text, nil) != 0 else { return false }
      return unsafe append(text, .objectPath, &iterator)
    case .signature(let text):
      guard unsafe dbus_signature_validate(text, nil) != 0 else { return false }
      return unsafe append(text, .signature, &iterator)
    case .descriptor(let descriptor):
      // libdbus duplicates it.
      return descriptor.withNumber { number in
        guard number >= 0 else { return false }
        return unsafe basic(number, .unixDescriptor, &iterator)
      }
    case .bytes(let bytes): return unsafe append(bytes, &iterator)
    case .array(let element, let values):
      guard unsafe dbus_signature_validate_single(element, nil) != 0,
        values.allSatisfy({ $0.typeSignature == element })
      else { return false }
      return unsafe container(.array, element, &iterator) { inner in
        values.allSatisfy { unsafe append($0, to: &inner) }
      }
    case .dictionary(let types, let entries):
      let entry = "{\(types)}"
      guard unsafe dbus_signature_validate_single("a\(entry)", nil) != 0,
        entries.allSatisfy({ $0.key.typeSignature + $0.value.typeSignature == types })
      else { return false }
      return unsafe container(.array, entry, &iterator) { inner in
        entries.allSatisfy { unsafe append($0, &inner) }
      }
    case .structure(let members):
      guard !members.isEmpty else { return false }
      return unsafe container(.structure, nil, &iterator) { inner in
        members.allSatisfy { unsafe append($0, to: &inner) }
      }
    case .variant(let value):
      return unsafe container(.variant, value.typeSignature, &iterator) { inner in
        unsafe append(value, to: &inner)
      }
    }
  }

  private static func append(_ entry: DBusEntry, _ iterator: inout DBusMessageIter) -> Bool {
    unsafe container(.dictionaryEntry, nil, &iterator) { inner in
      unsafe append(entry.key, to: &inner) && append(entry.value, to: &inner)
    }
  }

  private static func basic<Number: BitwiseCopyable>(
    _ value: Number,
    _ type: WireType,
    _ iterator: inout DBusMessageIter
  ) -> Bool {
    var value = value
    return unsafe dbus_message_iter_append_basic(&iterator, type.code, &value) != 0
  }

  private static func append(
    _ text: String,
    _ type: WireType,
    _ iterator: inout DBusMessageIter
  ) -> Bool {
    unsafe text.withCString { start in
      var pointer: UnsafePointer<CChar>? = unsafe start
      return unsafe dbus_message_iter_append_basic(&iterator, type.code, &pointer) != 0
    }
  }

  private static func append(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) -> Bool {
    unsafe container(.array, "y", &iterator) { inner in
      guard !bytes.isEmpty else { return true }
      return unsafe bytes.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return unsafe dbus_message_iter_append_fixed_array(
          &inner,
          WireType.byte.code,
          &start,
          Int32(clamping: buffer.count)
        ) != 0
      }
    }
  }

  private static func container(
    _ type: WireType,
    _ signature: String?,
    _ iterator: inout DBusMessageIter,
    _ body: (inout DBusMessageIter) -> Bool
  ) -> Bool {
    var inner = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_open_container(&iterator, type.code, signature, &inner) != 0
    else { return false }
    guard unsafe body(&inner) else {
      unsafe dbus_message_iter_abandon_container(&iterator, &inner)
      return false
    }
    return unsafe dbus_message_iter_close_container(&iterator, &inner) != 0
  }
}
