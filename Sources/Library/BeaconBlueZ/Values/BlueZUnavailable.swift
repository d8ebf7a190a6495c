// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import DBus

/// The reason why live scanning cannot start, with one sentence for the user.
public enum BlueZUnavailable: BeaconError, Sendable, Equatable {
  /// The D-Bus system bus is missing; the text is the reason.
  case noBus(String)
  /// The system does not let this program connect to the D-Bus system bus; the text is the reason.
  case busForbidden(String)
  /// No program owns the name `org.bluez` on the bus.
  case serviceNotRunning
  /// BlueZ knows no adapter.
  case noAdapter
  /// BlueZ knows no adapter with this name or address; the payload contains the most similar one.
  case adapterNotFound(String, nearest: String?)
  /// This program may not use BlueZ, which BlueZ or the bus answered with this error.
  case notPermitted(BlueZFailure)
  /// The last call to BlueZ failed for this reason, and so did those before.
  case failed(BlueZFailure)
  /// This kernel has no Bluetooth, or this container has no access to it.
  case noKernelBluetooth
  /// Reports were requested through the kernel, but this program may not read its monitor channel.
  case kernelNotPermitted(program: String)
  /// Reports were requested through the kernel, but a filter of system calls or a security module does not let this
  /// program create a Bluetooth socket.
  case kernelForbidden
  /// The kernel did not open its monitor channel; the text is the system's error message.
  case kernelRefused(error: String)
  /// Reports were requested through the kernel, but it has no adapter with this number and address.
  case notOfThisKernel(adapter: String)

  /// BlueZ has no advertising manager for the adapter with this name, so it cannot send.
  case cannotAdvertise(adapter: String)
  /// Other programs use every advertisement that the adapter with this name can send.
  case noFreeAdvertisement(adapter: String)
  /// The adapter with this name, which is to send, is switched off.
  case adapterOff(adapter: String)
  /// BlueZ refused an advertisement on the adapter with this name.
  case advertisementRefused(adapter: String, failure: BlueZFailure)

  /// Whether the reason is a missing permission.
  public var isPermission: Bool {
    switch self {
    case .busForbidden, .notPermitted, .kernelNotPermitted, .kernelForbidden: true
    case .noBus, .serviceNotRunning, .noAdapter, .adapterNotFound, .failed, .noKernelBluetooth,
      .kernelRefused, .notOfThisKernel, .cannotAdvertise,
      .noFreeAdvertisement, .adapterOff, .advertisementRefused:
      false
    }
  }

  /// A short name without data, for a metric's label.
  public var label: String {
    switch self {
    case .noBus: "noBus"
    case .busForbidden: "busForbidden"
    case .serviceNotRunning: "serviceNotRunning"
    case .noAdapter: "noAdapter"
    case .adapterNotFound: "adapterNotFound"
    case .notPermitted: "notPermitted"
    case .failed(.noAnswer): "noAnswer"
    case .failed: "refused"
    case .noKernelBluetooth: "noKernelBluetooth"
    case .kernelNotPermitted: "kernelNotPermitted"
    case .kernelForbidden: "kernelForbidden"
    case .kernelRefused: "kernelRefused"
    case .notOfThisKernel: "notOfThisKernel"
    case .cannotAdvertise: "cannotAdvertise"
    case .noFreeAdvertisement: "noFreeAdvertisement"
    case .adapterOff: "adapterOff"
    case .advertisementRefused: "advertisementRefused"
    }
  }
}

extension BlueZUnavailable {
  /// The fault, and its remedy, in one sentence.
  public var description: String {
    switch self {
    case .noBus(let reason):
      "there is no D-Bus system bus to reach BlueZ by (\(reason)); in a container, mount /run/dbus"
    case .busForbidden(let reason):
      "this program may not connect to the D-Bus system bus (\(reason)): the socket's permissions or "
        + "a security module, such as AppArmor or a snap's, forbid it"
    case .serviceNotRunning:
      "the Bluetooth service is not running; start it with: systemctl start bluetooth"
    case .noAdapter:
      "BlueZ knows no Bluetooth adapter on this machine; plug one in, or see: rfkill list"
    case .adapterNotFound(let name, .some(let nearest)):
      "there is no adapter \(name); the nearest is \(nearest)"
    case .adapterNotFound(let name, nil):
      "there is no adapter \(name), and no other adapter"
    case .notPermitted(let failure):
      "this user may not use BlueZ, since \(failure); "
        + "on some systems membership in the group bluetooth is needed"
    case .failed(.noAnswer):
      "BlueZ does not answer; restart it with: systemctl restart bluetooth"
    case .failed(let failure):
      "no adapter scans, since \(failure)"
    case .noKernelBluetooth:
      "this kernel has no Bluetooth support; load it with: modprobe bluetooth "
        + "(in a container, use the host's network)"
    case .kernelNotPermitted(let program):
      "receiving through the kernel needs the capability CAP_NET_RAW; "
        + "grant it to the group bluetooth with: \(Self.granting(program, by: ""))"
    case .kernelForbidden:
      "a filter of system calls (seccomp) or a security module forbids Bluetooth sockets here; "
        + "receive over D-Bus with: --via dbus"
    case .kernelRefused(let error):
      "the kernel did not open its Bluetooth monitor channel: \(error)"
    case .notOfThisKernel(let adapter):
      "BlueZ's adapter \(adapter) is not this kernel's; receive over D-Bus with: --via dbus"
    case .cannotAdvertise(let adapter):
      "\(adapter) cannot send: BlueZ has no advertising manager for it"
    case .noFreeAdvertisement(let adapter):
      "\(adapter) cannot send more: other programs use all of its advertisements"
    case .adapterOff(let adapter):
      "\(adapter) is switched off; switch it on with: bluetoothctl power on"
    case .advertisementRefused(let adapter, let failure):
      "\(adapter) does not send, since \(failure)" + Self.advice(failure)
    }
  }
}

extension BlueZUnavailable {
  /// The cure of an error that BlueZ gives without a reason.
  private static func advice(_ failure: BlueZFailure) -> String {
    guard case .error("org.bluez.Error.Failed", _) = failure else { return "" }
    return
      "; kernels of June 2026 refuse the request of BlueZ before 5.87: update one of the two, or run this with"
      + " CAP_NET_ADMIN"
  }

  /// Creates the reason why a start fails, from the failure of its last call to BlueZ.
  init(_ failure: BlueZFailure) {
    self = failure.kind == .notPermitted ? .notPermitted(failure) : .failed(failure)
  }

  /// Creates the reason why a start fails, from the failure of the bus.
  init(_ failure: BusFailure) {
    switch failure {
    case .forbidden(let reason): self = .busForbidden(reason)
    case .unusable(_, .refused(let name, let text)): self.init(.error(name: name, text: text))
    case .cannotConnect, .notGreeted, .unusable, .lost: self = .noBus("\(failure)")
    }
  }
}

extension BlueZUnavailable {
  /// Returns the commands that let the members of the group `bluetooth`, and only them, run a program that receives
  /// through the kernel.
  ///
  /// Every account that may run a file with a capability may receive everything. So the file is first closed to others,
  /// which also removes any capability it had.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - prefix: What precedes each command, such as `sudo `.
  /// - Returns: The commands as one line for a shell.
  package static func granting(_ program: String, by prefix: String) -> String {
    ["chgrp bluetooth \(program)", "chmod 750 \(program)", "setcap cap_net_raw+ep \(program)"]
      .map { prefix + $0 }.joined(separator: " && ")
  }
}
