// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

extension AdvertisingEventKind {
  /// The name of the kind in capture lines: the name of the PDU in the Core Specification.
  package var lineName: StaticString {
    switch self {
    case .connectable: "ADV_IND"
    case .directed: "ADV_DIRECT_IND"
    case .scannable: "ADV_SCAN_IND"
    case .nonConnectable: "ADV_NONCONN_IND"
    case .scanResponse: "SCAN_RSP"
    case .extended: "AUX_ADV_IND"
    }
  }
}

extension DeviceAddress.Kind {
  /// The name of the kind in capture lines, `address_type`.
  package var lineName: StaticString {
    switch self {
    case .publicDevice: "public"
    case .random: "random"
    case .publicIdentity: "public-identity"
    case .randomIdentity: "random-identity"
    }
  }
}
