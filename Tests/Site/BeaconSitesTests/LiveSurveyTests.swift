// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconSites

/// Surveys while a beacon is carried.
@Suite struct LiveSurveyTests {
  private static let length = TimeSpan.seconds(60)

  /// Adds inputs as a live source gives them, second by second; returns the outcomes.
  private func play(
    _ inputs: SiteInputs,
    into survey: inout LiveSurvey,
    visiting places: [Int: String] = [:],
    receivers names: [String] = SiteInputs.names
  ) throws -> [LiveSurvey.Outcome] {
    var outcomes: [LiveSurvey.Outcome] = []
    let all = inputs.batch
    var (index, second) = (0, 0)
    while index < all.inputs.count {
      if let place = places[second] { try survey.start(place) }
      second += 1
      var batch = all
      let end = all.inputs[index...].firstIndex { $0.time >= SiteInputs.time(Double(second)) }
      batch.inputs = Array(all.inputs[index..<(end ?? all.inputs.count)])
      batch.upTo = SiteInputs.time(Double(second))
      index = end ?? all.inputs.count
      if let outcome = survey.add(batch, receivers: names) { outcomes.append(outcome) }
    }
    return outcomes
  }

  /// A walk whose first second only has the states of receivers, so that a stay can start.
  private func walk(seconds: Int) -> SiteInputs {
    var inputs = SiteInputs.walk(seconds: seconds)
    inputs.mark(at: Double(2 * seconds) + 1.5)
    return inputs
  }

  @Test func `a stay is learned as in a walk that was recorded`() throws {
    var survey = LiveSurvey([.minor(SiteInputs.identity)], stay: .seconds(58))
    #expect(throws: LiveSurvey.Refusal.noInput) { try survey.start("hall") }
    let outcomes = try play(
      walk(seconds: 60),
      into: &survey,
      visiting: [1: " hall ", 61: "cellar\t room"]
    )
    #expect(
      outcomes == [
        .learned(place: "hall", seconds: 58), .learned(place: "cellar room", seconds: 58),
      ]
    )
    var surveyor = SiteSurveyor()
    let text = "start,end,name\n1,59,hall\n61,119,cellar room\n"
    surveyor.start(try TruthTable(Array(text.utf8), startingAt: SiteInputs.start))
    surveyor.add(SiteInputs.walk(seconds: 60).batch, receivers: SiteInputs.names)
    #expect(survey.model == surveyor.model.sorted)
    #expect(survey.likenesses().isEmpty)
  }

  @Test func `a stay is taken back, also one that has not ended`() throws {
    var survey = LiveSurvey([.minor(SiteInputs.identity)], stay: .seconds(20))
    #expect(survey.undo() == nil)
    _ = try play(walk(seconds: 60), into: &survey, visiting: [1: "hall", 30: "den", 61: "cellar"])
    let whole = survey.model
    #expect(whole?.places.map(\.name) == ["cellar", "den", "hall"])
    #expect(survey.likenesses(of: "den").count == 1, "den and hall are one place")
    #expect(survey.likenesses(of: "cellar").isEmpty)
    try survey.start("attic")
    #expect(throws: LiveSurvey.Refusal.isStaying("attic")) { try survey.start("hall") }
    #expect(survey.undo() == "attic" && survey.model == whole)
    #expect(survey.undo() == "cellar" && survey.undo() == "den")
    #expect(survey.model?.places.map(\.name) == ["hall"])
    #expect(survey.undo() == "hall" && survey.model == nil && survey.undo() == nil)
  }

  @Test func `without reports nothing is learned`() throws {
    var survey = LiveSurvey([.minor(SiteInputs.identity)], stay: .seconds(20))
    var inputs = SiteInputs()
    inputs.state(0, .listening, at: 0)
    for second in 0..<30 { inputs.mark(at: Double(second) + 0.5) }
    let outcomes = try play(inputs, into: &survey, visiting: [1: "hall"])
    #expect(outcomes == [.notReceived(place: "hall")] && survey.stays.isEmpty)
    for name in ["", " \n", String(repeating: "x", count: 65)] {
      #expect(throws: LiveSurvey.Refusal.wrongName) { try survey.start(name) }
    }
  }

  @Test func `of several beacons none is learned`() throws {
    var survey = LiveSurvey([.uuid(SiteInputs.identity.uuid)], stay: .seconds(20))
    var inputs = walk(seconds: 60)
    let other = BeaconIdentity(uuid: SiteInputs.identity.uuid, major: 1, minor: 2)
    inputs.report(-60, from: 0, at: 121.6, of: other)
    for second in 122..<145 { inputs.report(-60, from: 0, at: Double(second), of: other) }
    let outcomes = try play(inputs, into: &survey, visiting: [1: "hall", 122: "den"])
    #expect(outcomes == [.learned(place: "hall", seconds: 20), .severalBeacons(2)])
    #expect(survey.model?.places.map(\.name) == ["hall"])
  }

  // MARK: A flat

  /// A flat of six rooms with three receivers: walls of 5 dB, and shadows that move with the carrier.
  private struct Flat {
    static let rooms = ["hall", "kitchen", "lounge", "bath", "bedroom", "study"]
    /// The middles of the rooms, two rows of three, 4 m by 4 m each, and the receivers.
    private static let receivers = [(2.0, 2.0), (10.0, 2.0), (6.0, 6.0)]
    static let names = ["a", "b", "c"]
    var random: SplitMix64
    private var shadows = [0.0, 0, 0]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func noise() -> Double {
      (0..<12).reduce(-6) { sum, _ in sum + Double(random.next() % 10_000) / 10_000 }
    }

    private static func place(of room: Int) -> (Double, Double) {
      (Double(room % 3) * 4 + 2, Double(room / 3) * 4 + 2)
    }

    /// Adds a second in a room to the inputs.
    mutating func add(_ second: Int, in room: Int, to inputs: inout SiteInputs) {
      let middle = Self.place(of: room)
      let (x, y) = (middle.0 + noise() * 1.2, middle.1 + noise() * 1.2)
      for (receiver, at) in Self.receivers.enumerated() {
        shadows[receiver] = 0.8 * shadows[receiver] + 2.4 * noise()
        let away = max(0.5, ((x - at.0) * (x - at.0) + (y - at.1) * (y - at.1)).squareRoot())
        var log = 0.0
        var rest = away
        while rest > 1 { (rest, log) = (rest / 1.1, log + 0.0414) }
        let walls = abs(Int(at.0) / 4 - room % 3) + abs(Int(at.1) / 4 - room / 3)
        let level = -59 - 22 * log - 5 * Double(walls) + shadows[receiver]
        for tenth in [1, 4, 8] where level + 2 * noise() > -94 {
          inputs.report(
            Int8(clamping: Int(level + 2 * noise())),
            from: UInt8(receiver),
            at: Double(second) + Double(tenth) / 10 + Double(receiver) / 100
          )
        }
      }
      inputs.mark(at: Double(second) + 0.99)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a survey of a flat takes seven minutes, and its places are right`(seed: UInt64) throws {
    var flat = Flat(seed: seed)
    var inputs = SiteInputs()
    for receiver: UInt8 in 0..<3 { inputs.state(receiver, .listening, at: 0) }
    var visits: [Int: String] = [:]
    // A minute in each room, and ten seconds to the next one.
    var second = 0
    for (room, name) in Flat.rooms.enumerated() {
      for step in 0..<72 {
        if step == 10 { visits[second] = name }
        flat.add(second, in: step < 5 && room > 0 ? room - 1 : room, to: &inputs)
        second += 1
      }
    }
    #expect(second < 600, "ten minutes")
    var survey = LiveSurvey([.minor(SiteInputs.identity)], stay: Self.length)
    let outcomes = try play(inputs, into: &survey, visiting: visits, receivers: Flat.names)
    #expect(outcomes == Flat.rooms.map { .learned(place: $0, seconds: 60) })
    // A quarter of an hour in the flat afterwards.
    var walk = SiteInputs()
    for receiver: UInt8 in 0..<3 { walk.state(receiver, .listening, at: 0) }
    var truth: [String] = []
    while truth.count < 900 {
      let room = Int(flat.random.next() % 6)
      for _ in 0..<(20 + Int(flat.random.next() % 60)) {
        flat.add(truth.count, in: room, to: &walk)
        truth.append(Flat.rooms[room])
      }
    }
    let places = walk.places(try #require(survey.model), names: Flat.names)
    let right = zip(places, truth).count { $0 == $1 }
    let share = Double(right) / Double(places.count)
    #expect(share >= 0.92, "\(share) of \(places.count) s")
  }
}
