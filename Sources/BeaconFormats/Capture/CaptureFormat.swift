// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A format of captures, told by how a file begins and never by its name.
public enum CaptureFormat: String, Sendable, CaseIterable {
  /// The snoop format of BlueZ, Android and others: `btmon -w`, `btsnoop_hci.log`.
  case btsnoop
  /// The format of libpcap, with µs or ns, of either byte order.
  case pcap
  /// The format of Wireshark.
  case pcapng
  /// The text of `hcidump --raw`.
  case hcidumpText
  /// The binary dumps of hcidump before it wrote btsnoop.
  case hcidump
  /// Apple's PacketLogger.
  case packetLogger
  /// Our own recordings, and others' lines of JSON.
  case jsonLines

  /// The format as a person would write it.
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
