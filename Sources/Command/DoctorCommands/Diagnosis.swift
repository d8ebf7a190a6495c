// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconBlueZ
internal import BeaconCore

/// What an examination comes to: the findings, in the order in which things depend on each other, and one sentence.
package struct Diagnosis: Sendable, Equatable {
  package let findings: [Finding]
  /// The command that ranges here; `nil` if none would.
  package let range: String?
  /// The one command to run next; `nil` if ranging works.
  package let next: String?
  /// The last line.
  package let sentence: String
  /// Whether nothing of Bluetooth was found.
  package let isWithoutBluetooth: Bool

  /// Concludes what an examination comes to.
  package init(_ examination: Examination) {
    isWithoutBluetooth = !examination.hasBluetooth
    findings = FindingsOf(examination).all
    let problem =
      findings.first { $0.level == .problem && $0.remedy != nil }
      ?? findings.first { $0.level == .problem }
    let uuid = examination.scan?.busiestUUID.map { UUIDText.string($0) }
    guard !isWithoutBluetooth else {
      range = nil
      next = nil
      sentence = Self.withoutBluetooth(examination)
      return
    }
    guard let problem else {
      let command =
        "beaconctl range" + (uuid.map { " --beacon \($0)" } ?? "") + Self.options(examination)
      range = command
      next = nil
      sentence = "You can range now: \(command)"
      return
    }
    range = nil
    next = problem.remedy ?? "beaconctl doctor"
    sentence = "Run next: \(problem.remedy ?? "beaconctl doctor")"
  }

  /// The options of the examination that ranging needs as well.
  private static func options(_ examination: Examination) -> String {
    (examination.wanted.map { " --adapter \($0)" } ?? "") + examination.viaOption
  }

  /// The last line if nothing of Bluetooth was found: only the examined parts.
  private static func withoutBluetooth(_ examination: Examination) -> String {
    let kernel: String
    switch examination.sockets {
    case .available:
      return
        "there is no Bluetooth adapter on this machine; plug one in, then run: beaconctl doctor"
    case .unsupported: kernel = "kernel \(examination.kernel) makes no Bluetooth sockets here"
    case .forbidden: kernel = "Bluetooth sockets are forbidden here"
    }
    let daemon: String
    switch examination.survey.reach {
    case .noBus: daemon = "there is no D-Bus system bus"
    case .busForbidden(let reason): daemon = "\(BlueZUnavailable.busForbidden(reason))"
    case .noService: daemon = "BlueZ does not run on the bus"
    case .failed(let failure): daemon = "\(failure)"
    case .answered: return "no Bluetooth was found: \(kernel), and BlueZ has no adapter"
    }
    return
      "no Bluetooth was found: \(kernel), and \(daemon); a container needs the host's /run/dbus"
  }
}
