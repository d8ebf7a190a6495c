// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Pages

/// The floors of a plan as a part of a page, with the reports of each of its beacons and the visitors in each room.
///
/// It is in English, with the plan's names in its first language.
package struct PlanFloors: Sendable {
  /// The reports of a beacon at present.
  package enum Reception: Sendable, Equatable {
    /// Nothing.
    case none
    /// Something.
    case received
    /// It is near or immediate.
    case near
  }

  /// A beacon of the plan as it is shown.
  package struct Spot: Sendable, Equatable {
    /// How it is drawn.
    package var reception: Reception
    /// The same in words, for the list.
    package var text: String

    /// Creates the shown values of a beacon.
    package init(_ reception: Reception = .none, text: String) {
      (self.reception, self.text) = (reception, text)
    }
  }

  /// The most names below that of a room; the further ones are counted.
  private static let guestLimit = 6
  /// The most characters of a name in a room: what fits a third of a drawing.
  private static let guestLength = 24

  private let plan: Plan
  private let drawings: [FloorDrawing]
  /// The first room of each name, in any language.
  private let rooms: [String: Int]

  /// Creates the floors of a plan.
  package init(_ plan: Plan) {
    self.plan = plan
    drawings = FloorDrawing.all(plan)
    let names = plan.rooms.enumerated().flatMap { index, room in
      room.name.entries.map { ($0.text, index) }
    }
    rooms = Dictionary(names) { first, _ in first }
  }

  /// The plan's beacons, in the order of its file.
  package var identities: [BeaconIdentity] { plan.exhibits.map(\.identity) }

  /// The name of a beacon of the plan; `nil` for another one.
  package func name(of identity: BeaconIdentity) -> String? {
    plan.exhibit(identity)?.title[language]
  }

  /// Whether a room has a name, in one of the plan's languages.
  package func hasRoom(_ name: String) -> Bool { rooms[name] != nil }

  private var language: String { plan.languages.first ?? "" }

  /// Returns the floors as HTML.
  ///
  /// - Parameters:
  ///   - spots: The shown values of each beacon of the plan; a missing one is drawn as not received.
  ///   - guests: The names of other beacons, by the name of the room in which they are.
  /// - Returns: A section with a drawing of each floor, a key, and a list of the beacons.
  package func html(_ spots: [BeaconIdentity: Spot], guests: [String: [String]]) -> String {
    var inside: [Int: [String]] = [:]
    for (name, found) in guests.sorted(by: { $0.key < $1.key }) {
      if let room = rooms[name] { inside[room, default: []] += found }
    }
    var page = Markup()
    page.open("section", [("class", "plan")])
    page.element("h2", [("lang", language)], plan.museum[language])
    if drawings.isEmpty { page.element("p", "This plan draws no rooms.") }
    for drawing in drawings { write(drawing, spots, inside, to: &page) }
    if !drawings.isEmpty {
      page.key([("shown", "near"), ("received", "received"), ("spot", "not received")], as: .disc)
      page.line()
    }
    writeList(spots, to: &page)
    page.close("section")
    page.line()
    return page.text
  }

  private func write(
    _ drawing: FloorDrawing,
    _ spots: [BeaconIdentity: Spot],
    _ inside: [Int: [String]],
    to page: inout Markup
  ) {
    let name = plan.floor(drawing.level)?.name[language] ?? "Level \(drawing.level)"
    let (width, height) = drawing.size
    let size = "0 0 \(ReportNumber.place(width)) \(ReportNumber.place(height))"
    page.open("figure")
    page.open("svg", [("viewBox", size), ("role", "img"), ("aria-label", "Floor plan: \(name)")])
    for room in drawing.rooms {
      let style = inside[room] == nil ? "room" : "room now"
      page.open("path", [("class", style), ("d", drawing.outline(room))])
      page.close("path")
    }
    drawing.drawDoors(to: &page)
    for index in drawing.spots {
      let reception = spots[plan.exhibits[index].identity]?.reception ?? .none
      drawing.drawSpot(index, in: language, [("class", Self.style(reception))], to: &page)
    }
    for room in drawing.rooms {
      let name = plan.rooms[room].name[language]
      drawing.name(room, name, to: &page)
      let guests = Self.shown(inside[room] ?? [])
      drawing.drawGuests(guests, in: room, called: name, to: &page)
    }
    drawing.drawScale("{0} m", to: &page)
    page.close("svg")
    page.element("figcaption", [("lang", language)], name)
    page.close("figure")
    page.line()
  }

  private static func style(_ reception: Reception) -> String {
    switch reception {
    case .none: "spot"
    case .received: "spot received"
    case .near: "spot shown"
    }
  }

  private static func shown(_ guests: [String]) -> [String] {
    let names = guests.prefix(guestLimit).map { "● \(clipped($0))" }
    return guests.count > guestLimit ? names + ["and \(guests.count - guestLimit) more"] : names
  }

  private static func clipped(_ name: String) -> String {
    name.count > guestLength ? name.prefix(guestLength - 1) + "…" : name
  }

  /// The beacons as a table, with the same values for readers who do not see the drawing.
  private func writeList(_ spots: [BeaconIdentity: Spot], to page: inout Markup) {
    page.open("table")
    page.open("tr")
    for head in ["No.", "Beacon", "Room", "Received"] { page.element("th", head) }
    page.close("tr")
    page.line()
    for exhibit in plan.exhibits {
      let room = plan.room(major: exhibit.identity.major)?.name[language] ?? ""
      page.open("tr")
      page.element("td", "\(exhibit.number)")
      page.element("td", [("class", "name")], exhibit.title[language])
      page.element("td", [("class", "name")], room)
      page.element("td", [("class", "name")], spots[exhibit.identity]?.text ?? "–")
      page.close("tr")
      page.line()
    }
    page.close("table")
    page.line()
  }
}
