// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import SystemKit
internal import BeaconCore
internal import Beacons
internal import Glibc

/// Looks at the machine, and changes nothing: the kernel's facts of Bluetooth, of this process and of the time.
package struct MachineProbe {
  /// The root of the file system; another folder in tests.
  private let root: String

  /// Debian's place, then those of older releases and other systems.
  private static let daemons = [
    "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd",
    "/usr/sbin/bluetoothd",
  ]
  /// Files that Docker, Podman, and programs which follow systemd put into a container.
  private static let markers = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]
  /// Numbers of the kernel (`linux/socket.h`, `linux/capability.h`).
  private static let bluetoothFamily: Int32 = 31
  private static let hciProtocol: Int32 = 1
  private static let netAdmin: UInt64 = 1 << 12
  private static let netRaw: UInt64 = 1 << 13

  /// Creates a probe of a file system by its root.
  package init(root: String = "") {
    self.root = root
  }

  /// Adds the machine's facts to an examination.
  package func look(_ examination: inout Examination) {
    examination.kernel = text("/proc/sys/kernel/osrelease") ?? ""
    examination.sockets = Self.sockets
    examination.kernelHasBluetooth = exists("/sys/class/bluetooth")
    examination.controllers = names(in: "/sys/class/bluetooth")
      .filter { $0.hasPrefix("hci") && !$0.contains(":") }
    examination.switches = switches
    examination.daemon = Self.daemons.first { exists($0) }
    let capabilities = status("CapEff").flatMap { UInt64($0, radix: 16) } ?? 0
    examination.hasNetAdmin = capabilities & Self.netAdmin != 0
    examination.hasNetRaw = capabilities & Self.netRaw != 0
    // The real account is the first of four.
    examination.account = status("Uid").flatMap { Int($0.prefix { $0 != "\t" }) }
    examination.isContained = Self.markers.contains { exists($0) }
    examination.clock = Timestamp(microseconds: WallTime.microseconds / 1_000_000 * 1_000_000)
  }

  /// The machine's description, for a report: a name and a text each, in a fixed order; unknown ones are left out.
  package var description: [(name: String, text: String)] {
    let system = (text("/etc/os-release") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("PRETTY_NAME=") }
      .map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
    // A device tree's texts end in a zero.
    let model = text("/proc/device-tree/model").map { $0.filter { $0 != "\0" } }
    let product = text("/sys/class/dmi/id/product_name")
    let memory = (text("/proc/meminfo") ?? "").split(separator: "\n").first.map {
      $0.split(separator: " ").dropFirst().joined(separator: " ")
    }
    let facts: [(name: String, text: String?)] = [
      ("system", system), ("machine", model ?? product),
      ("kernel", text("/proc/sys/kernel/osrelease")), ("built for", Self.architecture),
      ("memory", memory), ("bluetoothd", Self.daemons.first { exists($0) }),
    ]
    let adapters = names(in: "/sys/class/bluetooth").filter { !$0.contains(":") }.map {
      (name: $0, text: text("/sys/class/bluetooth/\($0)/device/modalias"))
    }
    return (facts + adapters).compactMap { fact in fact.text.map { (fact.name, $0) } }
  }

  private static var architecture: String {
    #if arch(arm64)
      "arm64"
    #elseif arch(x86_64)
      "x86_64"
    #else
      "another processor"
    #endif
  }

  /// Returns the arguments that a process was started with; empty if that may not be known.
  package func arguments(of process: Int) -> [String] {
    bytes("/proc/\(process)/cmdline").split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Whether the kernel makes Bluetooth sockets for this process.
  private static var sockets: Examination.Sockets {
    let descriptor = socket(bluetoothFamily, Int32(SOCK_RAW.rawValue), hciProtocol)
    guard descriptor < 0 else {
      _ = close(descriptor)
      return .available
    }
    return sockets(after: errno)
  }

  /// Returns the meaning of the error number of a socket that was not created.
  static func sockets(after error: Int32) -> Examination.Sockets {
    MonitorSocket.reason(error, hasSocket: false) == .kernelForbidden ? .forbidden : .unsupported
  }

  private var switches: [Examination.RadioSwitch] {
    names(in: "/sys/class/rfkill").compactMap { entry in
      let folder = "/sys/class/rfkill/\(entry)"
      guard text("\(folder)/type") == "bluetooth" else { return nil }
      return Examination.RadioSwitch(
        name: text("\(folder)/name") ?? entry,
        isSoftBlocked: text("\(folder)/soft") == "1",
        isHardBlocked: text("\(folder)/hard") == "1"
      )
    }
  }

  /// The kernel's value of this process under a name.
  private func status(_ name: String) -> Substring? {
    let lines = (text("/proc/self/status") ?? "").split(separator: "\n")
    return lines.first { $0.hasPrefix("\(name):\t") }?.dropFirst(name.count + 2)
  }

  // MARK: Files

  private func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  private func bytes(_ path: String) -> [UInt8] {
    guard let file = try? FileDescriptor(reading: root + path) else { return [] }
    return (try? file.read(upTo: 65_536)) ?? []
  }

  /// A small file without the line's end; `nil` if it cannot be read.
  private func text(_ path: String) -> String? {
    var bytes = bytes(path)
    while bytes.last == 0x0A { bytes.removeLast() }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The names in a folder, sorted; none if it cannot be read.
  private func names(in path: String) -> [String] {
    let paths = FilePattern.matches(root + path + "/*")
    let names = paths.compactMap { $0.split(separator: "/").last.map { String($0) } }
    return names.sorted()
  }
}
