// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

@main struct AccuracyBench {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count > 1, arguments[1] == "real" { return real(Array(arguments.dropFirst(2))) }
    if arguments.count > 1, arguments[1] == "tune" { return tune(Array(arguments.dropFirst(2))) }
    if arguments.count > 1, arguments[1] == "zones" {
      let make = Contender.all[0].make
      for (h, d) in [(0.25, 3.0), (0.25, 2), (0.25, 1), (0.25, 0), (0.2, 3), (0.2, 2), (0.15, 3), (0.15, 2), (0.3, 1), (0.3, 0)] {
        report("share \(h) \(d)", hours: 40, rule: .share(ProximityRule(immediateLimit: 0.01, nearLimit: 4, hysteresis: h, dwell: TimeSpan(seconds: d))), make)
      }
      for z in [1.0, 1.28, 1.645, 2, 2.33] { for d in [0.0, 1, 2, 3] {
        report("certain \(z) \(d)", hours: 40, rule: .certainty(limit: 4, deviations: z, dwell: d), make)
      } }
      return
    }
    if arguments.count > 1, arguments[1] == "cost" { return Cost.report() }
    if arguments.count > 1, arguments[1] == "ours" { return report("ours", Contender.all[0].make) }
    for contender in Contender.all { report(contender.name, contender.make) }
  }

  static func report(_ name: String, hours: Int = 10, steps: Int = 100, depths: [Double] = [4, 8, 12], rule: TriedRule = .share(ProximityRule(immediateLimit: 0.01, nearLimit: 4)), _ make: () -> any TriedFilter) {
    for depth in depths {
      var channel = SeededChannel()
      channel.fadeDepth = depth
      if let text = ProcessInfo.processInfo.environment["POWER"], let power = Double(text) { channel.power = power }
      let s = ChannelTrial(channel: channel, firstSeed: 77_000_000_000, hours: hours, steps: steps, walks: steps, rule: rule).score(make)
      func f(_ x: Double) -> String { String(format: "%6.2f", x) }
      print(name.padding(toLength: 24, withPad: " ", startingAt: 0), Int(depth), "b", f(s.bias), "sd", f(s.spread), "rms", f(s.rms), "plain", f(s.plainFlips), "flips", f(s.flips), "step", f(s.stepAway), f(s.stepBack), "zone", f(s.zoneAway), f(s.zoneBack), "walk", s.walks.map { f($0.away) + f($0.back) }.joined(separator: " "), "cov", f(s.coverage), "visit", f(s.visitRMS), f(s.visitCoverage))
    }
  }

  static func real(_ arguments: [String]) {
    let guelph = Guelph()
    let tetam = Tetam(files: arguments.contains("judge") ? [1, 2, 3] : [4, 5])
    let sal = Testbed()
    let walks = Walks()
    let rooms = Rooms()
    print(guelph.points.count, tetam.receivers.count, tetam.tracks.map { $0.samples.count }, sal.samples.count, walks.walks.count, walks.rows, walks.worstDistance, rooms.runs.map { ($0.name, $0.rooms, $0.samples.map { $0.samples.count }) })
    var all = Contender.all
    let parts = arguments.joined(separator: " ").split(separator: ",")
    for part in parts where part.contains("=") {
      let tables = GridTables(parameters(part.split(separator: " ").map { String($0) }))
      all.append(Contender(String(part)) { GridProto(tables) })
    }
    for c in all {
      func f(_ x: Double) -> String { String(format: "%5.2f", x) }
      let t = tetam.score(c.make)
      let s = sal.score(c.make)
      let w = walks.score(c.make)
      let r = rooms.score(c.make)
      let g = guelph.rooms.map { "\(f(guelph.transfer(to: $0, c).balanced)) \(f(guelph.calibrated($0, c).balanced)) \(f(guelph.ceiling($0, c)))" }
      print(c.name.padding(toLength: 24, withPad: " ", startingAt: 0), "G", g, "T", f(t.lag), f(t.residual), f(t.delayedResidual), f(t.nearest), f(t.switches), "S", f(s.lag), s.changes, s.trueChanges, f(s.right), "W", f(w.switchesPerMinute), f(w.returnsPerMinute), "R", f(r.balanced), f(r.switchesPerMinute))
    }
  }

  static func tune(_ arguments: [String]) {
    let tables = GridTables(parameters(arguments))
    report(arguments.joined(separator: " "), { GridProto(tables) })
  }

  static func parameters(_ arguments: [String]) -> GridParameters {
    var p = GridParameters()
    for argument in arguments {
      let parts = argument.split(separator: "=")
      guard parts.count == 2, let value = Double(parts[1]) else { continue }
      switch parts[0] {
      case "cells": p.cells = Int(value)
      case "spacing": p.spacing = value
      case "lowest": p.lowest = value
      case "sigma": p.sigma = value
      case "share": p.fadeShare = value
      case "low": p.fadeLow = value
      case "high": p.fadeHigh = value
      case "outlier": p.outlier = value
      case "jump": p.jump = value
      case "drift": p.drift = value
      case "start": p.startMoving = value
      case "stop": p.stopMoving = value
      case "adapt": p.adapt = value
      case "min": p.minSigma = value
      case "mdrift": p.movingDrift = value
      default: print("?", parts[0])
      }
    }
    return p
  }
}
