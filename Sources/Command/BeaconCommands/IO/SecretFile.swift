// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit

/// A password or a key, which is the first line of a file, and never on a command line.
package struct SecretFile {
  /// The longest secret: it is not a document.
  private static let longest = 4096

  /// The file that contains it.
  package let path: String
  package let bytes: [UInt8]

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads a secret.
  ///
  /// - Throws: ``CommandFailure`` if the file cannot be read, or its first line is not a secret.
  package init(_ path: String) throws(CommandFailure) { try self.init(path, mayWait: true) }

  fileprivate init(_ path: String, mayWait: Bool) throws(CommandFailure) {
    let content: [UInt8]
    do throws(SystemError) {
      content = try WholeFile.read(path, mayWait: mayWait)
    } catch {
      throw CommandFailure(error)
    }
    bytes = Array(content.prefix { $0 != 0x0A && $0 != 0x0D })
    self.path = path
    guard !bytes.isEmpty, bytes.count <= Self.longest, !bytes.contains(0) else {
      throw CommandFailure(.badData, "\(path): the first line is not a password or key")
    }
  }
}

extension CommandIO {
  /// Returns the secret of a file that the user names, or else of a credential of systemd; `nil` without both.
  ///
  /// An empty credential counts as missing: a unit has one so that systemd starts it without a file. One that cannot be read
  /// as a file is a fault: without a key a connection would not be encrypted.
  ///
  /// - Throws: ``CommandFailure``.
  package func secret(_ file: String?, or credential: String) throws(CommandFailure) -> SecretFile?
  {
    if let file {
      if let status = FileStatus(file), status.isRegular, status.mode & 0o077 != 0 {
        show("\(file) can be read by other accounts; chmod 600 it")
      }
      return try SecretFile(file)
    }
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
    let path = "\(folder)/\(credential)"
    guard FileStatus(withoutFollowing: path) != nil else { return nil }
    if let status = FileStatus(path), status.isRegular, status.size <= 1 { return nil }
    return try SecretFile(path, mayWait: false)
  }
}
