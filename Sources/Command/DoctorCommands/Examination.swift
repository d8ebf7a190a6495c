// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconBlueZ
package import BeaconCore
package import BeaconFormats

/// All facts that decide whether this machine can range, before anything is concluded from it.
package struct Examination: Sendable, Equatable {
  /// A switch of the kernel that can block a radio.
  package struct RadioSwitch: Sendable, Equatable {
    /// The kernel's name of the switched device, such as `hci0`.
    package var name: String
    /// Whether it is blocked by software: a command undoes it.
    package var isSoftBlocked: Bool
    /// Whether it is blocked by a button or by the firmware.
    package var isHardBlocked: Bool

    package init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
      self.name = name
      self.isSoftBlocked = isSoftBlocked
      self.isHardBlocked = isHardBlocked
    }
  }

  /// The kernel's release, such as `6.1.0-25-arm64`.
  package var kernel = ""
  /// Whether this process gets Bluetooth sockets.
  package enum Sockets: Sendable, Equatable {
    /// The kernel makes them.
    case available
    /// The kernel has no Bluetooth, or not for this process: in a container it may not although the machine has
    /// Bluetooth.
    case unsupported
    /// A filter of system calls (seccomp) or a security module forbids them.
    case forbidden
  }

  /// Whether this process gets Bluetooth sockets.
  package var sockets = Sockets.unsupported
  /// Whether the kernel shows that it has Bluetooth.
  package var kernelHasBluetooth = false
  /// The controllers that the kernel has, such as `hci0`.
  package var controllers: [String] = []
  /// The switches of Bluetooth radios.
  package var switches: [RadioSwitch] = []
  /// The path of the daemon's program; `nil` if it is not installed in a place that is known.
  package var daemon: String?
  /// The arguments that the running daemon was given; empty if that is not known.
  package var daemonArguments: [String] = []
  /// Whether this process has `CAP_NET_ADMIN`, by which it can add monitors itself.
  package var hasNetAdmin = false
  /// Whether this process has `CAP_NET_RAW`, by which it can listen to the kernel.
  package var hasNetRaw = false
  /// Whether it seems to be in a container.
  package var isContained = false
  /// The account's number; `nil` if that is not known.
  package var account: Int?
  /// The machine's clock.
  package var clock = Timestamp.earliest
  /// The answers of the bus and BlueZ.
  package var survey = BlueZSurvey(.noService)
  /// The adapter that was requested by name or address; `nil` for any.
  package var wanted: String?
  /// How reports were asked to come.
  package var path = ReportPath.automatic
  /// The measurement while listening; `nil` if listening failed.
  package var scan: ReceptionMeasurement?
  /// The names of beacons.
  package var names = NameBook()
  /// Why listening failed; `nil` if it succeeded.
  package var listening: BlueZUnavailable?
  /// The source's messages while it listened.
  package var diagnostics: [BlueZDiagnostic] = []

  /// What live runs of the operator learned about beacons that are received too seldom for the longest exit time.
  package var slowBeacons: [SlowBeacon] = []

  /// A region's beacon that is received too seldom for the longest exit time.
  package struct SlowBeacon: Sendable, Equatable {
    package var region: RegionIdentifier
    package var reception: Reception
  }

  /// Adds the learned values about a client's regions.
  package mutating func look(at regions: [SavedRegion]) {
    for saved in regions {
      for intervals in saved.intervals {
        guard let reception = intervals.receptionNeedingLongerCap(.standard) else { continue }
        slowBeacons.append(SlowBeacon(region: saved.region.identifier, reception: reception))
      }
    }
  }

  /// The findings of the service that receives for several programs; empty if none can be there.
  package var service: [Finding] = []
  /// How many Bluetooth proxies the configuration has.
  package var proxies = 0

  package init() {}

  /// Whether there is anything of Bluetooth, as far as that could be seen.
  package var hasBluetooth: Bool {
    !controllers.isEmpty || !switches.isEmpty || !survey.adapters.isEmpty || isBlueZSilent
  }

  /// Whether BlueZ may run and its adapters could not be asked for, so that it may have some.
  package var isBlueZSilent: Bool {
    switch survey.reach {
    case .failed, .busForbidden: true
    case .noBus, .noService, .answered: false
    }
  }

  /// Whether this program adds monitors itself: that needs a socket as well as the capability.
  package var addsMonitors: Bool { hasNetAdmin && sockets == .available }

  /// The option by which reports were asked to come some way, after a space; empty if it was left open.
  package var viaOption: String {
    switch path {
    case .automatic: ""
    case .dbus: " --via dbus"
    case .kernel: " --via kernel"
    }
  }

  /// The adapters that are to range.
  package var adapters: [BlueZSurvey.Adapter] {
    guard let wanted else { return survey.adapters }
    return survey.adapters.filter {
      $0.name == wanted || $0.address.lowercased() == wanted.lowercased()
    }
  }
}
