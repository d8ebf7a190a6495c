// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Why a client's run delivers less than there is.
package enum RunLimit: Equatable, Sendable {
  /// Location services of the machine are off.
  case servicesOff
  /// A policy forbids it.
  case restricted
  /// The user has refused.
  case denied
  /// The user has not been asked, or has not answered.
  case notDetermined
  /// Accuracy is reduced.
  case approximate
  /// The manifest demands an explicit service session; a command has no session.
  case noServiceSession
  /// The client is not in use, and only granted while it is.
  case notInUse

  /// Returns what limits a client; `nil` if nothing does.
  package init?(_ snapshot: ClientSnapshot) {
    switch snapshot.effective {
    case .servicesOff: self = .servicesOff
    case .restricted: self = .restricted
    case .denied: self = .denied
    case .notDetermined: self = .notDetermined
    case .whenInUse, .provisionalAlways, .always:
      if snapshot.accuracy == .reduced {
        self = .approximate
      } else if snapshot.lacksSession {
        self = .noServiceSession
      } else if !snapshot.isInUse, snapshot.effective != .always {
        self = .notInUse
      } else {
        return nil
      }
    }
  }

  /// The user's message: the limit, its client, and the one command that changes it.
  ///
  /// A client that is meant for the foreground needs no command: it is in use again when it is opened.
  package func text(for client: String, isForForeground: Bool = false) -> String {
    let off = "beacons and regions are off"
    switch self {
    case .servicesOff:
      return "services off: \(off) for every client; 'beaconctl auth services on' changes it"
    case .restricted:
      return
        "restricted: \(off) for \(client) by a policy; 'beaconctl auth set whenInUse --client \(client)' ends it"
    case .denied:
      return
        "denied: \(off) for \(client); 'beaconctl auth set whenInUse --client \(client)' changes it"
    case .notDetermined:
      return
        "not decided: \(off) for \(client); 'beaconctl auth set whenInUse --client \(client)' decides it"
    case .approximate:
      return
        "approximate: \(off) for \(client); 'beaconctl auth precise on --client \(client)' changes it"
    case .noServiceSession:
      return "\(off) for \(client): its manifest has explicitServiceSession, and no session is held"
    case .notInUse where isForForeground:
      return "not in use: \(off) for \(client) until it is in the foreground"
    case .notInUse:
      return
        "not in use: \(off) for \(client); 'beaconctl auth set always --client \(client)' changes it"
    }
  }
}
