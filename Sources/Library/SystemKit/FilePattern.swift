// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// File names with the wildcards of a shell: `*`, `?` and `[…]`.
public enum FilePattern {
  /// Returns the paths that match a pattern, sorted; none if nothing matches or a folder cannot be read.
  public static func matches(_ pattern: String) -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
    var paths: [String] = []
    for index in 0..<Int(unsafe found.gl_pathc) {
      guard let entry = unsafe found.gl_pathv?[index] else { continue }
      paths.append(unsafe String(cString: entry))
    }
    return paths.sorted()
  }

  /// Returns the paths that a name stands for: the name itself if it is an existing path or has no wildcard, otherwise
  /// the paths that match it.
  public static func expanded(_ name: String) -> [String] {
    let hasWildcard = name.utf8.contains { byte in "*?[".utf8.contains(byte) }
    guard hasWildcard, unsafe access(name, F_OK) != 0 else { return [name] }
    return matches(name)
  }
}
