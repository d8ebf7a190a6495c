// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Eighteen measured distances in two rooms (`guelph-pathloss`): the accuracy of zones and of intervals.
struct Guelph {
  struct Point {
    let room: Int
    let meters: Double
    let rssi: [Int8]
  }

  /// Zones as the issue of this data has them: immediate below 0.5 m, far from 4 m on.
  static let immediateLimit = 0.5
  static let nearLimit = 4.0
  /// No clock was recorded: four readings a second, as the seeded channel sends them.
  static let interval = 0.25
  /// A point is judged from its eighth reading on, 2 s after it was reset.
  static let firstJudged = 8
  /// The far points tried, in meters: three, and the farthest there is.
  static let farCalibrations = [3.0, 5]

  let points: [Point]
  var rooms: [Int] { Set(points.map(\.room)).sorted() }

  init() {
    var points: [Point] = []
    for row in Recordings.rows("guelph-pathloss/pathloss_ble.csv", separator: ",").dropFirst() {
      guard row.count > 5, let room = Int(row[0]), let meters = Double(row[2]),
        let rssi = Int8(row[5].trimmingCharacters(in: .whitespaces))
      else { continue }
      if points.last?.room == room, points.last?.meters == meters, let last = points.popLast() {
        points.append(Point(room: room, meters: meters, rssi: last.rssi + [rssi]))
      } else {
        points.append(Point(room: room, meters: meters, rssi: [rssi]))
      }
    }
    self.points = points
  }

  static func zone(_ meters: Double) -> Int {
    meters < immediateLimit ? 0 : meters < nearLimit ? 1 : 2
  }

  /// Returns the filtered values of a point's readings from ``firstJudged`` on; the filter starts empty.
  static func filtered(_ point: Point, _ make: () -> any TriedFilter) -> [FilteredRSSI] {
    var filter = make()
    var values: [FilteredRSSI] = []
    for (index, rssi) in point.rssi.enumerated() {
      let time = Timestamp.atSecond(Double(index) * interval)
      filter.add(rssi, at: time)
      if index >= firstJudged, let value = filter.estimate(at: time) { values.append(value) }
    }
    return values
  }

  /// Returns the result of a calibration at a place with a filter: the mean of the filter's values there, so that its
  /// own bias cancels.
  func level(room: Int, meters: Double, _ make: () -> any TriedFilter) -> Double {
    points.filter { $0.room == room && $0.meters == meters }
      .flatMap { Self.filtered($0, make).map(\.dBm) }.mean
  }

  /// The share of each zone's readings with the right zone, averaged over zones, and the whole matrix.
  struct Confusion {
    var counts = [[Int]](repeating: [0, 0, 0], count: 3)
    mutating func count(_ truth: Int, delivered: Int) { counts[truth][delivered] += 1 }
    var balanced: Double {
      let shares = counts.enumerated().filter { $0.element.reduce(0, +) > 0 }
        .map { Double($0.element[$0.offset]) / Double($0.element.reduce(0, +)) }
      return 100 * shares.mean
    }
  }

  /// Zones in one room, the power at a meter from the other.
  func transfer(to room: Int, _ contender: Contender) -> Confusion {
    let other = rooms.first { $0 != room } ?? room
    let power = level(room: other, meters: 1, contender.make).rounded()
    return confusion(room: room, without: [], contender.make) { dBm in
      contender.pathLoss.distance(rssi: dBm, measuredPower: power)
    }
  }

  /// Zones in a room calibrated there at two points, as `beaconctl calibrate` does; they are not judged.
  func calibrated(_ room: Int, far: Double, _ contender: Contender) -> Confusion {
    guard let site = survey(room, far: far, contender.make).fit?.calibration else {
      return Confusion()
    }
    let model = PathLoss.twoPoint(site)
    return confusion(room: room, without: [1, far], contender.make) { dBm in
      model.distance(rssi: dBm, measuredPower: site.powerAtOneMeter)
    }
  }

  private func survey(_ room: Int, far: Double, _ make: () -> any TriedFilter) -> SiteSurvey {
    var survey = SiteSurvey()
    survey.add(level: level(room: room, meters: 1, make), at: 1)
    survey.add(level: level(room: room, meters: far, make), at: far)
    return survey
  }

  /// Like ``calibrated(_:far:_:)``, with the line through the two points.
  func calibratedByLine(_ room: Int, far: Double, _ contender: Contender) -> Confusion {
    guard let fit = survey(room, far: far, contender.make).fit else { return Confusion() }
    let model = PathLoss.logDistance(exponent: fit.exponent)
    return confusion(room: room, without: [1, far], contender.make) { dBm in
      model.distance(rssi: dBm, measuredPower: fit.powerAtOneMeter)
    }
  }

  /// Returns the result of two limits of the filtered RSSI that are chosen on these same rows: no rule with one value
  /// can do better.
  func ceiling(_ room: Int, far: Double, _ contender: Contender) -> Double {
    var histograms = [[Int]](repeating: [Int](repeating: 0, count: 512), count: 3)
    for point in points
    where point.room == room && ![1, far].contains(point.meters) {
      for value in Self.filtered(point, contender.make) {
        histograms[Self.zone(point.meters)][min(511, max(0, Int((-value.dBm * 4).rounded())))] += 1
      }
    }
    let sums = histograms.map { histogram in
      histogram.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
    }
    var best = 0.0
    for near in 0...512 {
      for far in near...512 {
        let shares = [
          Double(sums[0][near]) / Double(sums[0][512]),
          Double(sums[1][far] - sums[1][near]) / Double(sums[1][512]),
          1 - Double(sums[2][far]) / Double(sums[2][512]),
        ]
        best = max(best, shares.mean)
      }
    }
    return 100 * best
  }

  private func confusion(
    room: Int,
    without calibration: [Double],
    _ make: () -> any TriedFilter,
    _ distance: (Double) -> Double
  ) -> Confusion {
    var confusion = Confusion()
    for point in points where point.room == room && !calibration.contains(point.meters) {
      for value in Self.filtered(point, make) {
        confusion.count(Self.zone(point.meters), delivered: Self.zone(distance(value.dBm)))
      }
    }
    return confusion
  }

  // MARK: - Intervals and laws

  /// The share of readings whose 90 % interval holds the true distance, in percent, in a room surveyed at every other point;
  /// those are not judged.
  func coverage(_ room: Int, _ make: () -> any TriedFilter) -> (percent: Double, shadowing: Double)
  {
    let own = points.filter { $0.room == room }
    var survey = SiteSurvey()
    for (index, point) in own.enumerated() where index.isMultiple(of: 2) {
      var session = CalibrationSession(at: point.meters)
      for rssi in point.rssi { session.add(rssi) }
      survey.add(session)
    }
    guard let fit = survey.fit, let site = fit.calibration else { return (.nan, .nan) }
    var (held, all) = (0, 0)
    for (index, point) in own.enumerated() where !index.isMultiple(of: 2) {
      for value in Self.filtered(point, make) {
        let distance = DistanceEstimate(
          rssi: value,
          measuredPower: site.powerAtOneMeter,
          pathLoss: .twoPoint(site),
          shadowing: fit.shadowing ?? DistanceEstimate.shadowingDeviation
        )
        all += 1
        if distance.low <= point.meters && point.meters <= distance.high { held += 1 }
      }
    }
    return (100 * Double(held) / Double(all), fit.shadowing ?? .nan)
  }

  /// The residual in dB of the other room's places about the law fitted here: of one exponent, and of one on either side
  /// of a meter.
  func transferredLaw(to room: Int) -> (one: Double, two: Double) {
    func places(_ here: Bool) -> [(decades: Double, level: Double)] {
      points.filter { ($0.room == room) != here }
        .map { (log10($0.meters), $0.rssi.map { Double($0) }.mean) }
    }
    var (sumOne, sumTwo) = (0.0, 0.0)
    let one = Self.leastSquares(places(true).map { ([1, $0.decades], $0.level) })
    let two = Self.leastSquares(
      places(true).map { ([1, min(0, $0.decades), max(0, $0.decades)], $0.level) }
    )
    let judged = places(false)
    for place in judged {
      let first = place.level - one[0] - one[1] * place.decades
      let second =
        place.level - two[0] - two[1] * min(0, place.decades) - two[2] * max(0, place.decades)
      sumOne += first * first
      sumTwo += second * second
    }
    let count = Double(judged.count)
    return ((sumOne / count).squareRoot(), (sumTwo / count).squareRoot())
  }

  /// Solves the normal equations of a small problem by elimination.
  private static func leastSquares(_ rows: [(factors: [Double], value: Double)]) -> [Double] {
    let size = rows.first?.factors.count ?? 0
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: size + 1), count: size)
    for row in rows {
      for i in 0..<size {
        for j in 0..<size { matrix[i][j] += row.factors[i] * row.factors[j] }
        matrix[i][size] += row.factors[i] * row.value
      }
    }
    for i in 0..<size {
      for k in 0..<size where k != i {
        let factor = matrix[k][i] / matrix[i][i]
        for j in i...size { matrix[k][j] -= factor * matrix[i][j] }
      }
    }
    return (0..<size).map { matrix[$0][size] / matrix[$0][$0] }
  }
}
