// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@testable import BeaconSites

@Suite struct ReceiverOffsetsTests {
  /// A site of two receivers, surveyed in a number of stays in each of two places.
  private static func model(stays: Int) -> SiteModel {
    var model = SiteModel()
    let places = ["hall", "cellar"].compactMap { model.number(ofPlace: $0) }
    let receivers = SiteInputs.names.compactMap { model.number(ofReceiver: $0) }
    for place in places {
      model.places[place].seconds = 300
      model.places[place].moves[1 - place] = stays
      for receiver in receivers {
        let level = Double(place == receiver ? -60 : -80)
        for (offset, count) in [(-2, 30), (-1, 70), (0, 100), (1, 70), (2, 30)] {
          let index = SiteModel.index(ofLevel: level + Double(offset))
          model.places[place].levels[receiver].counts[index] = count
        }
      }
    }
    return model
  }

  /// The offsets after some time in which a beacon changes its place after each stay.
  private static func offsets(
    stays: Int = 4,
    seconds: Int = 600,
    stay: Int = 60,
    stronger: [Int],
    accepts: [IdentityConstraint] = []
  ) -> (offsets: [String: Int], places: [Int?]) {
    var inputs = SiteInputs()
    for second in 0..<seconds {
      let place = second / stay % 2
      for receiver in 0..<2 {
        let level = (place == receiver ? -60 : -80) + second * 7 % 5 - 2 + stronger[receiver]
        inputs.report(Int8(level), from: UInt8(receiver), at: Double(second) + 0.5)
      }
    }
    inputs.mark(at: Double(seconds))
    var fusion = SiteFusion(model(stays: stays), accepts)
    let places = fusion.add(inputs.batch, receivers: SiteInputs.names).map(\.place)
    return (fusion.offsets, places)
  }

  @Test(arguments: [6, -6]) func `a receiver that differs from the survey is found`(shift: Int) {
    for receiver in 0..<2 {
      var stronger = [0, 0]
      stronger[receiver] = shift
      let (offsets, places) = Self.offsets(stronger: stronger)
      #expect(offsets == [SiteInputs.names[receiver]: shift])
      #expect(places.suffix(50).allSatisfy { $0 == 1 })
    }
  }

  /// A sender who knows the survey could let a receiver seem stronger, and so move every beacon of the site.
  @Test func `where beacons are named wholly, strangers teach nothing`() {
    let own = SiteInputs.identity
    let (all, mine) = (IdentityConstraint.uuid(own.uuid), IdentityConstraint.minor(own))
    let another = IdentityConstraint.minor(
      BeaconIdentity(uuid: own.uuid, major: own.major, minor: own.minor + 1)
    )
    let learned = { Self.offsets(stronger: [6, 0], accepts: $0).offsets }
    #expect(learned([all]) == [SiteInputs.hall: 6])
    #expect(learned([all, mine]) == [SiteInputs.hall: 6])
    #expect(learned([all, another]).isEmpty)
  }

  @Test func `receivers as in the survey, and small differences, stay as they are`() {
    for stronger in [[0, 0], [2, 0], [0, -2], [2, -2]] {
      #expect(Self.offsets(seconds: 3600, stronger: stronger).offsets.isEmpty, "\(stronger)")
    }
  }

  @Test(arguments: [6, -6]) func `another beacon is not taken for other receivers`(shift: Int) {
    #expect(Self.offsets(stronger: [shift, shift]).offsets.isEmpty)
  }

  @Test func `a survey of few stays does not tell an offset from another corner`() {
    #expect(Self.offsets(stays: 3, stronger: [6, 0]).offsets.isEmpty)
  }

  @Test func `levels in several places show an offset sooner than those in one`() throws {
    func seconds(stay: Int) -> Int? {
      stride(from: 4, to: 120, by: 4).first {
        !Self.offsets(seconds: $0, stay: stay, stronger: [6, 0]).offsets.isEmpty
      }
    }
    let one = try #require(seconds(stay: 600))
    let several = try #require(seconds(stay: 10))
    #expect(several < one)
  }

  @Test func `an offset is bounded`() {
    for shift in [-40, -18, 18, 40] {
      let (offsets, _) = Self.offsets(seconds: 3600, stronger: [shift, 0])
      #expect(offsets.values.allSatisfy { abs(Double($0)) <= ReceiverOffsets.bound }, "\(offsets)")
    }
  }

  @Test func `levels that no place of the survey has are doubtful, then unknown`() throws {
    let model = Self.model(stays: 4)
    // The comparison without it always finds the hall, the place with the levels that differ least.
    for (level, other) in [(-60, -80), (-64, -86), (-76, -98)] {
      var inputs = SiteInputs()
      for second in 0..<120 {
        inputs.report(Int8(level), from: 0, at: Double(second) + 0.5)
        inputs.report(Int8(other), from: 1, at: Double(second) + 0.5)
      }
      var fusion = SiteFusion(model)
      for told in fusion.add(inputs.batch, receivers: SiteInputs.names).suffix(60) {
        switch level {
        case -60: #expect(told.place == 0 && told.probability > 0.9)
        case -64: #expect(told.place == 0 && told.probability == PlaceFilter.doubtful)
        default: #expect(told.place == nil && told.probability <= 0.5)
        }
      }
    }
  }

  /// The hall, and a cellar that a receiver far away receives in 210 of 300 seconds, faintly.
  private static func modelWithFaintReceiver() -> SiteModel {
    var model = model(stays: 4)
    model.places[1].levels[0].counts = SiteModel.levels.map { _ in 0 }
    model.places[1].levels[0].counts[SiteModel.index(ofLevel: -98)] = 210
    model.places[1].levels[0].silent = 90
    return model
  }

  @Test(arguments: [0.7, 0]) func `a faint receiver that never receives makes a place doubtful`(
    share: Double
  ) {
    var inputs = SiteInputs()
    for second in 0..<120 {
      let time = Double(second) + 0.5
      inputs.report(-60, from: 1, at: time)
      if Double(second % 10) < share * 10 { inputs.report(-98, from: 0, at: time) }
      // It listens.
      inputs.report(-60, from: 0, at: time, of: BeaconIdentity(uuid: 7, major: 1, minor: 1))
    }
    var fusion = SiteFusion(Self.modelWithFaintReceiver(), [.minor(SiteInputs.identity)])
    for told in fusion.add(inputs.batch, receivers: SiteInputs.names).suffix(60) {
      #expect(told.place == 1)
      #expect(share > 0 ? told.probability > 0.9 : told.probability == PlaceFilter.doubtful)
    }
  }

  @Test func `a doubt stays when another place gets the likeliest, until that place fits`() throws {
    var inputs = SiteInputs()
    // Between both places, with levels that neither has; then in the hall.
    for second in 0..<180 {
      let swing = second < 120 ? (second / 8 % 2 == 0 ? -4 : 4) : 0
      let (hall, cellar) = second < 120 ? (-85 + swing, -85 - swing) : (-60, -80)
      inputs.report(Int8(hall), from: 0, at: Double(second) + 0.5)
      inputs.report(Int8(cellar), from: 1, at: Double(second) + 0.5)
    }
    var fusion = SiteFusion(Self.model(stays: 4))
    let told = fusion.add(inputs.batch, receivers: SiteInputs.names)
    #expect(told[20..<120].allSatisfy { $0.place == nil || $0.probability < 0.5 })
    #expect(told.suffix(30).allSatisfy { $0.place == 0 && $0.probability > 0.9 })
  }

  @Test func `a receiver that reports other devices is not broken`() throws {
    var inputs = SiteInputs()
    let other = BeaconIdentity(uuid: 7, major: 1, minor: 1)
    for second in 0..<300 {
      inputs.report(-60, from: 0, at: Double(second) + 0.5)
      inputs.report(-60, from: 1, at: Double(second) + 0.6, of: other)
    }
    var fusion = SiteFusion(try SiteInputs.model(), [.minor(SiteInputs.identity)])
    // Receivers listen from their first report on.
    let told = fusion.add(inputs.batch, receivers: SiteInputs.names).dropFirst()
    #expect(told.allSatisfy { $0.deaf == 0 && $0.heard == 1 } && told.count > 250)
  }
}
