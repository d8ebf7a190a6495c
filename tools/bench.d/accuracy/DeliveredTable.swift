// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// The table of what `range` delivers: the engine with shipped defaults and, driven in the same way, the peers.
struct DeliveredTable {
  /// Whether the rows are those for judging; otherwise, those for tuning.
  let isJudging: Bool
  /// The changes of the engine's configuration, for tuning.
  var change: (inout Configuration) -> Void = { _ in }
  /// Whether peers are left out.
  var oursOnly = false
  /// Whether the seeded channel is left out.
  var recordingsOnly = false

  private func rangers(near: Double = 3) -> [Ranger] {
    Ranger.all(near: near).prefix(oursOnly ? 1 : .max).map { ranger in
      guard case .engine(let name, var configuration) = ranger, name == "ours" else {
        return ranger
      }
      change(&configuration)
      return .engine(name, configuration)
    }
  }

  func text(hours: Int) -> String {
    var table = AccuracyTable(columns: rangers().map(\.name))
    if !recordingsOnly { addChannel(hours: hours, to: &table) }
    guard ProjectFiles.data != nil else {
      table.heading("RECORDINGS: absent ($BEACON_DATA names their folder)")
      return table.text
    }
    addWalks(to: &table)
    addPlaces(to: &table)
    addTracks(to: &table)
    addRooms(to: &table)
    return table.text
  }

  /// Returns what could be reached at most on the same rows.
  func ceilings() -> String {
    guard ProjectFiles.data != nil else { return "RECORDINGS: absent" }
    let tetam = Tetam(files: isJudging ? [1, 2, 3] : [4, 5])
    let rows: [(name: String, near: Double, score: (Ranger) -> DeliveredScore)] = [
      (
        "guelph", 4,
        { [isJudging] in MeasuredPlace.score(MeasuredPlace.guelph(judging: isJudging), near: 4, $0)
        }
      ),
      (
        "pact", 3,
        { [isJudging] in MeasuredPlace.score(MeasuredPlace.bodies(judging: isJudging), near: 3, $0)
        }
      ),
      (
        "lunch", 3,
        { [isJudging] in MeasuredPlace.score(Lunch.places(judging: isJudging), near: 3, $0) }
      ),
      ("tetam", 3, { tetam.delivered(by: $0, power: Tetam.power).distances }),
    ]
    var zones = AccuracyTable(columns: rangers().map(\.name))
    var intervals = AccuracyTable(columns: rows.map(\.name))
    var own: [DeliveredScore] = []
    for row in rows {
      let scores = rangers(near: row.near).map(row.score)
      zones.row("\(row.name), right zone as delivered, %", scores.map(\.balanced))
      zones.row("\(row.name), with the best limits in sample, %", scores.map(\.ceiling.zones))
      own += scores.prefix(1)
    }
    intervals.row("truth in the 90 % interval, %", own.map(\.inside.percent))
    intervals.row("half the width, dB", own.map(\.ceiling.reach))
    for percent in [85.0, 90, 95] {
      intervals.row(
        "times as wide for \(Int(percent)) %",
        digits: 2,
        own.map { $0.ceiling.factor(for: percent) }
      )
    }
    return zones.text + "\n\n" + intervals.text
  }

  private func addChannel(hours: Int, to table: inout AccuracyTable) {
    let seed = isJudging ? AccuracyBench.judgingSeed : AccuracyBench.tuningSeed
    for depth in AccuracyBench.depths {
      let channel = DeliveredChannel(depth: depth, seed: seed)
      table.heading(
        "SEEDED CHANNEL with 4 dB of shadowing, fades of \(Int(depth)) dB, visits of 5 to 60 s"
      )
      let scores = rangers().map { channel.visits(hours: hours, $0) }
      table.row("distance wrong by a factor of, median", digits: 2, scores.map(\.rest.factor))
      table.row("truth in the 90 % interval at rest, %", scores.map(\.rest.inside.percent))
      table.row("truth in the 90 % interval walking, %", scores.map(\.walking.inside.percent))
      table.row(
        "truth in the 90 % interval in the first 5 s, %",
        scores.map(\.first.inside.percent)
      )
      let indices = rangers().indices
      let zones = indices.map { index in
        channel.zones(hours: hours, steps: 20 * hours) { rangers(near: $0)[index] }
      }
      table.row("zone flips an hour at rest, 0.5 m from the limit", digits: 2, zones.map(\.flips))
      table.row("lag of the zone after a step, s", digits: 2, zones.map(\.lag))
    }
  }

  private func addWalks(to table: inout AccuracyTable) {
    let floors = SurveyedFloor.files(judging: isJudging).map { SurveyedFloor($0) }
    let count = floors.map(\.walks.count).reduce(0, +)
    table.heading("ILC20, \(count) walks through malls, a beacon carried past many on ceilings")
    let scores = rangers().map { ranger in
      var score = NearestScore()
      for floor in floors {
        for walk in floor.walks {
          score.run(walk.scene, by: ranger) { walk.truths(floor.places, at: $0) }
        }
      }
      return score
    }
    NearestScore.add(scores, to: &table)
  }

  private func addPlaces(to table: inout AccuracyTable) {
    table.heading(
      "GUELPH, a taped distance in line of sight, power from the other room's mean at 1 m"
    )
    let taped = MeasuredPlace.guelph(judging: isJudging)
    DeliveredScore.add(
      rangers(near: 4).map { MeasuredPlace.score(taped, near: 4, $0) },
      to: &table
    )
    addCalibrated(taped, to: &table)
    table.heading("PACT, phones on two bodies, 3 to 15 feet, power from the median at 3 feet")
    let bodies = MeasuredPlace.bodies(judging: isJudging)
    DeliveredScore.add(rangers().map { MeasuredPlace.score(bodies, near: 3, $0) }, to: &table)
    table.heading("DP3T, people at lunch with phones in pockets, power from the other phones")
    let lunch = Lunch.places(judging: isJudging)
    DeliveredScore.add(rangers().map { MeasuredPlace.score(lunch, near: 3, $0) }, to: &table)
  }

  /// Adds the room of guelph calibrated at 1 and 4 m, as `calibrate` does, without these two places.
  private func addCalibrated(_ taped: [MeasuredPlace], to table: inout AccuracyTable) {
    let room = isJudging ? 3 : 1
    var survey = SiteSurvey()
    var levels: [Double] = []
    for point in Guelph().points where point.room == room && [1, 4].contains(point.meters) {
      var session = CalibrationSession(at: point.meters)
      for rssi in point.rssi { session.add(rssi) }
      survey.add(session)
      levels += session.level.map { [$0.dBm] } ?? []
    }
    guard let fit = survey.fit, let law = fit.calibration, levels.count == 2 else { return }
    let middle = PathLoss.logDistance(exponent: fit.heldExponent)
      .distance(rssi: levels.mean, measuredPower: fit.heldPower)
    let captures = Guelph().points.filter { $0.room == room }
    let accepted = captures.count { point in
      var session = CalibrationSession(at: point.meters)
      for rssi in point.rssi { session.add(rssi) }
      return session.verdict.isUsable
    }
    let others = taped.filter { ![1, 4].contains($0.meters(.earliest, 0) ?? 0) }
    table.heading("GUELPH, calibrated in the same room at 1 and 4 m, ours")
    table.row(
      "captures that `calibrate` accepts, of \(captures.count)",
      digits: 0,
      [Double(accepted)]
    )
    for (name, limit) in [("the limit at 4 m", 4.0), ("the limit midway, --zone", middle)] {
      guard case .engine(let own, var configuration) = rangers(near: limit)[0] else { continue }
      configuration.ranging.pathLoss = .twoPoint(law)
      try? configuration.ranging.calibration.setPower(fit.heldPower, for: .uuid(Ranger.uuid))
      let score = MeasuredPlace.score(others, near: 4, .engine(own, configuration))
      table.row("right zone, \(name), %", [score.balanced])
      table.row("distance wrong by a factor of, median", digits: 2, [score.factor])
    }
  }

  private func addTracks(to table: inout AccuracyTable) {
    table.heading("TETAM, a beacon moved among 12 receivers, power from the tracks for tuning")
    let tetam = Tetam(files: isJudging ? [1, 2, 3] : [4, 5])
    let tracks = rangers().map { tetam.delivered(by: $0, power: Tetam.power) }
    DeliveredScore.add(tracks.map(\.distances), to: &table)
    NearestScore.add(tracks.map(\.nearest), to: &table)
    table.row("lag of the distance, s", digits: 2, tracks.map(\.lag))
    guard isJudging else { return }
    let testbed = Testbed()
    let passages = rangers().map { testbed.score($0) }
    table.heading("SAL, in and out of a hall, 4 passages of the photosensor")
    table.row("lag, s", digits: 2, passages.map(\.lag))
    table.row("changes of side", digits: 0, passages.map { Double($0.changes) })
    table.row("on the right side, %", passages.map(\.right))
  }

  private func addRooms(to table: inout AccuracyTable) {
    if isJudging {
      let rooms = Rooms()
      let stays = rangers().map { rooms.score($0) }
      table.heading("REDHAT, the nearest scanner against the timetable")
      table.row("right room, %", stays.map(\.balanced))
      table.row("changes a minute of stay", digits: 2, stays.map(\.switchesPerMinute))
      let both = rangers().map { rooms.combined($0) }
      table.row("nearest of several scanners as one, dB of spread", digits: 2, both)
    }
    table.heading(
      "STAYS of real beacons, the limit half a meter of four on either side of the mean"
    )
    let stays = isJudging ? Stays.timetable() : Stays.rooms()
    let indices = rangers().indices
    let scores = indices.map { index in
      var score = StayScore()
      for stay in stays { score.run(stay) { rangers(near: $0)[index] } }
      return score
    }
    table.row("zone flips an hour", digits: 2, scores.map(\.flipsPerHour))
    table.row("hours judged", digits: 2, scores.map(\.hours))
    table.heading("EXITS of `monitor`, the same stays, then silence")
    ExitScore.add(stays, rangers(), to: &table)
  }
}
