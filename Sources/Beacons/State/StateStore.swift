// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import FoundationEssentials
internal import Glibc

/// Where state that outlives a program is kept: a directory of small files.
public struct StateStore: Sendable, Hashable {
  /// The directory; it is made when something is first kept.
  public let directory: String

  /// Creates a store.
  ///
  /// - Parameter directory: Where; `nil` is `$XDG_STATE_HOME/beacons`, or `~/.local/state/beacons`.
  public init(directory: String? = nil) {
    self.directory =
      directory ?? Self.standardDirectory(in: ProcessInfo.processInfo.environment)
  }

  /// Creates the store that is used unless another is named, as an environment has it.
  package init(environment: [String: String]) {
    directory = Self.standardDirectory(in: environment)
  }

  private static func standardDirectory(in environment: [String: String]) -> String {
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") { return home + "/beacons" }
    let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
    return home + "/.local/state/beacons"
  }

  /// The file that keeps a monitor's state.
  ///
  /// What is not a letter, a digit, `-` or `_` is written as `%` and two digits, so that a name is never a path.
  public func path(of name: String) -> String {
    "\(directory)/\(Self.escaped(name)).monitor.json"
  }

  /// Reads what was kept of a monitor's client, without taking its place; `nil` where there is nothing to be had.
  package func savedClient(of name: String) -> SavedClient? {
    guard let bytes = try? WholeFile.read(path(of: name)) else { return nil }
    return try? StateFile.decode(bytes).client
  }

  /// Takes the place of a monitor's state for as long as the value is kept.
  ///
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)`` while another has it, in this process or in another.
  func place(of name: String) throws(SessionError) -> StateFile.Place {
    let path = path(of: name)
    makeDirectory()
    guard let lock = FileLock(path + ".lock") else { throw .monitorAlreadyOpen(name) }
    return StateFile.Place(path: path, lock: lock)
  }

  /// Takes a file's place for a moment; another process has it for no longer than that either.
  func placeForAMoment(_ path: String) -> StateFile.Place? {
    makeDirectory()
    for _ in 0..<Self.tries {
      if let lock = FileLock(path + ".lock") { return StateFile.Place(path: path, lock: lock) }
      usleep(Self.patience)
    }
    return nil
  }

  /// Locks a file for as long as the value is kept, in order to change it.
  ///
  /// - Throws: ``SystemError`` where others keep it locked: a lock that is taken answers `EWOULDBLOCK`.
  func lockedPlace(_ path: String) throws(SystemError) -> StateFile.Place {
    guard let place = placeForAMoment(path) else { throw SystemError(EWOULDBLOCK, .lock, path) }
    return place
  }

  /// Two seconds in steps of 10 ms: writing such a file takes a few milliseconds.
  private static let tries = 200
  private static let patience: UInt32 = 10_000

  /// Makes the directory, where it can be made.
  func makeDirectory() {
    try? FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  /// Returns the name that was escaped to a text; `nil` for a text that no name is escaped to.
  static func unescaped(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let number = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
      bytes.append(number)
      rest = rest.dropFirst(2)
    }
    // What is not written as this store writes it is none of its names.
    return String(validating: bytes, as: UTF8.self).flatMap { escaped($0) == text ? $0 : nil }
  }

  static func escaped(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F:
        text.append(Character(Unicode.Scalar(byte)))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return text.isEmpty ? "%" : text
  }
}
