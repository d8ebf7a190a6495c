// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A bus name kept as the zero-terminated bytes that libdbus lends, so that a comparison makes no string.
struct SenderName: Sendable {
  /// The bus itself, as it signs its own messages.
  static let bus = SenderName(BusName.bus)

  let text: String
  private let bytes: [CChar]

  init(_ text: String) {
    self.text = text
    bytes = text.utf8.map { CChar(bitPattern: $0) } + [0]
  }

  /// Whether a lent name is this one.
  func equals(_ lent: UnsafePointer<CChar>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { own in
      guard let own = own.baseAddress else { return false }
      return unsafe strcmp(own, lent) == 0
    }
  }
}
