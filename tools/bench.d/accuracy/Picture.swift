// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// A picture of the filters' distances over time, for a step away and back and for a walk.
enum Picture {
  private static let width = 900.0
  private static let height = 420.0
  private static let seconds = 120.0
  private static let meters = 9.0
  private static let margin = 40.0
  private static let shown = [
    ("ours", "#0b6e4f"), ("AltBeacon", "#c03221"), ("kalmanjs", "#8a6fb0"), ("mean 5 s", "#c9a227"),
  ]

  /// One meter, six meters from 30 s to 60 s, then a walk from one to six at 0.5 m/s and a stay.
  private static func truth(_ second: Double) -> Double {
    if second < 30 { return 1 }
    if second < 60 { return 6 }
    return second < 80 ? 1 : min(6, 1 + (second - 80) * 0.5)
  }

  static func write(to path: String) {
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width)) \(Int(height))\" font-family=\"sans-serif\" font-size=\"12\">",
      "<title>Distances of one moving beacon, by filter, on the seeded channel</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    for meter in 0..<Int(meters) {
      let y = place(0, Double(meter)).y
      lines.append(
        "<path d=\"M\(text(margin)) \(text(y))H\(text(width - 10))\" stroke=\"#ddd\"/><text x=\"8\" y=\"\(text(y + 4))\">\(meter) m</text>"
      )
    }
    for second in stride(from: 0.0, through: seconds, by: 20) {
      let x = place(second, 0).x
      lines.append("<text x=\"\(text(x))\" y=\"\(text(height - 12))\">\(Int(second)) s</text>")
    }
    let course = stride(from: 0.0, through: seconds, by: 0.25).map { ($0, truth($0)) }
    lines.append(curve(course, "#000000", "stroke-dasharray=\"4 3\""))
    lines.append("<text x=\"\(text(width - 150))\" y=\"20\">- - the truth</text>")
    for (index, (name, color)) in shown.enumerated() {
      guard let contender = Contender.all.first(where: { $0.name == name }) else { continue }
      lines.append(curve(delivered(contender), color, ""))
      lines.append(
        "<text x=\"\(text(width - 150))\" y=\"\(38 + 18 * index)\" fill=\"\(color)\">\(name)</text>"
      )
    }
    lines.append("</svg>")
    do {
      try (lines.joined(separator: "\n") + "\n").write(
        toFile: path,
        atomically: true,
        encoding: .utf8
      )
    } catch {
      FileHandle.standardError.write(Data("accuracy: \(path): \(error)\n".utf8))
    }
  }

  private static func delivered(_ contender: Contender) -> [(Double, Double)] {
    var filter = contender.make()
    var next = 1.0
    var values: [(Double, Double)] = []
    let channel = SeededChannel()
    channel.run(seconds: seconds, seed: AccuracyBench.judgingSeed, path: truth) { sample in
      while Timestamp.atSecond(next) < sample.time {
        if let value = filter.estimate(at: .atSecond(next)) {
          let distance = PathLoss.standard.distance(rssi: value.dBm, measuredPower: channel.power)
          values.append((next, distance))
        }
        next += 1
      }
      filter.add(sample.rssi, at: sample.time)
      return true
    }
    return values
  }

  private static func place(_ second: Double, _ distance: Double) -> (x: Double, y: Double) {
    (
      margin + second / seconds * (width - margin - 10),
      height - 30 - min(distance, meters) / meters * (height - 50)
    )
  }

  private static func curve(_ values: [(Double, Double)], _ color: String, _ style: String)
    -> String
  {
    let points = values.map { place($0.0, $0.1) }.map { "\(text($0.x)),\(text($0.y))" }
    return
      "<polyline fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\" \(style) points=\"\(points.joined(separator: " "))\"/>"
  }

  private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
