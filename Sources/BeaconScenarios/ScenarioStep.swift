// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// One input of a scenario at its time.
struct ScenarioStep: Sendable {
  /// What is put in.
  enum Action: Sendable {
    /// A packet: what it carries, how strong, from where and heard by whom.
    case report(payload: [UInt8], rssi: Int8?, address: DeviceAddress?, receiver: UInt8)
    /// A receiver's state.
    case radio(RadioState, receiver: UInt8)
    /// Something a person does; without a client it concerns all of them.
    case user(UserAction, client: Int?)
    /// Something a program asks.
    case request(ClientRequest, client: Int)
    /// A program starts again.
    case relaunch(client: Int)
    /// A program ends.
    case terminate(client: Int)
  }

  let time: TimeSpan
  let action: Action
  /// The input as a timeline shows it.
  let summary: String
}
