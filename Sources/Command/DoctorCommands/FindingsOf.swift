// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// The findings of one examination, each by a separate rule.
struct FindingsOf {
  private let examination: Examination

  init(_ examination: Examination) {
    self.examination = examination
  }

  private var survey: BlueZSurvey { examination.survey }

  /// All findings; a part that another problem hides is left out.
  var all: [Finding] {
    var findings = [kernel] + switches + [daemon]
    if case .answered = survey.reach {
      findings += [version] + [sending].compactMap(\.self) + adapters
      if !examination.adapters.isEmpty {
        findings += [others, monitors, leftovers, filter].compactMap(\.self)
      }
    }
    findings += [capabilities, clock] + regions
    return findings + listening + examination.service + proxies
  }

  /// Regions that are left while their beacons are there, since the longest exit time is too short.
  private var regions: [Finding] {
    examination.slowBeacons.map { slow in
      let advice = EventSentence.capAdvice(slow.reception)
      return Finding(.note, "regions", "a beacon of \(slow.region) \(advice)")
    }
  }

  /// The one subscriber of each proxy; only a connection shows who it is, and that would take the place of it.
  private var proxies: [Finding] {
    let count = examination.proxies
    guard count > 0 else { return [] }
    let known = count == 1 ? "1 is configured; it" : "\(count) are configured; each"
    return [
      Finding(
        .note,
        "proxies",
        "\(known) sends to its latest subscriber only: a run takes it from Home Assistant, unless both read 'beaconctl proxy'"
      )
    ]
  }

  private var kernel: Finding {
    guard examination.sockets == .available else { return withoutSockets }
    let controllers = examination.controllers.joined(separator: ", ")
    guard controllers.isEmpty else {
      return Finding(
        .good,
        "kernel",
        "\(examination.kernel) supports Bluetooth and has \(controllers)"
      )
    }
    let text = "\(examination.kernel) supports Bluetooth and has no controller"
    // BlueZ may be another machine's, and the kernel's controllers may be hidden.
    if !survey.adapters.isEmpty { return Finding(.good, "kernel", text) }
    if examination.isBlueZSilent { return Finding(.note, "kernel", text) }
    return Finding(.problem, "kernel", text, remedy: "sudo dmesg | grep -i bluetooth")
  }

  /// A process that gets no Bluetooth sockets: a container may have the host's bus without them, and D-Bus is enough to
  /// range.
  private var withoutSockets: Finding {
    var text = "\(examination.kernel) makes no Bluetooth sockets here"
    if examination.sockets == .forbidden {
      text =
        "a filter of system calls (seccomp) or a security module forbids Bluetooth sockets here"
    } else if examination.kernelHasBluetooth {
      text += ", though it has Bluetooth: this process is in a network namespace of its own,"
      text += " or its unit leaves AF_BLUETOOTH out of RestrictAddressFamilies="
    }
    if !survey.adapters.isEmpty {
      return Finding(.note, "kernel", "\(text); BlueZ is reached by D-Bus alone")
    }
    guard
      examination.sockets == .forbidden || examination.kernelHasBluetooth
        || examination.isBlueZSilent || examination.isContained
    else { return Finding(.problem, "kernel", text, remedy: "sudo modprobe bluetooth btusb") }
    return Finding(.note, "kernel", "\(text); D-Bus alone is enough to range")
  }

  private var switches: [Finding] {
    let blocked = examination.switches.filter { $0.isSoftBlocked || $0.isHardBlocked }
    if blocked.isEmpty {
      return examination.switches.isEmpty ? [] : [Finding(.good, "rfkill", "no radio is blocked")]
    }
    return blocked.map { radio in
      radio.isHardBlocked
        ? Finding(
          .problem,
          "rfkill",
          "\(radio.name) is blocked by a button, the firmware or flight mode; switch it on there",
          remedy: "rfkill list bluetooth"
        )
        : Finding(
          .problem,
          "rfkill",
          "\(radio.name) is blocked by software",
          remedy: "sudo rfkill unblock bluetooth"
        )
    }
  }

  private var daemon: Finding {
    switch survey.reach {
    case .noBus(let reason): return withoutBus(reason)
    case .busForbidden(let reason):
      return Finding(
        .problem,
        "D-Bus",
        "\(BlueZUnavailable.busForbidden(reason))",
        remedy: "ls -l /run/dbus/system_bus_socket; sudo dmesg | grep -i denied"
      )
    case .noService where examination.isContained:
      return Finding(
        .problem,
        "bluetoothd",
        "does not run on this bus; a container needs the host's /run/dbus, and the host this command",
        remedy: "sudo systemctl enable --now bluetooth"
      )
    case .noService where examination.daemon == nil:
      return Finding(
        .problem,
        "bluetoothd",
        "is not installed",
        remedy: "sudo apt install bluez"
      )
    case .noService:
      return Finding(
        .problem,
        "bluetoothd",
        "is not running",
        remedy: "sudo systemctl enable --now bluetooth"
      )
    case .failed(let failure) where failure.kind == .notPermitted: return refused(failure)
    case .failed(.noAnswer):
      return Finding(
        .problem,
        "bluetoothd",
        "owns its name and does not answer",
        remedy: Self.restart
      )
    case .failed(let failure) where failure.isOfBus:
      let text = "the bus does not serve this program; \(failure)"
      return Finding(.problem, "D-Bus", text, remedy: "busctl list")
    case .failed(let failure):
      return Finding(
        .problem,
        "bluetoothd",
        "does not list its objects; \(failure)",
        remedy: Self.restart
      )
    case .answered:
      return Finding(.good, "D-Bus", "the system bus and its policy allow access to BlueZ")
    }
  }

  private static let restart = "sudo systemctl restart bluetooth"

  private func withoutBus(_ reason: String) -> Finding {
    let text = "there is no D-Bus system bus (\(reason))"
    guard examination.isContained else {
      return Finding(.problem, "D-Bus", text, remedy: "sudo systemctl start dbus")
    }
    // The mounted file is the socket of a bus that has ended since, if there is one.
    let isStale = reason.includes("Connection refused")
    return Finding(
      .problem,
      "D-Bus",
      text + (isStale ? ": it has ended" : ": none is mounted")
        + "; mount the host's /run/dbus into the container" + (isStale ? " again" : ""),
      remedy: "docker run --volume /run/dbus:/run/dbus …"
    )
  }

  private static let securityModules = ["AppArmor", "SELinux"]

  /// The layer that does not let this account use BlueZ, with its answer.
  private func refused(_ failure: BlueZFailure) -> Finding {
    let account = examination.account
    var text = "does not let this user use BlueZ; \(failure)"
    guard failure.isOfBusPolicy else {
      text = "BlueZ \(text)"
      return Finding(.problem, "bluetoothd", text, remedy: "sudo adduser $USER bluetooth")
    }
    // The bus asks such a module, and answers with its name.
    if let module = Self.securityModules.first(where: text.includes) {
      text = "\(module) \(text)"
      if examination.isContained { text += "; a container needs a profile that allows D-Bus" }
      return Finding(.problem, "D-Bus", text, remedy: "sudo dmesg | grep -i denied")
    }
    text = "the bus policy \(text)"
    if account == 0 {
      // No group helps root, whom every usual policy lets through.
      text += examination.isContained ? "; on the host" : ";"
      text += " this command shows the rules"
      let places = "/etc/dbus-1/system.d /usr/share/dbus-1/system.d"
      return Finding(.problem, "D-Bus", text, remedy: "grep -rn -F org.bluez \(places)")
    }
    guard examination.isContained, let account else {
      text += "; log in again after this command"
      return Finding(.problem, "D-Bus", text, remedy: "sudo adduser $USER bluetooth")
    }
    text += "; run this command on the host, then start the container again"
    let remedy = "sudo adduser $(id -un \(account)) bluetooth"
    return Finding(.problem, "D-Bus", text, remedy: remedy)
  }

  private var version: Finding {
    guard let version = survey.version else {
      return Finding(.good, "bluetoothd", "runs; its version is not known")
    }
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    let isOld = numbers.count == 2 && (numbers[0], numbers[1]) < (5, 56)
    return isOld
      ? Finding(.note, "bluetoothd", "\(version) runs; advertisement monitors came with 5.56")
      : Finding(.good, "bluetoothd", "\(version) runs")
  }

  /// Kernels that refuse the request of BlueZ before 5.87 to advertise, by reports of their users (row B27).
  private var sending: Finding? {
    let kernel = examination.kernel.prefix { $0 != "-" && $0 != "+" }
    let version = (survey.version ?? "").split(separator: ".").compactMap { Int($0) }
    guard ["6.12.93", "6.18.34", "6.18.35", "6.18.36"].contains(kernel), version.count == 2,
      (version[0], version[1]) < (5, 87)
    else { return nil }
    var text =
      "kernel \(kernel) refuses the request of bluetoothd \(version[0]).\(version[1]) to advertise; "
    text +=
      examination.hasNetAdmin
      ? "'advertise' has the kernel send instead, having CAP_NET_ADMIN"
      : "'advertise' needs CAP_NET_ADMIN, a newer kernel (6.18.37), or BlueZ 5.87"
    return Finding(.note, "advertise", text, remedy: "sudo apt update && sudo apt full-upgrade")
  }

  private var adapters: [Finding] {
    guard let first = survey.adapters.first else {
      var text = "BlueZ has no adapter"
      if !examination.controllers.isEmpty {
        text += ", the kernel has"
      } else if examination.sockets == .available {
        text += ", the kernel neither"
      }
      return [Finding(.problem, "adapter", text, remedy: Self.restart)]
    }
    guard let wanted = examination.wanted, examination.adapters.isEmpty else {
      return examination.adapters.map(adapter)
    }
    let names = survey.adapters.map(\.name).joined(separator: ", ")
    let other = survey.adapters.first { $0.isPowered && $0.isCentral != false } ?? first
    return [
      Finding(
        .problem,
        "adapter",
        "there is no \(wanted); there is \(names)",
        remedy: "beaconctl doctor --adapter \(other.name)" + examination.viaOption
      )
    ]
  }

  private func adapter(_ adapter: BlueZSurvey.Adapter) -> Finding {
    let name = adapter.name
    if adapter.isCentral == false {
      return Finding(
        .problem,
        name,
        "cannot scan for Low Energy devices; another adapter is needed",
        remedy: "bluetoothctl list"
      )
    }
    guard adapter.isPowered else {
      return Finding(.problem, name, "is switched off", remedy: "bluetoothctl power on")
    }
    return Finding(.good, name, "is powered and can scan")
  }

  private var others: Finding? {
    let busy = examination.adapters.filter { $0.isPowered && $0.isDiscovering }.map(\.name)
    guard !busy.isEmpty else { return nil }
    return Finding(
      .note,
      "discovery",
      "another program discovers with \(busy.joined(separator: ", ")); when it ends, discovery stops"
        + " briefly and is started again"
    )
  }

  private var monitors: Finding {
    let without = examination.adapters.filter { !$0.acceptsMonitors }
    if without.isEmpty { return Finding(.good, "monitors", "BlueZ accepts advertisement monitors") }
    let name = without.map(\.name).joined(separator: ", ")
    if examination.addsMonitors {
      let text = "BlueZ accepts none for \(name); this program adds its own, having CAP_NET_ADMIN"
      return Finding(.good, "monitors", text)
    }
    // Only if it was measured that the controller filters does it stand in the way.
    let level: Finding.Level = examination.scan?.duplicates == .filtered ? .problem : .note
    return Finding(
      level,
      "monitors",
      "BlueZ accepts no advertisement monitor for \(name): a controller with a strict duplicate filter"
        + " then reports each beacon only once in ten seconds; this command enables them",
      remedy: dropIn
    )
  }

  /// The drop-in for the daemon's unit that turns advertisement monitors on.
  private var dropIn: String {
    let program = examination.daemon ?? "/usr/libexec/bluetooth/bluetoothd"
    return "printf '[Service]\\nExecStart=\\nExecStart=\(program) --experimental\\n'"
      + " | sudo install -D -m 644 /dev/stdin"
      + " /etc/systemd/system/bluetooth.service.d/experimental.conf"
      + " && sudo systemctl daemon-reload && sudo systemctl restart bluetooth"
  }

  private var leftovers: Finding? {
    for case .leftoverMonitors(let adapter, let count) in examination.diagnostics {
      return Finding(
        .note,
        "monitors",
        "\(adapter): the kernel has \(count) monitors without an owner, left over from a crash; it"
          + " keeps scanning for them",
        remedy: "sudo systemctl restart bluetooth"
      )
    }
    return nil
  }

  private var filter: Finding {
    let missing = examination.adapters.compactMap { adapter in
      adapter.filterKeys.map { BlueZSurvey.missingKeys($0) }
    }
    let refusal = examination.adapters.lazy.compactMap(\.filterFailure).first
    guard let most = missing.max(by: { $0.count < $1.count }) else {
      return Finding(
        .note,
        "filter",
        "this daemon does not list the discovery filters it knows"
          + (refusal.map { "; \($0)" } ?? "")
      )
    }
    if most.isEmpty {
      return Finding(.good, "filter", "every key of the discovery filter is known")
    }
    let names = most.joined(separator: ", ")
    let isOld = most.contains("DuplicateData")
    return Finding(
      isOld ? .problem : .note,
      "filter",
      isOld
        ? "this daemon does not know \(names): repeated reports with the same content are not passed on"
        : "this daemon does not know \(names); another program's filter may hide beacons",
      remedy: isOld ? "sudo apt install --only-upgrade bluez" : nil
    )
  }

  private var capabilities: Finding {
    var has: [String] = []
    if examination.hasNetAdmin { has.append("CAP_NET_ADMIN (monitors of our own)") }
    if examination.hasNetRaw { has.append("CAP_NET_RAW (the kernel's own channel)") }
    guard !has.isEmpty else {
      return Finding(.good, "rights", "no capabilities, and D-Bus needs none")
    }
    let use = examination.sockets == .available ? "" : "; of no use without Bluetooth sockets"
    return Finding(.good, "rights", has.joined(separator: ", ") + use)
  }

  private var clock: Finding {
    let text = String(RFC3339.string(examination.clock).prefix(16)) + "Z"
    guard examination.clock < Self.earliestSensible else { return Finding(.good, "clock", text) }
    return Finding(
      .problem,
      "clock",
      "says \(text), so recordings would have wrong times; a Raspberry Pi has no clock of its own",
      remedy: "sudo timedatectl set-ntp true"
    )
  }

  /// 2025-01-01: this program is younger.
  static let earliestSensible = Timestamp(microseconds: 1_735_689_600_000_000)

  // MARK: Reception

  private var listening: [Finding] {
    if let reason = examination.listening { return notListening(reason) }
    if let blocked { return [blocked] }
    guard let scan = examination.scan else { return [] }
    return ReceptionFindings(scan, examination).all
  }

  /// A radio that BlueZ reports as blocked, if the kernel's switches are not visible.
  private var blocked: Finding? {
    guard !examination.switches.contains(where: { $0.isSoftBlocked || $0.isHardBlocked }) else {
      return nil
    }
    for case .blocked(let adapter) in examination.diagnostics {
      let remedy = "sudo rfkill unblock bluetooth"
      return Finding(.problem, "rfkill", "the radio of \(adapter) is blocked", remedy: remedy)
    }
    return nil
  }

  /// Why listening failed, unless another finding has the reason.
  private func notListening(_ reason: BlueZUnavailable) -> [Finding] {
    switch reason {
    case .noBus, .busForbidden, .serviceNotRunning, .noAdapter, .adapterNotFound: return []
    case .noKernelBluetooth, .kernelForbidden, .kernelRefused, .notOfThisKernel:
      return [Finding(.problem, "kernel", "\(reason)")]
    case .kernelNotPermitted(let program):
      let remedy = BlueZUnavailable.granting(program, by: "sudo ")
      let place = examination.isContained ? "; the container needs --cap-add NET_RAW as well" : ""
      return [Finding(.problem, "kernel", "\(reason)\(place)", remedy: remedy)]
    case .notPermitted(let failure): return [refused(failure)]
    // These are only of sending.
    case .cannotAdvertise, .noFreeAdvertisement, .adapterOff, .advertisementRefused: return []
    case .failed: return [Finding(.problem, "bluetoothd", "\(reason)", remedy: Self.restart)]
    }
  }
}
