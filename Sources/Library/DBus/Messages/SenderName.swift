// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A bus name as zero-terminated bytes, so that comparing it with a name from libdbus creates no string.
struct SenderName: Sendable {
  /// The bus itself, as the sender of its messages.
  static let bus = SenderName(BusName.bus)

  let text: String
  private let bytes: [CChar]

  init(_ text: String) {
    self.text = text
    bytes = text.utf8.map { CChar(bitPattern: $0) } + [0]
  }

  /// Whether a name that libdbus owns is this one.
  func equals(_ other: UnsafePointer<CChar>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { own in
      guard let own = own.baseAddress else { return false }
      return unsafe strcmp(own, other) == 0
    }
  }
}
