// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A capture format, recognized by the first bytes of a file and never by its name.
public enum CaptureFormat: String, Sendable, CaseIterable {
  /// The btsnoop format of BlueZ, Android and others: `btmon -w`, `btsnoop_hci.log`.
  case btsnoop
  /// The format of libpcap, in µs or ns and in either byte order.
  case pcap
  /// The format of Wireshark.
  case pcapng
  /// The text of `hcidump --raw`.
  case hcidumpText
  /// The binary dumps of old versions of hcidump, from before it wrote btsnoop.
  case hcidump
  /// Apple's PacketLogger.
  case packetLogger
  /// Recordings of this project and other files of JSON Lines.
  case jsonLines

  /// The format's name in text for users.
  public var name: String {
    switch self {
    case .btsnoop, .pcap, .pcapng: rawValue
    case .hcidumpText: "hcidump text"
    case .hcidump: "hcidump"
    case .packetLogger: "PacketLogger"
    case .jsonLines: "JSON Lines"
    }
  }
}
