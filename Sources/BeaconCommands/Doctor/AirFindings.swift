// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats

/// The findings of what was measured on the air.
struct AirFindings {
  private let air: AirMeasurement
  private let examination: Examination

  init(_ air: AirMeasurement, _ examination: Examination) {
    self.air = air
    self.examination = examination
  }

  var all: [Finding] {
    guard air.reports > 0 else { return [silence] }
    return [heard, duplicates, steps].compactMap(\.self)
  }

  private var seconds: String { DecimalText.fixed(air.span.seconds, decimals: 0) }

  private var silence: Finding {
    // Nothing at all is rare where there are people; BlueZ was asked to scan and said that it does.
    Finding(
      .note,
      "air",
      "nothing was heard in \(seconds) s, of any device; if there are devices about, the radio is deaf",
      remedy: "bluetoothctl power off && bluetoothctl power on"
    )
  }

  private var heard: Finding {
    let rate = DecimalText.fixed(air.rate, decimals: 1)
    var text = "\(rate) reports/s in \(seconds) s; "
    switch air.beaconCount {
    case 0: text += "no iBeacon among them"
    case 1: text += "1 beacon"
    case let count: text += "\(count) beacons"
    }
    if let gap = air.medianGap {
      text += ", heard every \(DecimalText.fixed(gap.seconds * 1000, decimals: 0)) ms (median)"
    }
    return Finding(air.beaconCount == 0 ? .note : .good, "air", text)
  }

  private var duplicates: Finding {
    switch air.duplicates {
    case .passed:
      return Finding(.good, "duplicates", "devices are told of again and again, as ranging needs")
    case .unknown:
      return Finding(.note, "duplicates", "too little was heard to say whether they are filtered")
    case .filtered:
      let isMended = examination.adapters.contains { !$0.takesMonitors } && !examination.hasNetAdmin
      return Finding(
        .problem,
        "duplicates",
        "each device was told of once or twice in \(seconds) s: the controller filters duplicates",
        // The finding on monitors has the remedy where it is theirs to mend.
        remedy: isMended ? nil : "sudo systemctl restart bluetooth"
      )
    }
  }

  private var steps: Finding? {
    let seen = air.steps.values.reduce(0, +)
    // Below that many, chance alone may have left the small steps out.
    guard seen >= 20, let smallest = air.smallestStep else { return nil }
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
