// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// Finds the limits of the guide: how close the exhibits may be, how dense the crowd, and how large the loss.
enum BreakingPoints {
  static func report(seeds: Int, visitors: Int) throws {
    print(
      "WHERE IT BREAKS: 24 exhibits in four rooms, seeds 1 to \(seeds), \(visitors) visitors each"
    )
    print("exhibit right while standing, after 4 s, % / wrong announcements, %\n")
    let crowds = [0, 0.2, 0.5]
    let widths = [26] + crowds.map { _ in 18 }
    MuseumBench.write(
      ["spacing, delivered"] + crowds.map { "\($0) people/m2" },
      widths: widths
    )
    for spacing in [1.0, 2, 3] {
      let plan = grid(spacing: spacing)
      for delivered in [0.9, 0.77, 0.5] {
        var cells = ["\(Int(spacing)) m, \(Int(delivered * 100)) %"]
        for people in crowds {
          let change = World.Change(delivered: delivered, bystanders: people)
          let score = try GuideTable(
            plan: plan,
            settings: ConfigurationSettings(),
            seeds: 1..<(seeds + 1),
            visitors: visitors
          ).scores(change, comparing: false)[0]
          cells.append(
            MuseumBench.percent(score.standingRight, score.snapshot) + " / "
              + MuseumBench.percent(score.announcedWrong, score.announced)
          )
        }
        MuseumBench.write(cells, widths: widths)
      }
    }
  }

  /// Four rooms in a row, each with six exhibits in two rows.
  static func grid(spacing: Double) -> Plan {
    let width = 3 * spacing
    let height = 2 * spacing + 2
    let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E
    var rooms: [Plan.Room] = []
    var exhibits: [Plan.Exhibit] = []
    for room in 0..<4 {
      let left = Double(room) * width
      rooms.append(
        Plan.Room(
          major: UInt16(room + 1),
          name: LocalizedText("Room \(room + 1)", in: "en"),
          outline: [
            Plan.Point(left, 0), Plan.Point(left + width, 0), Plan.Point(left + width, height),
            Plan.Point(left, height),
          ]
        )
      )
      for place in 0..<6 {
        exhibits.append(
          Plan.Exhibit(
            identity: BeaconIdentity(
              uuid: uuid,
              major: UInt16(room + 1),
              minor: UInt16(place + 1)
            ),
            title: LocalizedText("Exhibit \(room + 1).\(place + 1)", in: "en"),
            position: Plan.Point(
              left + (Double(place % 3) + 0.5) * spacing,
              1 + (Double(place / 3) + 0.5) * spacing
            )
          )
        )
      }
    }
    return Plan(
      museum: LocalizedText("Grid", in: "en"),
      uuid: uuid,
      languages: ["en"],
      floors: [
        Plan.Floor(
          level: 0,
          name: LocalizedText("Floor", in: "en"),
          entrance: Plan.Point(0, height / 2),
          doors: (1..<4).map { Plan.Point(Double($0) * width, height / 2) }
        )
      ],
      rooms: rooms,
      exhibits: exhibits,
      calibration: Plan.Calibration(power: -59, exponent: 2.4)
    )
  }
}
