// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The link types of pcap and pcapng that can contain advertising, by their registered numbers.
enum LinkType: UInt16, CaseIterable, Sendable {
  /// Packets of older nRF Sniffers, and of Adafruit's, which had no registered number (`USER10`).
  case olderNordicSniffer = 157
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
  private static let listed = "187, 201, 251, 254, 256 or 272"

  /// Describes the packets of a link type that is not read; `nil` if they contain no advertising.
  static func describe(_ number: UInt16) -> String? {
    switch number {
    case 189, 220: "USB packets of Linux, whose Bluetooth is not read"
    case 192: "packets with a PPI header, whose Bluetooth is not read"
    case 249: "USB packets of Windows, whose Bluetooth is not read"
    // Networks, and classic Bluetooth.
    case 0, 1, 101, 105, 113, 119, 127, 255, 276: nil
    case 147...162: "a number for private use, whose packets are not known"
    default: "packets that are not read"
    }
  }

  /// Why a capture of a link type is refused, in a clause after its number.
  static func refusal(of number: UInt16) -> String {
    describe(number).map { ": \($0) (\(listed) is)" }
      ?? ", which holds no advertising (\(listed) would)"
  }
}
