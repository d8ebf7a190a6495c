// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Prints how accurate each filter is, on the seeded channel and on recordings.
@main struct AccuracyBench {
  /// The first seed of the runs for judging; those for tuning start at ``tuningSeed``.
  static let judgingSeed: UInt64 = 909_090_000_000
  static let tuningSeed: UInt64 = 77_000_000_000
  static let depths = [4.0, 8, 12]

  static let usage = """
    tools/bench accuracy                      the engine's deliveries and the peers, on the rows for judging
    tools/bench accuracy --quick              the same with fewer hours of the seeded channel
    tools/bench accuracy delivered tune KEY=VALUE ...
                                              the same on the rows for tuning, with constants of `config list`
    tools/bench accuracy delivered ours KEY=VALUE ...
                                              our column of the table, with constants of `config list`;
                                              with the word `recordings`, without the seeded channel;
                                              with `hours=N`, N hours of it for each depth of fades (2)
    tools/bench accuracy receivers [tune]     distances and zones with a second adapter, on the seeded channel
    tools/bench accuracy ceilings [tune]      the most that any limit of a zone, and which width of an interval, would reach,
                                              chosen on the very rows that are judged
    tools/bench accuracy filters [--quick]    only the filters, over 100 (5) hours of the channel for each depth of fades
    tools/bench accuracy --svg FILE           also draw a picture of steps and walks
    tools/bench accuracy --cost               nanoseconds of a report and of an estimate, for each filter of ours
    tools/bench accuracy intervals            whether intervals are right with other noise and other advertising intervals
    tools/bench accuracy rooms                how much calibrating at a few places improves, in generated rooms
    tools/bench accuracy tune KEY=VALUE ...   our filter on the seeds and tracks for tuning, with constants of `config list`
    tools/bench sweep CAPTURE ...             compare parameter sets on recordings
    """

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    PeerChecks.run()
    switch arguments.first {
    case "--help", "-h": print(usage)
    case "--cost": Cost.report()
    case "intervals": print(intervals())
    case "rooms": print(MadeRooms.table(seed: tuningSeed))
    case "tune": tune(Array(arguments.dropFirst()))
    case "sweep": Sweep.run(Array(arguments.dropFirst()))
    case "delivered": delivered(Array(arguments.dropFirst()))
    case "receivers":
      print(DeliveredReceivers.table(isJudging: !arguments.contains("tune"), hours: 10))
    case "ceilings": print(DeliveredTable(isJudging: !arguments.contains("tune")).ceilings())
    case "filters":
      let isQuick = arguments.contains("--quick")
      print(table(hours: isQuick ? 5 : 100, trials: isQuick ? 60 : 400))
    default:
      let isQuick = arguments.contains("--quick")
      if let index = arguments.firstIndex(of: "--svg"), index + 1 < arguments.count {
        Picture.write(to: arguments.remove(at: index + 1))
      }
      print(DeliveredTable(isJudging: true).text(hours: isQuick ? 1 : 10))
    }
  }

  /// Prints the delivered rows with constants changed.
  static func delivered(_ arguments: [String]) {
    let (only, length) = ("recordings", "hours=")
    let words = arguments.dropFirst()
    guard let settings = settings(words.filter { $0 != only && !$0.hasPrefix(length) }) else {
      return
    }
    var table = DeliveredTable(isJudging: arguments.first != "tune")
    table.recordingsOnly = arguments.contains(only)
    table.change = { configuration in settings.forEach { configuration.apply($0) } }
    table.oursOnly = true
    let hours = words.compactMap { $0.hasPrefix(length) ? Int($0.dropFirst(length.count)) : nil }
    print(table.text(hours: hours.last ?? 2))
  }

  private static func settings(_ texts: [String]) -> [ConfigurationSetting]? {
    var settings: [ConfigurationSetting] = []
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2, let constant = ConfigurationSchema.core.constant(named: parts[0])
      else {
        print("no constant: \(text)")
        return nil
      }
      do {
        settings.append(try constant.setting(parsing: parts[1]))
      } catch {
        print(error)
        return nil
      }
    }
    return settings
  }

  static func trial(_ depth: Double, hours: Int, trials: Int, seed: UInt64) -> ChannelTrial {
    var channel = SeededChannel()
    channel.fadeDepth = depth
    return ChannelTrial(
      channel: channel,
      firstSeed: seed,
      hours: hours,
      steps: trials,
      walks: trials
    )
  }

  static func table(hours: Int, trials: Int) -> String {
    let contenders = Contender.all
    var table = AccuracyTable(columns: contenders.map(\.name))
    for depth in depths {
      let trial = trial(depth, hours: hours, trials: trials, seed: judgingSeed)
      table.heading(
        "SEEDED CHANNEL, fades of \(Int(depth)) dB, \(hours) h at rest 0.5 m within 4 m"
      )
      add(contenders.map { trial.score($0) }, to: &table)
    }
    addRecordings(contenders, to: &table)
    return table.text + "\n\n" + notes()
  }

  static func add(_ scores: [ChannelScore], to table: inout AccuracyTable) {
    table.row("bias, dB", digits: 2, scores.map(\.bias))
    table.row("spread, dB", digits: 2, scores.map(\.spread))
    table.row("distance error at rest, rms %", scores.map(\.rms))
    table.row("distance error on visits, rms %", scores.map(\.visitRMS))
    table.row("filter lag 1 to 6 m, s", scores.map(\.stepAway))
    table.row("filter lag 6 to 1 m, s", scores.map(\.stepBack))
    table.row("zone flips an hour, plain limit", scores.map(\.plainFlips))
    table.row("zone flips an hour, with its rule", digits: 2, scores.map(\.flips))
    table.row("zone lag 1 to 6 m, s", scores.map(\.zoneAway))
    table.row("zone lag 6 to 1 m, s", scores.map(\.zoneBack))
    for (index, speed) in ChannelTrial.speeds.enumerated() {
      table.row("zone lag walking away, \(speed) m/s, s", scores.map { $0.walks[index].away })
      table.row("zone lag walking near, \(speed) m/s, s", scores.map { $0.walks[index].back })
    }
    func coverage(_ name: String, _ value: (ChannelScore) -> Double) {
      table.row("in the 90 % interval \(name), %", scores.map { $0.tellsError ? value($0) : nil })
    }
    coverage("on visits") { $0.visits.all.percent }
    coverage("on visits of 1 to 10 min") { $0.longVisits.all.percent }
    coverage("at rest") { $0.rest.all.percent }
    coverage("walking") { $0.visits.walking.percent }
    for (index, age) in Coverage.ages.enumerated() {
      coverage("after \(Int(age.lowerBound)) to \(Int(age.upperBound)) s") { score in
        (age.upperBound > Visits.short.upperBound ? score.longVisits : score.visits)
          .byAge[index].percent
      }
    }
  }

  /// Returns how often intervals contain the truth if the channel differs from the one for which the filter was tuned.
  static func intervals() -> String {
    let scores = [2.0, 3, 4, 5, 6].map { noise in (noise: noise, interval: 0.25) }
    let rates = [0.1, 1, 3].map { interval in (noise: 4.0, interval: interval) }
    var table = AccuracyTable(
      columns: (scores + rates).map { "\(Int($0.noise)) dB, \($0.interval) s" }
    )
    let ours = Contender.all[0]
    for depth in depths {
      table.heading(
        "90 % INTERVALS of the default filter, noise and interval by column, fades of \(Int(depth)) dB"
      )
      let delivered = (scores + rates).map { kind in
        var trial = trial(depth, hours: 20, trials: 0, seed: judgingSeed)
        trial.channel.deviation = kind.noise
        trial.channel.interval = kind.interval
        return trial.coverages(ours.make)
      }
      table.row("on visits, %", delivered.map(\.visits.percent))
      table.row("on visits of 1 to 10 min, %", delivered.map(\.longVisits.percent))
      table.row("at rest, %", delivered.map(\.rest.percent))
    }
    return table.text
  }

  static func addRecordings(_ contenders: [Contender], to table: inout AccuracyTable) {
    guard ProjectFiles.data != nil else {
      return table.heading("RECORDINGS: absent ($BEACON_DATA names their folder)")
    }
    let guelph = Guelph()
    table.heading("GUELPH, zones at 18 taped distances in two rooms, balanced accuracy %")
    for room in guelph.rooms {
      table.row(
        "room \(room), power from the other room",
        contenders.map { guelph.transfer(to: room, $0).balanced }
      )
    }
    for room in guelph.rooms {
      for far in Guelph.farCalibrations {
        table.row(
          "room \(room), calibrated there at 1 and \(Int(far)) m",
          contenders.map { guelph.calibrated(room, far: far, $0).balanced }
        )
        table.row(
          "room \(room), the same by the line through both points",
          contenders.map { guelph.calibratedByLine(room, far: far, $0).balanced }
        )
        table.row(
          "room \(room), ceiling: two cuts in sample, without 1 and \(Int(far)) m",
          contenders.map { guelph.ceiling(room, far: far, $0) }
        )
      }
    }
    let tetam = Tetam(files: [1, 2, 3])
    let tracks = contenders.map { tetam.score($0.make) }
    table.heading("TETAM, a beacon carried among 12 receivers, tracks 1 to 3 against the cameras")
    table.row("lag, s", digits: 2, tracks.map(\.lag))
    table.row("residual at the moment, dB", digits: 2, tracks.map(\.residual))
    table.row("nearest receiver right within 1 m, %", tracks.map(\.nearest))
    table.row("switches a minute", tracks.map(\.switches))
    let testbed = Testbed()
    let passages = contenders.map { testbed.score($0.make) }
    table.heading("SAL, in and out of a hall, 4 passages of the photosensor")
    table.row("lag, s", digits: 2, passages.map(\.lag))
    table.row("changes of side told", digits: 0, passages.map { Double($0.changes) })
    table.row("on the right side, %", passages.map(\.right))
    let walks = Walks()
    let nearest = contenders.map { walks.score($0.make) }
    table.heading("ILC20, \(walks.walks.count) walks through malls, the nearest beacon")
    table.row("switches a minute", digits: 2, nearest.map(\.switchesPerMinute))
    table.row("returns within 5 s, a minute", digits: 2, nearest.map(\.returnsPerMinute))
    let rooms = Rooms()
    let stays = contenders.map { rooms.score($0.make) }
    table.heading("REDHAT, the strongest scanner against the timetable")
    table.row("right room, %", stays.map(\.balanced))
    table.row("switches a minute of stay", digits: 2, stays.map(\.switchesPerMinute))
  }

  /// Results that the table has no column for.
  static func notes() -> String {
    guard ProjectFiles.data != nil else { return "" }
    var lines: [String] = []
    let guelph = Guelph()
    let (ours, altBeacon) = (Contender.all[0], Contender.all[2])
    for room in guelph.rooms {
      for (name, confusion) in [
        ("ours, power from the other room", guelph.transfer(to: room, ours)),
        ("AltBeacon, power from the other room", guelph.transfer(to: room, altBeacon)),
        ("ours, calibrated at 1 and 5 m", guelph.calibrated(room, far: 5, ours)),
      ] {
        let rows = confusion.counts.map { row in row.map { String($0) }.joined(separator: " ") }
        lines.append(
          "guelph room \(room), \(name), told immediate near far of each: \(rows.joined(separator: " | "))"
        )
      }
      let coverage = guelph.coverage(room, ours.make)
      lines.append(
        String(
          format:
            "guelph room %d: true distance in the 90 %% interval %.0f %% of the time (surveyed at every other point: shadowing %.1f dB)",
          room,
          coverage.percent,
          coverage.shadowing
        )
      )
      let law = guelph.transferredLaw(to: room)
      lines.append(
        String(
          format:
            "guelph room %d by the other room's law: residual %.1f dB with one exponent, %.1f dB with one on either side of 1 m",
          room,
          law.one,
          law.two
        )
      )
    }
    let walks = Walks()
    lines.append(
      "ilc20: \(walks.rows) rows; the authors' distances equal the AltBeacon curve's within \(walks.worstDistance) relative;"
        + " \(walks.uncalibrated) rows announce no power, \(walks.absurd) more one above -20 dBm: unknown"
    )
    return lines.joined(separator: "\n")
  }

  /// Prints our filter's results on the seeds and tracks for tuning: constants may be chosen only by these rows.
  static func tune(_ texts: [String]) {
    guard let settings = settings(texts) else { return }
    var configuration = Configuration()
    settings.forEach { configuration.apply($0) }
    let filter = configuration.ranging.filter
    let rule = TriedRule(
      rule: ProximityRule(
        immediateLimit: 0.01,
        nearLimit: TriedRule.limit,
        hysteresis: configuration.ranging.proximity.hysteresis,
        dwell: configuration.ranging.proximity.dwell,
        certainty: configuration.ranging.proximity.certainty
      ),
      knowsError: true
    )
    let contender = Contender(texts.joined(separator: " "), rule: rule, filter)
    var table = AccuracyTable(columns: depths.map { "\(Int($0)) dB" })
    add(
      depths.map { trial($0, hours: 100, trials: 200, seed: tuningSeed).score(contender) },
      to: &table
    )
    print(table.text)
    if ProjectFiles.data != nil { print(Tetam(files: [4, 5]).score(contender.make)) }
  }
}
