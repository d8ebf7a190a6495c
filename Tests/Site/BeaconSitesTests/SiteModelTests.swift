// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconSites

/// Models as files, and what a survey puts into them.
@Suite struct SiteModelTests {
  private func faults(_ text: String) -> [String] {
    do throws(JSON5Faults) {
      _ = try SiteModelFile.read(Array(text.utf8))
      return []
    } catch {
      return error.faults.map { "\($0)" }
    }
  }

  @Test func `places whose levels differ by chance are alike, and no others`() {
    var random = SplitMix64(seed: 5)
    /// A minute of levels with a spread of 4 dB around a mean at each of three receivers; 0 for silence.
    func stay(_ means: [Int]) -> [SiteModel.Levels] {
      means.map { mean in
        var levels = SiteModel.Levels()
        for _ in 0..<60 where mean < 0 {
          let noise = (0..<24).reduce(-24) { sum, _ in sum + Int(random.next() % 3) }
          levels.counts[SiteModel.index(ofLevel: Double(mean + noise))] += 1
        }
        if mean == 0 { levels.silent = 60 }
        return levels
      }
    }
    func alike(_ first: [Int], _ second: [Int]) -> Bool {
      var model = SiteModel()
      for (name, means) in [("a", first), ("b", second)] {
        let place = model.number(ofPlace: name) ?? 0
        for receiver in ["x", "y", "z"] { _ = model.number(ofReceiver: receiver) }
        model.places[place].levels = stay(means)
      }
      return model.alikePlaces.map { "\($0)\($1)" } == ["ab"]
    }
    for _ in 0..<100 {
      #expect(alike([-60, -70, -80], [-60, -70, -80]))
      #expect(alike([-60, 0, -80], [-60, 0, -80]))
      #expect(!alike([-60, -70, -80], [-68, -70, -80]))
      #expect(!alike([-60, -70, -80], [-64, -74, -84]))
      #expect(!alike([-60, -70, -80], [-60, -70, 0]))
    }
  }

  @Test func `a model is written and read, and written again the same`() throws {
    var model = try SiteInputs.model().sorted
    model.places[0].neighbors = [1]
    let bytes = SiteModelFile.bytes(of: model)
    let again = try SiteModelFile.read(bytes)
    #expect(again == model)
    #expect(SiteModelFile.bytes(of: again) == bytes)
    #expect(model.places.map(\.name) == ["cellar", "hall"])
    #expect(model.receivers == ["cellar", "hall"])
    #expect(model.power == -59)
    #expect(model.places[1].moves == [1, 0])
    #expect(model.places[1].seconds == 60)
    // The hall's receiver listened in the cellar and received nothing.
    #expect(model.places[0].levels[1].silent == 60)
  }

  @Test func `names of any text survive, and the order of captures does not matter`() throws {
    var surveyor = SiteSurveyor()
    let text = "start,end,name\n0,5,\"a \"\"quoted\"\", \u{1B}name\"\n5,10,Küche\n"
    surveyor.start(try TruthTable(Array(text.utf8), startingAt: SiteInputs.start))
    surveyor.add(SiteInputs.walk(seconds: 5).batch, receivers: ["b\u{7}", "a"])
    let model = surveyor.model.sorted
    #expect(model.places.map(\.name) == ["Küche", "a \"quoted\", \u{1B}name"])
    #expect(try SiteModelFile.read(SiteModelFile.bytes(of: model)) == model)
  }

  @Test func `hostile models are refused with line and column`() {
    #expect(faults("") != [])
    #expect(faults("[]") == ["1:1: a site model must be an object in braces, not an array"])
    #expect(
      faults("{version:2,receivers:[],places:[]}").first?.hasPrefix("1:10: version 2") == true
    )
    let twice = faults("{version:1,receivers:['a','a'],places:[]}")
    #expect(twice.first?.hasPrefix("1:27: the receiver 'a'") == true)
    let place = "{version:1,receivers:['a'],places:[{name:'x',"
    for (rest, message) in [
      ("levels:{b:{}}}]}", "no receiver of the model is called 'b'"),
      ("levels:{a:{'-200':1}}}]}", "neither 'silent' nor a level"),
      ("levels:{a:{'-060':1}}}]}", "neither 'silent' nor a level"),
      ("levels:{a:{'-60':-1}}}]}", "whole number from 0"),
      ("levels:{a:{silent:1e30}}}]}", "whole number"),
      ("moves:{y:1}}]}", "no place of the model is called 'y'"),
      ("neighbors:['y']}]}", "no place of the model is called 'y'"),
      ("secnds:1}]}", "did you mean 'seconds'?"),
      ("},{name:'x'}]}", "there twice"),
      ("},{name:''}]}", "must not be empty"),
    ] {
      let found = faults(place + rest)
      #expect(found.count == 1 && found[0].contains(message), "\(rest): \(found)")
    }
    let many = (0...SiteModel.placeLimit).map { "{name:'p\($0)'}" }.joined(separator: ",")
    let tooMany = faults("{version:1,receivers:[],places:[\(many)]}")
    #expect(tooMany.first?.contains("at most 256 places") == true)
  }

  @Test func `the largest counts give probabilities`() throws {
    let text = """
      {version:1,receivers:['a'],places:[
      {name:'x',seconds:0,moves:{y:1000000000},levels:{a:{'-10':1000000000}}},
      {name:'y',seconds:1000000000,levels:{a:{silent:1000000000}}},{name:'z'}]}
      """
    let tables = PlaceTables(try SiteModelFile.read(Array(text.utf8)))
    for row in 0..<3 {
      let sum = tables.moves[row * 3..<row * 3 + 3].reduce(0, +)
      #expect((0.999999...1.000001).contains(sum))
    }
    for evidence: ReceptionSecond.Evidence in [.silence, .level(-10), .level(-300), .level(90)] {
      #expect(tables.likelihoods(of: evidence, at: 0).allSatisfy { $0 > 0 && $0 <= 1 })
    }
  }

  @Test func `labels are read with their titles in any order`() throws {
    let times = "2026-01-01T00:00:20Z,2026-01-01T00:00:10Z"
    let text =
      "\u{FEFF}index,name,End,start\r\n3, hall ,10,0\r\n\r\n4,\"a, b\",\(times)\r\n"
    let truth = try TruthTable(Array(text.utf8), startingAt: SiteInputs.start)
    #expect(truth.names == ["hall", "a, b"])
    #expect(truth.count == 2)
    #expect(truth.place(of: SiteInputs.identity, at: SiteInputs.time(9.9)) == 0)
    #expect(truth.place(of: SiteInputs.identity, at: SiteInputs.time(10)) == 1)
    #expect(truth.place(of: SiteInputs.identity, at: SiteInputs.time(20)) == nil)
    let unix = "start,end,name\n1767225600,1767225610,hall\n"
    let absolute = try TruthTable(Array(unix.utf8), startingAt: .earliest)
    #expect(absolute.place(of: SiteInputs.identity, at: SiteInputs.time(5)) == 0)
  }

  @Test func `labels may name their beacon`() throws {
    let other = BeaconIdentity(uuid: 7, major: 1, minor: 2)
    let text = "start,end,name,beacon\n0,10,hall,\(SiteInputs.identity)\n0,10,cellar,\(other)\n"
    let truth = try TruthTable(Array(text.utf8), startingAt: SiteInputs.start)
    #expect(truth.place(of: other, at: SiteInputs.time(5)) == 1)
    #expect(truth.place(of: SiteInputs.identity, at: SiteInputs.time(5)) == 0)
    let third = BeaconIdentity(uuid: 9, major: 1, minor: 2)
    #expect(truth.place(of: third, at: SiteInputs.time(5)) == nil)
  }

  @Test(arguments: [
    ("", "1:1: the file is empty"),
    ("a,b\n", "1:1: no column has the title 'start'"),
    ("start,end,name\n1,2\n", "2:1: the line has 2 values"),
    ("start,end,name\n1,2,\n", "2:5: a place's name"),
    ("start,end,name\nx,2,hall\n", "2:1: 'x' is neither"),
    ("start,end,name\n1,nan,hall\n", "2:3: 'nan' is neither"),
    ("start,end,name\n1,-2,hall\n", "2:3: '-2' is neither"),
    ("start,end,name\n3,2,hall\n", "2:3: the stay ends before it starts"),
    ("start,end,name,beacon\n1,2,hall,7\n", "2:10: a beacon is UUID/MAJOR/MINOR"),
    ("start,end,name\n0,1,\"hall\n1,2,room\n", "2:5: a quotation mark is not closed"),
    ("start,end,\"name\n0,1,hall\n", "1:11: a quotation mark is not closed"),
    ("start,end,name\n0,1,\"a\"\"b\"\"\n", "2:5: a quotation mark is not closed"),
    (
      "start,end,name\n0,10,hall\n9,20,room\n",
      "3:1: the stay in 'room' overlaps that in 'hall' of line 2"
    ),
    (
      "start,end,name\n5,6,room\n0,10,hall\n10,20,room\n",
      "3:1: the stay in 'hall' overlaps that in 'room' of line 2"
    ),
  ])
  func `labels that are wrong are refused with their place`(_ text: String, _ message: String) {
    do throws(JSON5Faults) {
      _ = try TruthTable(Array(text.utf8), startingAt: .earliest)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.faults.count == 1)
      #expect("\(error)".hasPrefix(message), "\(error)")
    }
  }

  @Test func `stays in one place may overlap, and those of two beacons`() throws {
    let text =
      "start,end,name,beacon\n0,10,hall,\(SiteInputs.identity)\n5,20,hall,\(SiteInputs.identity)\n"
      + "0,10,room,\(BeaconIdentity(uuid: 7, major: 1, minor: 2))\n20,30,room,\(SiteInputs.identity)\n"
    let truth = try TruthTable(Array(text.utf8), startingAt: SiteInputs.start)
    #expect(truth.place(of: SiteInputs.identity, at: SiteInputs.time(19)) == 0)
    #expect(truth.place(of: SiteInputs.identity, at: SiteInputs.time(21)) == 1)
  }

  @Test(arguments: ["x,y,z\n", "\"\n", "0,5,a\n0,5,b\n"])
  func `faults are reported a hundred at most`(_ lines: String) {
    let text = "start,end,name\n" + String(repeating: lines, count: 5000)
    do throws(JSON5Faults) {
      _ = try TruthTable(Array(text.utf8), startingAt: .earliest)
      Issue.record("it was read")
    } catch {
      #expect(error.faults.count == 100)
    }
  }
}
