// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// What every part of a report draws from.
struct ReportContext {
  /// The museum.
  let plan: Plan
  /// The visits, in the order of their captures.
  let visits: [Visit]
  /// What they say.
  let statistics: VisitStatistics
  /// What may be shown.
  let suppression: SmallCellSuppression
  /// The language of names.
  let language: String

  /// Whether there is one visit, which is its visitor's own.
  var isOneVisit: Bool { visits.count == 1 }

  /// The exhibit's title.
  func title(_ exhibit: Int) -> String {
    plan.exhibits.indices.contains(exhibit) ? plan.exhibits[exhibit].title[language] : ""
  }

  /// The room's name.
  func roomName(_ room: Int) -> String {
    plan.rooms.indices.contains(room) ? plan.rooms[room].name[language] : ""
  }

  /// The room of an exhibit.
  func room(of exhibit: Int) -> Int? {
    guard plan.exhibits.indices.contains(exhibit) else { return nil }
    let major = plan.exhibits[exhibit].identity.major
    return plan.rooms.firstIndex { $0.major == major }
  }

  /// The number an exhibit has in every drawing and table, from 1.
  func number(_ exhibit: Int) -> String { "\(exhibit + 1)" }

  /// The class that gives a room its color; after eight rooms they come again, and names tell them apart.
  func color(ofRoom room: Int) -> String { "r\(room % ReportStyle.roomColors + 1)" }
}
