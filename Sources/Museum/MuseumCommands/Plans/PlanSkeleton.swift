// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum

/// A plan to fill in.
enum PlanSkeleton {
  /// Returns the text of a plan with the beacons of a walk and the names that the user typed.
  static func text(uuid: UInt128, _ beacons: [BeaconIdentity], _ labels: PlanLabels = PlanLabels())
    -> String
  {
    var majors: [UInt16] = []
    for beacon in beacons where !majors.contains(beacon.major) { majors.append(beacon.major) }
    let rooms = majors.map { major in
      "    { major: \(major), name: { en: \(quoted(labels.rooms[major] ?? "Room \(major)")) } },\n"
    }
    .joined()
    // The minors of several rooms can be the same; the numbers that visitors type are not.
    var numbers = Set(beacons.map { Int($0.minor) })
    var minors: Set<UInt16> = []
    let exhibits = beacons.map { beacon in
      var number = ""
      if !minors.insert(beacon.minor).inserted,
        let free = (1...).first(where: { !numbers.contains($0) })
      {
        numbers.insert(free)
        number = " number: \(free),"
      }
      return """
            {
              room: \(beacon.major), minor: \(beacon.minor),\(number)
              title: { en: \(quoted(labels.titles[beacon] ?? "Exhibit \(beacon.major)/\(beacon.minor)")) },
              // text: { en: "The text that the guide shows." },
              // at: [0, 0],
            },

        """
    }.joined()
    let start = StartPhrases.of("en")
    return """
      // A museum plan. Fill in the names; more languages go into 'languages' and beside every 'en'.
      // The exhibits are in the order of the walk. `beaconctl museum plan check FILE` shows the missing parts.
      {
        museum: { en: \(quoted(start.museum)) },
        uuid: "\(UUIDText.string(uuid))",
        languages: ["en"],
        manifest: {
          whenInUse: { en: \(quoted(start.whenInUse)) },
          purposes: {
            ExhibitGuide: { en: \(quoted(start.purpose)) },
          },
        },
        // The signal strength at 1 m, if it is not what the beacons announce: `beaconctl calibrate` measures it.
        // calibration: { power: -59 },
        // With a drawing the guide has more confidence. Positions are meters right and down from the top left corner.
        // floors: [{ level: 0, name: { en: "Ground floor" }, entrance: [0, 3], doors: [[8, 3]] }],
        // Then each room gets an outline: [[0, 0], [8, 0], [8, 6], [0, 6]], and each exhibit a position 'at'.
        rooms: [
      \(rooms)  ],
        exhibits: [
      \(exhibits)  ],
      }

      """
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONLineWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
