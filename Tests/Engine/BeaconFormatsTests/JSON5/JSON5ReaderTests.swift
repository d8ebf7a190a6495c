// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@testable import BeaconFormats

@Suite struct JSON5ReaderTests {
  enum Fruit: String, CaseIterable { case apple, pear }

  @Test func `a duplicate key does not hide other faults`() throws {
    let faults = FaultCollector()
    let text = "{ at: 1, at: 2,\n  tent: 3, input: 'x' }"
    let value = try JSON5.parse(Array(text.utf8), faults: faults)
    var object = try #require(JSON5Reader(value, faults: faults).object())
    #expect(object.required("at")?.integer() == 1)
    #expect(object.required("input")?.choice(["report"]) == nil)
    object.finish()
    let thrown = #expect(throws: JSON5Faults.self) { try faults.throwIfAny() }
    let places = thrown?.faults.map { "\($0.line):\($0.column)" }
    #expect(places == ["1:10", "2:3", "2:19"])
  }

  @Test func `a fault that hides a part of the file is reported alone`() {
    let faults = FaultCollector()
    let error = #expect(throws: JSON5Faults.self) {
      try JSON5.parse(Array("{ a: yes, b: 1, b: 2 }".utf8), faults: faults)
    }
    #expect(error?.faults.count == 2)
    #expect(faults.faults.isEmpty)
  }

  static func faults(_ text: String, _ read: (inout ObjectReader) -> Void) throws -> [String] {
    let faults = FaultCollector()
    var object = try #require(JSON5Reader(try JSON5.parse(text), faults: faults).object())
    read(&object)
    object.finish()
    do {
      try faults.throwIfAny()
      return []
    } catch {
      return error.faults.map(\.description)
    }
  }

  @Test func `right values are read`() throws {
    let text = """
      { at: 1.5, n: 5.0, ok: true, name: 'x', fruit: 'pear', t: '2026-11-21T22:00:00+01:00',
        c: 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1', list: [1, 2], any: { z: 1, a: 2 }, rssi: null }
      """
    let faults = try Self.faults(text) { object in
      #expect(object.required("at")?.number(in: 0...2) == 1.5)
      #expect(object.required("n")?.integer(in: 0...5) == 5)
      #expect(object.optional("ok")?.bool() == true)
      #expect(object.optional("name")?.nonEmptyString() == "x")
      #expect(object.optional("fruit")?.choice(of: Fruit.self) == .pear)
      #expect(
        object.optional("t")?.timestamp() == Timestamp(microseconds: 1_795_294_800_000_000)
      )
      #expect(object.optional("c")?.constraint()?.major == 1)
      #expect(object.optional("list")?.array()?.compactMap { $0.integer() } == [1, 2])
      var any = object.optional("any")?.object()
      #expect(any?.entries().map(\.key) == ["z", "a"])
      any?.finish()
      #expect(object.optional("rssi")?.isNull == true)
      #expect(object.optional("missing") == nil)
    }
    #expect(faults == [])
  }

  @Test func `every wrong value is reported, in the order of the file`() throws {
    let text = """
      { at: 'x', n: 5.5, m: 70000, fruit: 'paer',
        c: 'zz', list: 3, t: 'yesterday', far: Infinity, tiem: 1 }
      """
    let faults = try Self.faults(text) { object in
      _ = object.optional("far")?.number(in: 0...(.greatestFiniteMagnitude))
      _ = object.required("at")?.number()
      _ = object.required("n")?.integer()
      _ = object.required("m")?.integer(in: 0...65535)
      _ = object.optional("fruit")?.choice(of: Fruit.self)
      _ = object.optional("c")?.constraint()
      _ = object.optional("list")?.array()
      _ = object.optional("t")?.timestamp()
      _ = object.required("time")
    }
    #expect(
      faults == [
        "1:1: the file needs 'time'",
        "1:7: at must be a number, not a text",
        "1:15: n must be a whole number",
        "1:23: m must be a whole number from 0 to 65535",
        "1:37: fruit 'paer' is not known; did you mean 'pear'?",
        "2:6: c: 'zz' is not a UUID; write 32 hexadecimal digits as 8-4-4-4-12",
        "2:18: list must be an array in brackets, not a number",
        "2:24: t must be a time such as 2026-11-21T22:00:00+01:00",
        "2:42: far must be a finite number of at least 0",
        "2:52: the file has no key 'tiem'; did you mean 'time'?",
      ]
    )
  }

  @Test func `a key that is looked up twice is named once`() throws {
    let faults = FaultCollector()
    let value = try JSON5.parse(Array("{other: 1}".utf8), faults: faults)
    var object = try #require(JSON5Reader(value, name: "a region", faults: faults).object())
    for key in ["near", "far", "near"] { _ = object.optional(key) }
    object.finish()
    #expect(faults.faults.map(\.message) == ["a region has no key 'other'; known are near, far"])
  }
}
