// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The extended attributes of files: the access list, and those of users.
///
/// Swift's module of the C library has no functions for them.
package enum ExtendedAttributes {
  private typealias List =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<UInt8>?, Int
    ) -> Int
  private typealias Get =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutablePointer<UInt8>?, Int
    ) -> Int
  private typealias Put =
    @convention(c) (
      Int32, UnsafePointer<CChar>, UnsafePointer<UInt8>, Int, Int32
    ) -> Int32

  /// The attribute with the access list, as acl(5) describes it.
  private static let accessList = "system.posix_acl_access"
  /// The largest list of names, and the largest value, as xattr(7) limits them.
  private static let largest = 65_536

  /// Whether a file has an access list: its mode then does not show who may read it.
  static func hasAccessList(_ path: String) -> Bool { value(accessList, of: path) != nil }

  /// Copies the access list of a file, and the attributes of users.
  ///
  /// - Returns: Whether the other file has the access list, if there is one.
  static func copy(from path: String, to descriptor: Int32) -> Bool {
    for name in names(of: path) where name.hasPrefix("user.") {
      if let value = value(name, of: path) { _ = put(value, name, descriptor) }
    }
    return value(accessList, of: path).map { put($0, accessList, descriptor) } ?? true
  }

  private static func names(of path: String) -> [String] {
    guard let place = unsafe dlsym(nil, "listxattr") else { return [] }
    let list = unsafe unsafeBitCast(place, to: List.self)
    let bytes = unsafe filled { unsafe list(path, $0, largest) } ?? []
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of an attribute; `nil` without it.
  package static func value(_ name: String, of path: String) -> [UInt8]? {
    guard let place = unsafe dlsym(nil, "getxattr") else { return nil }
    let get = unsafe unsafeBitCast(place, to: Get.self)
    return unsafe filled { unsafe get(path, name, $0, largest) }
  }

  /// Sets an attribute.
  ///
  /// - Returns: Whether the file system took it.
  package static func put(_ value: [UInt8], _ name: String, _ descriptor: Int32) -> Bool {
    guard let place = unsafe dlsym(nil, "fsetxattr") else { return false }
    let put = unsafe unsafeBitCast(place, to: Put.self)
    return unsafe value.withUnsafeBufferPointer {
      guard let base = $0.baseAddress else { return true }
      return unsafe put(descriptor, name, base, $0.count, 0) == 0
    }
  }

  /// Returns the bytes that a function writes; `nil` if it fails.
  private static func filled(_ fill: (UnsafeMutablePointer<UInt8>?) -> Int) -> [UInt8]? {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: largest) { buffer, used in
      count = unsafe fill(buffer.baseAddress)
      used = max(0, count)
    }
    return count < 0 ? nil : bytes
  }
}
