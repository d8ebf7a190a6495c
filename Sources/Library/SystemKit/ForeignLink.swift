// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A symbolic link of another account on the way to a file: that account chose the place that is meant.
package struct ForeignLink: Sendable {
  /// The path of the link itself.
  package let path: String
  /// The account that owns it.
  package let owner: UInt32

  /// Linux follows no more links on the way to a file.
  private static let mostLinks = 40

  /// Finds the first link of another account than this one and root, at any level of a path and of the links on it; `nil` without such a
  /// link.
  ///
  /// - Parameter path: The path; names after one that does not exist are not looked at.
  package init?(on path: String) {
    var rest = Self.names(in: path)
    var place = path.hasPrefix("/") ? "/" : ""
    var links = 0
    while let name = rest.popLast() {
      let level = place + name
      guard let status = FileStatus(withoutFollowing: level) else { return nil }
      guard status.isLink else {
        place = level + "/"
        continue
      }
      if status.isForeign {
        (self.path, owner) = (level, status.owner)
        return
      }
      links += 1
      guard links <= Self.mostLinks, let target = Self.target(of: level) else { return nil }
      rest += Self.names(in: target)
      if target.hasPrefix("/") { place = "/" }
    }
    return nil
  }

  /// The names of a path, the last one first.
  private static func names(in path: String) -> [Substring] {
    path.split(separator: "/").reversed()
  }

  private static func target(of link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(link, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The reason for not using the path.
  package var reason: String { "\(path) is a link of another account (\(owner))" }
}

extension OutputFiles {
  /// Throws if another account owns a link on a path: that account chose the place that is meant.
  static func checkLinks(on path: String) throws(OutputRefusal) {
    guard let link = ForeignLink(on: path) else { return }
    if link.path == path { throw .isForeign(path: path, owner: link.owner) }
    throw .leadsElsewhere(path: path, link: link.path, owner: link.owner)
  }
}
