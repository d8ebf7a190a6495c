// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

@main struct AccuracyBench {
  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count > 1, arguments[1] == "tune" { return tune(Array(arguments.dropFirst(2))) }
    for contender in Contender.all { report(contender.name, contender.make) }
  }

  static func report(_ name: String, hours: Int = 10, steps: Int = 100, depths: [Double] = [4, 8, 12], _ make: () -> any TriedFilter) {
    for depth in depths {
      var channel = SeededChannel()
      channel.fadeDepth = depth
      let s = ChannelTrial(channel: channel, firstSeed: 77_000_000_000, hours: hours, steps: steps, walks: steps).score(make)
      func f(_ x: Double) -> String { String(format: "%6.2f", x) }
      print(name.padding(toLength: 24, withPad: " ", startingAt: 0), Int(depth), "b", f(s.bias), "sd", f(s.spread), "rms", f(s.rms), "plain", f(s.plainFlips), "flips", f(s.flips), "step", f(s.stepAway), f(s.stepBack), "zone", f(s.zoneAway), f(s.zoneBack), "walk", s.walks.map { f($0.away) + f($0.back) }.joined(separator: " "), "cov", f(s.coverage))
    }
  }

  static func tune(_ arguments: [String]) {
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
      case "mdrift": p.movingDrift = value
      default: print("?", parts[0])
      }
    }
    let tables = GridTables(p)
    report(arguments.joined(separator: " "), { GridProto(tables) })
  }
}
