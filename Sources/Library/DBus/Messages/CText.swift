// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// Compares and reads the zero-terminated text that libdbus owns.
enum CText {
  /// Whether two texts are equal.
  static func areEqual(_ text: UnsafePointer<CChar>, _ other: StaticString) -> Bool {
    unsafe strncmp(
      text,
      UnsafeRawPointer(other.utf8Start).assumingMemoryBound(to: CChar.self),
      other.utf8CodeUnitCount + 1
    ) == 0
  }

  /// Calls a closure with a text's bytes, without its terminating zero.
  static func withBytes<Result>(
    of text: UnsafePointer<CChar>,
    _ body: (Span<UInt8>) -> Result
  ) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
    return unsafe body(bytes.bindMemory(to: UInt8.self).span)
  }
}
