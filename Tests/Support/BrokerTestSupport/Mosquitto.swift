// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Foundation
import Glibc

/// A broker for a test: Debian's mosquitto, on a separate port.
public final class Mosquitto {
  /// Where Debian installs it.
  private static let program = "/usr/sbin/mosquitto"

  /// Whether it is installed; a test that needs it is left out otherwise.
  public static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  /// The folder of its files.
  public let folder: URL
  /// The port.
  public let port: UInt16
  private var process: Process?

  /// Starts a broker.
  ///
  /// - Parameters:
  ///   - lines: Further lines of its configuration; `FOLDER` in them is its folder.
  ///   - files: Files that it needs, by name.
  /// - Throws: The system's error if it cannot be started.
  public init(_ lines: [String] = ["allow_anonymous true"], files: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "broker-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try Self.freePort()
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    let configuration = (["listener \(port) 127.0.0.1"] + lines).map {
      $0.replacingOccurrences(of: "FOLDER", with: folder.path)
    }
    // As root it would become another account, which may not read the files of the test.
    try Data((configuration + ["user root", ""]).joined(separator: "\n").utf8)
      .write(to: folder.appending(path: "mosquitto.conf"))
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts it again.
  public func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = ["-c", folder.appending(path: "mosquitto.conf").path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    while !Self.listens(port) {
      guard process.isRunning else { throw CocoaError(.executableLoad) }
      usleep(10_000)
    }
  }

  /// Kills it, as a power cut would.
  public func kill() {
    guard let process else { return }
    _ = Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Lets it stand still until ``goOn()``.
  public func pause() {
    if let process { _ = Glibc.kill(process.processIdentifier, SIGSTOP) }
  }

  /// Lets it continue.
  public func goOn() {
    if let process { _ = Glibc.kill(process.processIdentifier, SIGCONT) }
  }

  /// Runs one of its tools and returns its output.
  public func run(_ tool: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(tool)")
    process.arguments = ["-h", "127.0.0.1", "-p", "\(port)"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private static func socket(_ port: UInt16, _ use: (Int32, UnsafePointer<sockaddr>) -> Int32)
    -> (result: Int32, descriptor: Int32)
  {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: &address) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe use(descriptor, $0)
      }
    }
    return (result, descriptor)
  }

  private static func listens(_ port: UInt16) -> Bool {
    let (result, descriptor) = unsafe socket(port) {
      unsafe Glibc.connect($0, $1, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    close(descriptor)
    return result == 0
  }

  private static func freePort() throws -> UInt16 {
    let (result, descriptor) = unsafe socket(0) {
      unsafe Glibc.bind($0, $1, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    defer { close(descriptor) }
    var address = sockaddr_in()
    var count = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = unsafe withUnsafeMutablePointer(to: &address) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &count)
      }
    }
    guard result == 0 else { throw CocoaError(.executableLoad) }
    return UInt16(bigEndian: address.sin_port)
  }
}
