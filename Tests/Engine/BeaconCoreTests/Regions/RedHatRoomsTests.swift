// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

/// Regions against a written timetable.
///
/// Nobody carries a beacon in one room for ten minutes of reception, so nearly every exit waits for the cap.
@Suite(.enabled(if: RedHatRooms.folder != nil, "needs shared data: redhat-rooms"))
struct RedHatRoomsTests {
  struct Outcome {
    var enters = 0
    var delays: [Double] = []
    var exitsInStays = 0
    var entered: [(time: Timestamp, room: String)] = []

    var medianDelay: Double { delays.isEmpty ? .infinity : delays.sorted()[delays.count / 2] }
    var line: String {
      "enters \(enters), exits \(delays.count), median \(medianDelay) s, in stays \(exitsInStays)"
    }
  }

  static let march10 = "FourScannersRun1-2015-03-10"
  /// Read once: there are a hundred thousand of them.
  static let carried = Result { try RedHatRooms.sightings(march10) }

  /// The reports that are required to enter: two that are stronger than a packet through two walls.
  static let walls = EnterPolicy(sightings: 2, rssiFloor: -90)

  /// One region per scanner and minor; every scanner is a separate machine.
  static func outcome(
    _ name: String,
    minors: [UInt16],
    _ timing: ExitTiming,
    _ enterPolicy: EnterPolicy
  ) throws -> Outcome {
    let sightings = try name == march10 ? carried.get() : RedHatRooms.sightings(name)
    let stays = try RedHatRooms.stays()
    var outcome = Outcome()
    guard let begin = sightings.first?.time, let end = sightings.last?.time else { return outcome }
    // The harness counts from its own zero; 20 s before the first sighting every beacon is outside.
    let zero = begin - 20_000
    func seconds(_ time: Int64) -> Double { Double(time - zero) / 1000 }
    for room in Set(sightings.map(\.scanner)).sorted() {
      for minor in minors {
        let received = sightings.filter { $0.scanner == room && $0.minor == minor }
        guard !received.isEmpty else { continue }
        let region = Region(
          "room",
          .uuid(RegionHarness.uuid),
          enterPolicy: enterPolicy,
          exitTiming: timing
        )
        var harness = RegionHarness(region, .standard)
        harness.begin(at: 0, .assumed(.outside))
        var last = 0.0
        var processed = 1
        func note(_ outcome: inout Outcome) {
          for action in harness.actions[processed...] {
            if case .entered(_, _, let time) = action {
              outcome.enters += 1
              outcome.entered.append((time, room))
            }
            guard case .exited(_, _, let time) = action else { continue }
            outcome.delays.append(Double(time.microseconds) / 1_000_000 - last)
            let seconds = zero + time.microseconds / 1000
            for stay in stays where stay.minor == minor && stay.room == room {
              if stay.from <= seconds, seconds <= stay.until { outcome.exitsInStays += 1 }
            }
          }
          processed = harness.actions.count
        }
        for sighting in received {
          let time = seconds(sighting.time)
          harness.advance(to: time)
          note(&outcome)
          harness.receive(RegionHarness.beacon(1, minor), at: time, rssi: sighting.rssi)
          note(&outcome)
          last = time
        }
        harness.end(at: seconds(end))
        note(&outcome)
      }
    }
    return outcome
  }

  /// Law L10.
  @Test(.slow) func `03-10: no more enters than with fixed 30 s, none inside a stay`()
    throws
  {
    func run(_ timing: ExitTiming, _ policy: EnterPolicy) throws -> Outcome {
      try Self.outcome(
        Self.march10,
        minors: RedHatRooms.timetabled,
        timing,
        policy
      )
    }
    let fixed30 = try run(.fixed(.seconds(30)), .immediate)
    #expect(fixed30.enters == 46)
    let fixed10 = try run(.fixed(.seconds(10)), .immediate)
    #expect(fixed10.enters == 93)
    let plain = try run(.learned, .immediate)
    #expect(plain.enters < 60 && plain.medianDelay <= 30 && plain.exitsInStays == 0)
    let learned = try run(.learned, Self.walls)
    #expect(learned.enters <= fixed30.enters)
    #expect(learned.medianDelay <= 30)
    #expect(learned.exitsInStays == 0)
    if ProcessInfo.processInfo.environment["BEACON_SHOW"] != nil {
      print("fixed 30 s:", fixed30.line, "| fixed 10 s:", fixed10.line)
      print("fixed 30 s, walls:", try run(.fixed(.seconds(30)), Self.walls).line)
      print("fixed 10 s, walls:", try run(.fixed(.seconds(10)), Self.walls).line)
      print("learned:", plain.line, "| learned, walls:", learned.line)
    }
  }

  /// Evidence that a beacon is in a room and not behind its wall: three strong reports in two seconds.
  static let sameRoom = EnterPolicy(sightings: 3, rssiFloor: -75, window: .seconds(2))

  /// The notes describe the walk through rooms 1 to 4; the recordings end in the first again.
  @Test(arguments: ["FourScannersBeacon5Run1-2015-03-13", "FourScannersBeacon5Run2-2015-03-13"])
  func `beacon 5 enters the rooms in order and none twice on its way`(_ name: String) throws {
    let outcome = try Self.outcome(name, minors: [5], .learned, Self.sameRoom)
    let rooms = outcome.entered.sorted { $0.time < $1.time }.map(\.room)
    #expect(rooms == ["Room201", "Room202", "Room203", "Room204", "Room201"])
  }
}
