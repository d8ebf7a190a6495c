// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why live scanning cannot start; each with one sentence for the person.
public enum BlueZUnavailable: Error, Sendable, Equatable {
  /// There is no D-Bus system bus, in libdbus's own words.
  case noBus(String)
  /// Nobody owns `org.bluez` on the bus.
  case serviceNotRunning
  /// BlueZ knows no adapter.
  case noAdapter
  /// BlueZ knows no adapter of that name or address; the nearest it knows.
  case adapterNotFound(String, nearest: String?)
  /// We may not use BlueZ.
  case notPermitted
  /// BlueZ did not answer in time.
  case noAnswer
  /// BlueZ refused, with this D-Bus error.
  case refused(String)

  /// A short name without data, fit for a metric's label.
  public var label: String {
    switch self {
    case .noBus: "noBus"
    case .serviceNotRunning: "serviceNotRunning"
    case .noAdapter: "noAdapter"
    case .adapterNotFound: "adapterNotFound"
    case .notPermitted: "notPermitted"
    case .noAnswer: "noAnswer"
    case .refused: "refused"
    }
  }
}

extension BlueZUnavailable: CustomStringConvertible {
  /// What is wrong and what to do about it, in one sentence.
  public var description: String {
    switch self {
    case .noBus(let reason):
      "there is no D-Bus system bus to reach BlueZ by (\(reason)); in a container, mount /run/dbus"
    case .serviceNotRunning:
      "the Bluetooth service is not running; start it with: systemctl start bluetooth"
    case .noAdapter:
      "BlueZ knows no Bluetooth adapter on this machine; plug one in, or see: rfkill list"
    case .adapterNotFound(let name, .some(let nearest)):
      "there is no adapter \(name); the nearest is \(nearest)"
    case .adapterNotFound(let name, nil):
      "there is no adapter \(name), nor any other"
    case .notPermitted:
      "this user may not use BlueZ; on some systems membership in the group bluetooth is needed"
    case .noAnswer:
      "BlueZ does not answer; restart it with: systemctl restart bluetooth"
    case .refused(let name):
      "BlueZ refused to scan (\(name))"
    }
  }
}
