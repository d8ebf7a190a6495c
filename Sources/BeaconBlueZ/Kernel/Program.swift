// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// The program that runs.
enum Program {
  /// Where its file lies, for sentences that tell what to do about it.
  static var path: String {
    let room = 4096
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = unsafe max(
        0,
        start.withMemoryRebound(to: CChar.self, capacity: room) { text in
          unsafe readlink("/proc/self/exe", text, room)
        }
      )
    }
    return bytes.isEmpty ? "PROGRAM" : String(decoding: bytes, as: UTF8.self)
  }
}
