// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats

/// The findings of the measurement while listening.
struct ReceptionFindings {
  private let scan: ReceptionMeasurement
  private let examination: Examination

  init(_ scan: ReceptionMeasurement, _ examination: Examination) {
    self.scan = scan
    self.examination = examination
  }

  var all: [Finding] {
    guard scan.reports > 0 else { return [silence] }
    return [reception, duplicates, steps].compactMap(\.self)
  }

  /// More names would fill the screen.
  private static let mostNames = 8

  private var seconds: String { DecimalText.fixed(scan.span.seconds, decimals: 0) }

  private var silence: Finding {
    // Nothing at all is rare if there are people; BlueZ was asked to scan and reported that it does.
    Finding(
      .note,
      "air",
      "nothing was received in \(seconds) s, from any device; if devices are near, the radio is deaf",
      remedy: "bluetoothctl power off && bluetoothctl power on"
    )
  }

  private var reception: Finding {
    let rate = DecimalText.fixed(scan.rate, decimals: 1)
    var text = "\(rate) reports/s in \(seconds) s; "
    switch scan.beaconCount {
    case 0: text += "no iBeacon among them"
    case 1: text += "1 beacon"
    case let count: text += "\(count) beacons"
    }
    let named = scan.identities.compactMap { examination.names[$0] }
    if !named.isEmpty {
      let further = named.count > Self.mostNames ? " and others with names" : ""
      text += " (\(named.prefix(Self.mostNames).joined(separator: ", "))\(further))"
    }
    if let gap = scan.medianGap {
      text += ", received every \(DecimalText.fixed(gap.seconds * 1000, decimals: 0)) ms (median)"
    }
    return Finding(scan.beaconCount == 0 ? .note : .good, "air", text)
  }

  private var duplicates: Finding {
    switch scan.duplicates {
    case .passed:
      return Finding(.good, "duplicates", "devices are reported repeatedly, as ranging needs")
    case .unknown:
      return Finding(
        .note,
        "duplicates",
        "too little was received to know whether they are filtered"
      )
    case .filtered:
      let isFixed =
        examination.adapters.contains { !$0.acceptsMonitors } && !examination.addsMonitors
      return Finding(
        .problem,
        "duplicates",
        "each device was reported once or twice in \(seconds) s: the controller filters duplicates",
        // The finding on monitors has the remedy if a user can fix it.
        remedy: isFixed ? nil : "sudo systemctl restart bluetooth"
      )
    }
  }

  private var steps: Finding? {
    let seen = scan.steps.values.reduce(0, +)
    // Below that many, chance may have left the small steps out.
    guard seen >= 20, let smallest = scan.smallestStep else { return nil }
    guard smallest >= 8 else {
      return Finding(
        .good,
        "RSSI",
        "steps of \(smallest) dB were seen, so every change is reported"
      )
    }
    return Finding(
      .problem,
      "RSSI",
      "no step below \(smallest) dB was seen: BlueZ reports only large changes, as it does without a filter",
      remedy: "sudo systemctl restart bluetooth"
    )
  }
}
