// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The page lists every symbol of the module, and no other.
@Suite struct SurfaceTests {
  /// The members that every Foundation object, every error and every sequence has; `~` is `~=`.
  private static let commonplace: Set = [
    "copy(with:)", "description", "localizedDescription", "errorDomain", "errorCode",
    "errorUserInfo",
    "Element", "Failure", "Iterator", "makeAsyncIterator()", "next()", "~(code:error:)",
    "=(first:second:)", "hash(into:)", "init(coder:)", "encode(with:)", "supportsSecureCoding",
  ]

  private static func read(_ path: String) throws -> String {
    try String(contentsOf: ProjectFiles.root.appending(path: path), encoding: .utf8)
  }

  private func sources() throws -> [String] {
    let folder = ProjectFiles.root.appending(path: "Sources/iPhone/CoreLocation").path
    let files = try #require(FileManager.default.enumerator(atPath: folder))
    var sources: [String] = []
    for case let file as String in files where file.hasSuffix(".swift") {
      sources.append(try Self.read("Sources/iPhone/CoreLocation/\(file)"))
    }
    return sources
  }

  private func symbols() throws -> Set<String> {
    var symbols = PublicSymbols()
    for source in try sources() { symbols.add(source) }
    return symbols.names.filter { name in
      !Self.commonplace.contains { name.hasSuffix(".\($0)") }
    }
  }

  @Test func `the page has every symbol, and no other`() throws {
    let symbols = try symbols()
    let page = SurfacePage(try Self.read("docs/core-location.md"))
    #expect(symbols.count > 300)
    #expect(page.inert.count > 100)
    #expect(page.strange.isEmpty)
    #expect(symbols.subtracting(page.present).sorted() == [], "not on the page")
    #expect(page.present.subtracting(symbols).sorted() == [], "on the page and not there")
    #expect(page.absent.intersection(symbols).sorted() == [], "said to be absent")
  }

  /// `Locations` holds what regions need of positions, `Positions` what needs regions.
  @Test
  func `every declaration of Locations and Positions is inert on the page, and no other is`() throws
  {
    var symbols = PublicSymbols()
    for folder in [
      "Sources/iPhone/CoreLocation/Locations", "Sources/iPhone/CoreLocation/Positions",
    ] {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: ProjectFiles.root.appending(path: folder).path
      )
      for file in files { symbols.add(try Self.read("\(folder)/\(file)")) }
    }
    let positions = symbols.names.filter { name in
      !Self.commonplace.contains { name.hasSuffix(".\($0)") }
    }
    let page = SurfacePage(try Self.read("docs/core-location.md"))
    // What an update has of the program's authorization, as a monitor's event does.
    let flags = [
      "accuracyLimited", "authorizationDenied", "authorizationDeniedGlobally",
      "authorizationRequestInProgress", "authorizationRestricted", "insufficientlyInUse",
      "serviceSessionRequired",
    ]
    #expect(positions.subtracting(page.inert).sorted() == flags.map { "CLLocationUpdate.\($0)" })
    let others = page.inert.subtracting(positions)
      .filter { !["CLLocationManager", "CLRegion.", "CLVisit."].contains(where: $0.hasPrefix) }
    #expect(others.sorted() == [])
  }

  /// Apple's types: kind, name, conformances, members.
  private func apple() throws -> [(
    kind: String, name: String, conforms: [String], members: [String]
  )] {
    var types: [(kind: String, name: String, conforms: [String], members: [String])] = []
    for line in try Self.read("Fixtures/core-location/apple-names.txt").split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("  ") {
        types[types.count - 1].members += words
      } else {
        types.append((words[0], words[1], Array(words.dropFirst(2)), []))
      }
    }
    return types
  }

  @Test func `each of Apple's names is there, or absent on the page with a reason`() throws {
    let symbols = try symbols()
    let page = SurfacePage(try Self.read("docs/core-location.md"))
    let names = try apple().flatMap { type in
      [type.name] + type.members.map { "\(type.name).\($0)" }
    }
    #expect(names.count > 250)
    let missing = names.filter { !symbols.contains($0) && !page.absent.contains($0) }
    // Of every class and error.
    let inherited = ["init(from:)", "encode(to:)"]
    #expect(missing.filter { name in !inherited.contains { name.hasSuffix($0) } } == [])
  }

  @Test func `types are of Apple's kinds, and conform as Apple's`() throws {
    let sources = try sources().joined(separator: "\n")
    for type in try apple() where type.kind != "type" {
      let name = type.name.split(separator: ".").last.map(String.init) ?? type.name
      let start = "\(type.kind) \(name)"
      let heads = sources.split(separator: "\n").filter { line in
        line.range(of: "(public|open) (final )?\(start)\\b", options: .regularExpression) != nil
      }
      #expect(!heads.isEmpty, "\(start)")
      for conformance in type.conforms {
        #expect(heads.contains { $0.contains(conformance) }, "\(start): \(conformance)")
      }
    }
  }

  /// Row N13.
  @Test func `symbols are found as they are written`() {
    var symbols = PublicSymbols()
    symbols.add(
      """
      // public let remark = 1
      public enum Kind { case `default`, one, two(Int, of: [String]); case three = 3 }
      public typealias Number = Int
      open class Thing: Base {
        public private(set) final var state = State()
        private let hidden = 1, text = "public var quoted { "
        open class func find(_ name: String, in list: (Int, Int) -> [Int: Bool] = { _, _ in [:] }) {
          let local = 1
          switch local { case inner: break }
        }
        public override var hash: Int { 1 }
        package init(secret: Int) {}
        public init() {}
        public required init?(from text: String) {}
        struct Inner { public let shown: Int }
      }
      extension Thing.Part { public static func make<T>(of: T, with _: Int) {} }
      public protocol Listener { func hear(_ what: String); var name: String { get } }
      """
    )
    #expect(
      symbols.names == [
        "Kind", "Kind.default", "Kind.one", "Kind.two", "Kind.three", "Number", "Thing",
        "Thing.state",
        "Thing.find(_:in:)", "Thing.init()", "Thing.init(from:)", "Thing.Inner.shown",
        "Thing.Part.make(of:with:)",
        "Listener", "Listener.hear(_:)", "Listener.name",
      ]
    )
  }
}
