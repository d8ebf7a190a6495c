// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

@testable import BeaconSites

/// The filter over places.
@Suite struct SiteFusionTests {
  @Test func `a beacon that moves is told in the other place within three seconds`() throws {
    let places = SiteInputs.walk(seconds: 30).places(try SiteInputs.model())
    #expect(places.count == 60)
    #expect(places[3..<30].allSatisfy { $0 == "hall" })
    #expect(places[33...].allSatisfy { $0 == "cellar" })
    let changes = zip(places, places.dropFirst()).count { $0 != $1 }
    #expect(changes <= 2, "unknown at first, then one move: \(places)")
  }

  @Test func `silence is evidence where a receiver listens, and none where it does not`() throws {
    let model = try SiteInputs.model()
    // Only the hall's receiver is there, and it receives nothing: the beacon is in the cellar.
    var listening = SiteInputs()
    listening.state(0, .listening, at: 0)
    listening.report(-60, from: 0, at: 0.1)
    for second in 1..<20 { listening.mark(at: Double(second)) }
    #expect(listening.places(model).last == "cellar")
    // It fails instead: nobody knows.
    var deaf = SiteInputs()
    deaf.state(0, .listening, at: 0)
    deaf.report(-60, from: 0, at: 0.1)
    deaf.state(0, .deaf, at: 1)
    for second in 1..<20 { deaf.mark(at: Double(second)) }
    var fusion = SiteFusion(model)
    let estimates = fusion.add(deaf.batch, receivers: SiteInputs.names)
    #expect(estimates.last?.place == nil)
    #expect(estimates.last?.probability == 0)
    #expect(estimates.last?.deaf == 2)
  }

  @Test func `a receiver that is lost in the middle takes the beacon nowhere else`() throws {
    let model = try SiteInputs.model()
    var inputs = SiteInputs.walk(seconds: 30)
    // The cellar's receiver dies while the beacon is there; the hall's still listens and receives nothing.
    inputs.batch.inputs.removeAll { $0.time >= SiteInputs.time(40) }
    inputs.state(1, .gone, at: 40)
    for second in 40..<65 { inputs.mark(at: Double(second)) }
    let places = inputs.places(model)
    #expect(places[35...].allSatisfy { $0 == "cellar" }, "\(places)")
  }

  @Test func `a beacon that nobody receives any more is nowhere`() throws {
    var inputs = SiteInputs.walk(seconds: 30)
    inputs.batch.inputs.removeAll { $0.time >= SiteInputs.time(20) }
    for second in 20..<80 { inputs.mark(at: Double(second)) }
    let places = inputs.places(try SiteInputs.model())
    #expect(places[25] != nil)
    // Both receivers listen, and one of them receives every place.
    #expect(places[60...].allSatisfy { $0 == nil })
  }

  @Test(arguments: [31, 90, 400])
  func `a beacon that returns to the place that it left is there within three seconds`(
    away seconds: Int
  ) throws {
    let other = BeaconIdentity(uuid: SiteInputs.identity.uuid, major: 1, minor: 2)
    var inputs = SiteInputs()
    for receiver: UInt8 in [0, 1] { inputs.state(receiver, .listening, at: 0) }
    for second in 0..<(200 + seconds) {
      for tenth in 0..<10 where second < 100 || second >= 100 + seconds {
        let time = Double(second) + Double(tenth) / 10 + 0.05
        inputs.report(Int8(-60 - (second * 7 + tenth * 3) % 5), from: 0, at: time)
      }
      // Another one shows that both receivers receive.
      for receiver: UInt8 in [0, 1] {
        inputs.report(-70, from: receiver, at: Double(second) + 0.97, of: other)
      }
      inputs.mark(at: Double(second) + 0.99)
    }
    inputs.mark(at: Double(200 + seconds))
    var fusion = SiteFusion(try SiteInputs.model())
    let estimates = fusion.add(inputs.batch, receivers: SiteInputs.names)
      .filter { $0.identity != other }
    #expect(estimates[99 + seconds].isAbsent)
    for estimate in estimates[(103 + seconds)...] {
      #expect(estimate.place == 0, "\(estimate)")
    }
    for estimate in estimates[(110 + seconds)...] {
      #expect(estimate.probability > 0.9, "\(estimate)")
    }
  }

  @Test func `nothing is known after a gap`() throws {
    var inputs = SiteInputs.walk(seconds: 10)
    inputs.mark(at: 500)
    inputs.mark(at: 501)
    inputs.mark(at: 502)
    var fusion = SiteFusion(try SiteInputs.model())
    let estimates = fusion.add(inputs.batch, receivers: SiteInputs.names)
    // The seconds before the gap, the one in which it begins, and those after it; none in it.
    let seconds = estimates.map { ($0.time - SiteInputs.start).microseconds / 1_000_000 }
    #expect(seconds == Array(1...21) + [501, 502])
    #expect(estimates.last?.place == nil)
  }

  @Test func `a beacon of another power is told by levels from its power`() throws {
    let weak = SiteInputs.walk(seconds: 20, power: -75)
    let places = weak.places(try SiteInputs.model())
    #expect(places[5..<20].allSatisfy { $0 == "hall" })
    #expect(places[25...].allSatisfy { $0 == "cellar" })
  }

  @Test func `unknown receivers and a second one of the same name change nothing`() throws {
    let model = try SiteInputs.model()
    var inputs = SiteInputs.walk(seconds: 20)
    let alone = inputs.places(model)
    inputs.state(2, .listening, at: 0)
    inputs.state(3, .listening, at: 0)
    let more = inputs.places(model, names: SiteInputs.names + ["attic", "hall"])
    #expect(more == alone)
  }

  @Test func `levels that no place explains make the place unknown`() throws {
    // Both receivers receive the beacon loudly, which they do in neither place.
    var inputs = SiteInputs()
    for second in 0..<60 {
      for receiver: UInt8 in [0, 1] where second >= 20 || receiver == 0 {
        inputs.report(-60, from: receiver, at: Double(second) + 0.5)
      }
      if second == 0 { inputs.state(1, .listening, at: 0.6) }
    }
    let places = inputs.places(try SiteInputs.model())
    #expect(places[5..<20].allSatisfy { $0 == "hall" })
    #expect(places[30...].allSatisfy { $0 == nil }, "\(places)")
  }

  /// Two places whose levels overlap, each surveyed in so many stays of 50 s.
  private static func overlapping(stays: Int) -> PlaceTables {
    var model = SiteModel()
    let receiver = model.number(ofReceiver: "hall") ?? 0
    for (name, near) in [("hall", 30), ("stairs", 20)] {
      let place = model.number(ofPlace: name) ?? 0
      model.places[place].seconds = 50 * stays
      model.places[place].levels[receiver].counts[SiteModel.index(ofLevel: -60)] = near * stays
      model.places[place].levels[receiver].counts[SiteModel.index(ofLevel: -70)] =
        (50 - near) * stays
    }
    (model.places[0].moves, model.places[1].moves) = ([0, stays], [stays, 0])
    return PlaceTables(model)
  }

  @Test func `a place of few stays must be more probable to replace another one`() throws {
    var seconds: [Int] = []
    for stays in [1, 3, 20] {
      let tables = Self.overlapping(stays: stays)
      var filter = PlaceFilter(places: 2)
      for _ in 0..<60 { _ = filter.take([.level(-60)], followsGap: false, tables) }
      let second = (0..<60).first { _ in
        filter.take([.level(-70)], followsGap: false, tables).place == 1
      }
      seconds.append(try #require(second))
    }
    #expect(seconds[0] > seconds[1] && seconds[1] > seconds[2], "\(seconds)")
  }

  @Test func `a beacon that is a few decibels weaker than the survey's stays in its place`() throws
  {
    let model = try SiteInputs.model()
    for weaker in 0...12 {
      var inputs = SiteInputs()
      inputs.state(1, .listening, at: 0)
      for second in 0..<120 {
        inputs.report(Int8(-62 - weaker), from: 0, at: Double(second) + 0.5)
        inputs.mark(at: Double(second) + 0.9)
      }
      let places = inputs.places(model)
      #expect(places[5...].allSatisfy { $0 == "hall" }, "\(weaker) dB: \(places)")
    }
  }

  @Test func `silence of a receiver does not count for ever while another receives`() throws {
    var inputs = SiteInputs()
    inputs.state(0, .listening, at: 0)
    inputs.state(1, .listening, at: 0)
    for second in 0..<1000 {
      inputs.report(-60, from: 0, at: Double(second) + 0.5)
      if second == 150 { inputs.report(-90, from: 1, at: 150.6) }
    }
    var fusion = SiteFusion(try SiteInputs.model())
    let deaf = fusion.add(inputs.batch, receivers: SiteInputs.names).map(\.deaf)
    // One minute before its first report, ten minutes later.
    #expect(deaf[..<60].allSatisfy { $0 == 0 } && deaf[60..<150].allSatisfy { $0 == 1 })
    #expect(deaf[150..<751].allSatisfy { $0 == 0 } && deaf[751...].allSatisfy { $0 == 1 })
  }

  @Test func `without a receiver of the model, or without places, nothing is known`() throws {
    let inputs = SiteInputs.walk(seconds: 5)
    #expect(inputs.places(try SiteInputs.model(), names: ["a", "b"]).allSatisfy { $0 == nil })
    #expect(inputs.places(SiteModel()).allSatisfy { $0 == nil })
    #expect(SiteInputs().places(try SiteInputs.model()).isEmpty)
  }

  @Test func `each estimate is a probability, whatever the levels`() throws {
    let model = try SiteInputs.model()
    var inputs = SiteInputs()
    inputs.state(0, .listening, at: 0)
    for second in 0..<200 {
      let level = Int8(truncatingIfNeeded: second * 37)
      inputs.report(level, from: UInt8(second % 3), at: Double(second) + 0.5)
      if second % 7 == 0 { inputs.report(nil, from: 0, at: Double(second) + 0.6) }
    }
    var fusion = SiteFusion(model)
    for estimate in fusion.add(inputs.batch, receivers: SiteInputs.names) {
      #expect((0...0.99).contains(estimate.probability))
      #expect(estimate.place != nil || estimate.probability <= 0.5)
      #expect((0...2).contains(estimate.heard) && (0...2).contains(estimate.deaf))
    }
  }

  @Test func `the same inputs in other batches give the same estimates`() throws {
    let model = try SiteInputs.model()
    let inputs = SiteInputs.walk(seconds: 20).batch
    var whole = SiteFusion(model)
    let expected = whole.add(inputs, receivers: SiteInputs.names)
    var parts = SiteFusion(model)
    var found: [PlaceEstimate] = []
    for input in inputs.inputs {
      let part = ScanBatch(bytes: inputs.bytes, inputs: [input])
      found += parts.add(part, receivers: SiteInputs.names)
    }
    #expect(found == expected)
  }

  @Test func `only so many beacons are followed, and the longest silent one gives way`() {
    var seconds = ReceptionSeconds()
    var inputs = SiteInputs()
    for number in 0...ReceptionSeconds.beaconLimit {
      let identity = BeaconIdentity(uuid: 1, major: UInt16(number), minor: 0)
      inputs.report(-60, from: 0, at: Double(number) / 10_000, of: identity)
    }
    _ = seconds.add(inputs.batch)
    #expect(seconds.ignored == 1)
    var later = SiteInputs()
    later.report(-60, from: 0, at: 40, of: BeaconIdentity(uuid: 2, major: 0, minor: 0))
    later.mark(at: 41)
    let last = seconds.add(later.batch).last
    #expect(last?.beacons.count == ReceptionSeconds.beaconLimit)
    #expect(last?.beacons.last?.identity.uuid == 2)
    #expect(
      last?.beacons.first?.identity.major == 1,
      "the one with number 0 was silent for longest"
    )
    #expect(seconds.ignored == 1)
  }

  /// A beacon that is received and not followed, because others take all room, is not known to be absent.
  @Test func `beacons without room are in an unknown place`() throws {
    let crowd = ReceptionSeconds.beaconLimit
    var fusion = SiteFusion(try SiteInputs.model())
    fusion.followOthers()
    var others: [BeaconPlace] = []
    for second in 0..<120 {
      var inputs = SiteInputs()
      if second == 0 { for receiver in 0...1 { inputs.state(UInt8(receiver), .listening, at: 0) } }
      // Each second all of the crowd; from the 40th on a newcomer every ten seconds.
      for number in 0..<crowd {
        let identity = BeaconIdentity(uuid: 1, major: UInt16(number), minor: 0)
        inputs.report(-60, from: UInt8(number % 2), at: Double(second) + 0.2, of: identity)
      }
      if second >= 40, second % 10 == 0 {
        let identity = BeaconIdentity(uuid: 2, major: 0, minor: 0)
        inputs.report(-60, from: 0, at: Double(second) + 0.5, of: identity)
      }
      others += fusion.places(inputs.batch, receivers: SiteInputs.names).map(\.place)
        .filter { $0.identity == nil }
    }
    #expect(fusion.ignored == 8)
    // Absent after half a minute of silence, and unknown from the first report that is left out.
    #expect(others[35].position == .absent)
    #expect(others[40...].allSatisfy { $0.position == .unknown })
  }

  @Test func `why everything is unknown follows from the seconds`() throws {
    let model = try SiteInputs.model()
    func sentences(heard: Int = 1, each: Int = 1, deaf: Int = 0, known: Int = 0) -> [String] {
      var unknown = UnknownPlaces(model)
      for second in 0..<100 {
        var estimate = PlaceEstimate(
          identity: SiteInputs.identity,
          time: SiteInputs.time(Double(second)),
          place: second < known ? 0 : nil,
          probability: 0.2,
          heard: second % each == 0 ? heard : 0,
          deaf: deaf
        )
        unknown.add(estimate)
        estimate.isAbsent = true
        unknown.add(estimate)
      }
      return unknown.sentences
    }
    let start =
      "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1 is in an unknown place in 100 % of 100 s: "
    #expect(sentences().map { $0.hasPrefix(start + "its levels fit no place") } == [true])
    #expect(
      sentences(each: 4).first?.hasPrefix(
        start + "it is received in 25 % of the seconds, the survey's beacon in "
      ) == true
    )
    #expect(sentences(deaf: 1).first?.contains("most receivers of the model did not") == true)
    #expect(sentences(deaf: 2) == [] && sentences(known: 11) == [])
    #expect(sentences(known: 10).count == 1)
  }
}
