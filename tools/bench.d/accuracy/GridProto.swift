// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

struct GridParameters {
  var cells = 96
  var spacing = 1.0
  var lowest = -112.0
  var sigma = 4.5
  var fadeShare = 0.18
  var fadeLow = 2.0
  var fadeHigh = 14.0
  var outlier = 0.003
  var jump = 0.02
  var drift = 0.05
  var scaleRate = 0.0
  // second mode
  var startMoving = 0.0
  var stopMoving = 0.3
  var movingDrift = 4.0
  var adapt = 0.0
  var minSigma = 3.5
  var fadeVariance: Double {
    let m = (fadeLow + fadeHigh) / 2
    let e = m * m + (fadeHigh - fadeLow) * (fadeHigh - fadeLow) / 12
    return fadeShare * e - fadeShare * fadeShare * m * m
  }
}

final class GridTables: @unchecked Sendable {
  var tables: [[Double]] = []
  let p: GridParameters
  init(_ p: GridParameters) {
    self.p = p
    for z in 0..<13 {
      let sigma = p.adapt > 0 ? 3 + 0.5 * Double(z) : p.sigma
      var t = [Double](repeating: 0, count: 513)
      for k in 0...512 {
        let x = Double(k - 256) / 2
        func g(_ x: Double) -> Double { exp(-x * x / (2 * sigma * sigma)) / (sigma * 2.5066) }
        var v = (1 - p.fadeShare - p.outlier) * g(x)
        let n = 13
        for i in 0..<n {
          let depth = p.fadeLow + (p.fadeHigh - p.fadeLow) * Double(i) / Double(n - 1)
          v += p.fadeShare / Double(n) * g(x + depth)
        }
        v += p.outlier / 90
        t[k] = v
      }
      tables.append(t)
    }
  }
}

struct GridProto: TriedFilter {
  let tables: GridTables
  var a: [Double]
  var b: [Double]
  var last: Timestamp?
  var previous = 0.0
  var squares = 48.0

  init(_ tables: GridTables) {
    self.tables = tables
    a = [Double](repeating: 1 / Double(tables.p.cells), count: tables.p.cells)
    b = [Double](repeating: 0, count: tables.p.cells)
  }

  static func share(_ rate: Double, _ dt: Double) -> Double { rate * dt / (1 + rate * dt) }

  mutating func predict(_ dt: Double) {
    let p = tables.p
    let n = p.cells
    let j = Self.share(p.jump, dt)
    let s = min(0.25, p.drift * dt / (2 * p.spacing * p.spacing))
    var q = a
    var suma = 0.0
    for i in 0..<n { suma += a[i] }
    let start = Self.share(p.startMoving, dt)
    let stop = Self.share(p.stopMoving, dt)
    for i in 0..<n {
      let l = i > 0 ? a[i - 1] : a[i]
      let r = i < n - 1 ? a[i + 1] : a[i]
      q[i] = (1 - j) * ((1 - 2 * s) * a[i] + s * (l + r)) + j * suma / Double(n)
    }
    if p.startMoving > 0 {
      // iterate diffusion for moving
      var m = b
      var left = p.movingDrift * dt / (2 * p.spacing * p.spacing)
      while left > 0 {
        let s = min(0.25, left)
        left -= s
        let old = m
        for i in 0..<n {
          let l = i > 0 ? old[i - 1] : old[i]
          let r = i < n - 1 ? old[i + 1] : old[i]
          m[i] = (1 - 2 * s) * old[i] + s * (l + r)
        }
      }
      for i in 0..<n {
        let x = q[i]
        let y = m[i]
        q[i] = (1 - start) * x + stop * y
        m[i] = start * x + (1 - stop) * y
      }
      b = m
    }
    a = q
  }

  mutating func add(_ rssi: Int8, at time: Timestamp) {
    let p = tables.p
    if let last {
      if (time - last).seconds > 20 {
        a = [Double](repeating: 1 / Double(p.cells), count: p.cells)
        b = [Double](repeating: 0, count: p.cells)
      } else {
        predict((time - last).seconds)
      }
    }
    if p.adapt > 0, last != nil {
      let d = Double(rssi) - previous
      squares += p.adapt * (min(d * d, 400) - squares)
    }
    previous = Double(rssi)
    last = time
    let sigma = max(p.minSigma, max(0, squares / 2 - p.fadeVariance).squareRoot())
    let z = p.adapt > 0 ? min(12, max(0, Int((sigma - 3) * 2 + 0.5))) : 0
    var sum = 0.0
    for i in 0..<p.cells {
      let level = p.lowest + Double(i) * p.spacing
      let k = min(512, max(0, Int((Double(rssi) - level) * 2 + 256)))
      let l = tables.tables[z][k]
      a[i] *= l
      b[i] *= l
      sum += a[i] + b[i]
    }
    for i in 0..<p.cells {
      a[i] /= sum
      b[i] /= sum
    }
  }

  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    guard let last, (time - last).seconds < 20 else { return nil }
    let p = tables.p
    var (sum, m, v) = (0.0, 0.0, 0.0)
    for i in 0..<p.cells {
      let w = a[i] + b[i]
      let level = p.lowest + Double(i) * p.spacing
      sum += w
      m += w * level
      v += w * level * level
    }
    m /= sum
    v = v / sum - m * m
    return FilteredRSSI(dBm: m, standardError: max(0, v).squareRoot(), effectiveSamples: 1)
  }
}
