// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The link types of pcap and pcapng that can contain advertising, by their registered numbers.
enum LinkType: UInt16, CaseIterable, Sendable {
  /// HCI packets with their type byte (`BLUETOOTH_HCI_H4`).
  case h4 = 187
  /// The same, with a direction in front of each (`BLUETOOTH_HCI_H4_WITH_PHDR`).
  case h4WithDirection = 201
  /// Link-layer packets (`BLUETOOTH_LE_LL`).
  case linkLayer = 251
  /// Packets of the Linux monitor channel (`BLUETOOTH_LINUX_MONITOR`).
  case linuxMonitor = 254
  /// Link-layer packets, with the radio's measurements in front of each (`BLUETOOTH_LE_LL_WITH_PHDR`).
  case linkLayerWithHeader = 256
  /// Packets of the nRF Sniffer (`NORDIC_BLE`).
  case nordicSniffer = 272

  /// The numbers as text, for error messages.
  static let listed = "187, 201, 251, 254, 256 or 272"
}
