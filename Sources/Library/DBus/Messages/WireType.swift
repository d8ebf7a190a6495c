// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The type codes of D-Bus's wire format (D-Bus Specification, "Summary of types").
///
/// In libdbus they are macros with casts, which Swift does not import.
package enum WireType: UInt8, Sendable {
  case byte = 0x79  // y
  case boolean = 0x62  // b
  case int16 = 0x6E  // n
  case uint16 = 0x71  // q
  case int32 = 0x69  // i
  case uint32 = 0x75  // u
  case int64 = 0x78  // x
  case uint64 = 0x74  // t
  case double = 0x64  // d
  case string = 0x73  // s
  case objectPath = 0x6F  // o
  case signature = 0x67  // g
  case unixDescriptor = 0x68  // h
  case array = 0x61  // a
  case variant = 0x76  // v
  case structure = 0x72  // r in libdbus; "(" in signatures
  case dictionaryEntry = 0x65  // e in libdbus; "{" in signatures

  /// The code for libdbus's functions.
  var code: Int32 { Int32(rawValue) }
}
