// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

@testable import BeaconSites

/// What an engine is told of places, and when.
@Suite struct PlaceFeedTests {
  /// What a feed adds to some inputs, as `7 hall 97`; `*` are the beacons that are not followed.
  private static func words(_ batch: ScanBatch) -> [String] {
    batch.inputs.compactMap { input in
      guard case .place(let report) = input, let place = batch.place(of: report) else { return nil }
      let second = (report.time - SiteInputs.start).seconds
      let name =
        switch place.position {
        case .at(let name): name
        case .unknown: "unknown"
        case .absent: "absent"
        }
      return "\(place.identity == nil ? "*" : "")\(Int(second)) \(name)"
    }
  }

  private static func fed(_ batch: ScanBatch, _ model: SiteModel, size: Int = .max) -> ScanBatch {
    var feed = PlaceFeed(model, [.minor(SiteInputs.identity)])
    var all = ScanBatch()
    var start = 0
    while start < batch.inputs.count {
      let end = min(batch.inputs.count, start &+ min(size, batch.inputs.count))
      var piece = ScanBatch(bytes: batch.bytes)
      piece.inputs = Array(batch.inputs[start..<end])
      let fed = feed.add(piece, receivers: SiteInputs.names)
      for input in fed.inputs { all.append(input, pointingTo: fed.payload(of: input)) }
      start = end
    }
    return all
  }

  @Test func `the place of a second comes before the first input of the next one`() throws {
    let model = try SiteInputs.model()
    let fed = Self.fed(SiteInputs.walk(seconds: 20).batch, model)
    var latest = Timestamp.earliest
    for input in fed.inputs {
      #expect(input.time >= latest)
      latest = input.time
    }
    let words = Self.words(fed)
    #expect(words.contains("10 hall"))
    #expect(words.contains("39 cellar"))
    #expect(words.count { !$0.hasPrefix("*") } == 40)
    #expect(words.count { $0.hasPrefix("*") } == 40)
  }

  @Test(arguments: [1, 2, 7, 100])
  func `batches of any size give the same places`(size: Int) throws {
    let model = try SiteInputs.model()
    let batch = SiteInputs.walk(seconds: 12).batch
    #expect(Self.words(Self.fed(batch, model, size: size)) == Self.words(Self.fed(batch, model)))
  }

  @Test func `places that a recording has are left out, and found again`() throws {
    let model = try SiteInputs.model()
    let once = Self.fed(SiteInputs.walk(seconds: 12).batch, model)
    #expect(Self.words(Self.fed(once, model)) == Self.words(once))
  }

  @Test func `a time that a live source has reached completes a second`() throws {
    var feed = PlaceFeed(try SiteInputs.model())
    var inputs = SiteInputs()
    inputs.state(0, .listening, at: 0)
    inputs.state(1, .listening, at: 0)
    inputs.report(-60, from: 0, at: 0.5)
    inputs.batch.upTo = SiteInputs.time(2.5)
    let fed = feed.add(inputs.batch, receivers: SiteInputs.names)
    #expect(Self.words(fed).map { $0.prefix(2) } == ["1 ", "*1", "2 ", "*2"])
    #expect(fed.upTo == SiteInputs.time(2.5))
  }

  @Test func `nothing is said of a gap, so that an engine sees the same gap`() throws {
    var inputs = SiteInputs()
    inputs.state(0, .listening, at: 0)
    inputs.report(-60, from: 0, at: 0.25)
    inputs.report(-60, from: 0, at: 60.5)
    inputs.report(-60, from: 0, at: 62.5)
    let fed = Self.fed(inputs.batch, try SiteInputs.model())
    #expect(Self.words(fed).map { $0.prefix(3) } == ["61 ", "*61", "62 ", "*62"])
    let driven = EngineOracle.gaps(fed)
    #expect(driven == EngineOracle.gaps(inputs.batch))
    #expect(driven.count == 1)
  }

  @Test func `who was never received is absent after half a minute of listening`() throws {
    var inputs = SiteInputs()
    inputs.state(0, .listening, at: 0)
    inputs.state(1, .listening, at: 0)
    for second in 1...40 { inputs.mark(at: Double(second)) }
    let words = Self.words(Self.fed(inputs.batch, try SiteInputs.model()))
    #expect(words.first == "*1 unknown")
    #expect(words.last == "*40 absent")
    #expect(words.firstIndex(of: "*30 absent") == 29)
    // Without the hall's receiver, a beacon can be in the hall.
    var deaf = SiteInputs()
    deaf.state(0, .deaf, at: 0)
    deaf.state(1, .listening, at: 0)
    for second in 1...40 { deaf.mark(at: Double(second)) }
    let unknown = Self.words(Self.fed(deaf.batch, try SiteInputs.model()))
    #expect(unknown.count == 40)
    #expect(unknown.allSatisfy { $0.hasSuffix("unknown") })
  }

  @Test func `a beacon that leaves is absent, one that nobody could receive is unknown`() throws {
    let model = try SiteInputs.model()
    var inputs = SiteInputs.walk(seconds: 20)
    for second in 41...80 { inputs.mark(at: Double(second)) }
    let words = Self.words(Self.fed(inputs.batch, model))
    #expect(words.contains("80 absent"))
    var dead = SiteInputs.walk(seconds: 20)
    for receiver: UInt8 in [0, 1] { dead.state(receiver, .deaf, at: 40) }
    for second in 41...80 { dead.mark(at: Double(second)) }
    let unknown = Self.words(Self.fed(dead.batch, model))
    #expect(unknown.contains("80 unknown"))
    #expect(!unknown.contains { $0.hasSuffix("absent") && !$0.hasPrefix("*") })
  }
}

/// What an engine makes of a batch.
enum EngineOracle {
  /// The gaps that it finds.
  static func gaps(_ batch: ScanBatch) -> [String] {
    var driver = EngineDriver(startingAt: SiteInputs.start)
    _ = driver.connect()
    driver.supply(batch)
    var gaps: [String] = []
    while true {
      switch driver.next() {
      case .deliver(let deliveries):
        for delivery in deliveries {
          if case .diagnostic(.timeGap(let from, let to)) = delivery.event {
            gaps.append("\(from) \(to)")
          }
        }
      case .pull: driver.endSource(.atEnd(performingScheduled: true))
      case .ended: return gaps
      default: continue
      }
    }
  }
}
