// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// One input of a scenario at its time.
struct ScenarioStep: Sendable {
  /// The inputs, user actions and requests of a step.
  enum Action: Sendable {
    /// A received packet: its payload, its signal strength, the sender's address and the receiver.
    case report(payload: [UInt8], rssi: Int8?, address: DeviceAddress?, receiver: UInt8)
    /// A change of a receiver's state.
    case radio(RadioState, receiver: UInt8)
    /// A user action; without a client it concerns all clients.
    case user(UserAction, client: Int?)
    /// A request of a program.
    case request(ClientRequest, client: Int)
    /// A program starts again.
    case relaunch(client: Int)
    /// A program ends.
    case terminate(client: Int)

    /// Whether it is an input of the radio; a user action or a request is not, and ends no gap.
    var isScanInput: Bool {
      switch self {
      case .report, .radio: true
      case .user, .request, .relaunch, .terminate: false
      }
    }
  }

  let time: TimeSpan
  let action: Action
  /// The input as a timeline shows it.
  let summary: String
}
