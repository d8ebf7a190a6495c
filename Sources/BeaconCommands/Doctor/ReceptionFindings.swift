// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats

/// The findings of what was measured on the air.
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

  private var seconds: String { DecimalText.fixed(scan.span.seconds, decimals: 0) }

  private var silence: Finding {
    // Nothing at all is rare where there are people; BlueZ was asked to scan and said that it does.
    Finding(
      .note,
      "air",
      "nothing was heard in \(seconds) s, of any device; if there are devices about, the radio is deaf",
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
    if let gap = scan.medianGap {
      text += ", heard every \(DecimalText.fixed(gap.seconds * 1000, decimals: 0)) ms (median)"
    }
    return Finding(scan.beaconCount == 0 ? .note : .good, "air", text)
  }

  private var duplicates: Finding {
    switch scan.duplicates {
    case .passed:
      return Finding(.good, "duplicates", "devices are told of again and again, as ranging needs")
    case .unknown:
      return Finding(.note, "duplicates", "too little was heard to say whether they are filtered")
    case .filtered:
      let isFixed =
        examination.adapters.contains { !$0.acceptsMonitors } && !examination.hasNetAdmin
      return Finding(
        .problem,
        "duplicates",
        "each device was told of once or twice in \(seconds) s: the controller filters duplicates",
        // The finding on monitors has the remedy where it is theirs to mend.
        remedy: isFixed ? nil : "sudo systemctl restart bluetooth"
      )
    }
  }

  private var steps: Finding? {
    let seen = scan.steps.values.reduce(0, +)
    // Below that many, chance alone may have left the small steps out.
    guard seen >= 20, let smallest = scan.smallestStep else { return nil }
    guard smallest >= 8 else {
      return Finding(.good, "RSSI", "steps of \(smallest) dB were seen, so every change is told")
    }
    return Finding(
      .problem,
      "RSSI",
      "no step below \(smallest) dB was seen: BlueZ tells only of large changes, as without a filter",
      remedy: "sudo systemctl restart bluetooth"
    )
  }
}
