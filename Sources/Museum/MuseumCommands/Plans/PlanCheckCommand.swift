// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import BeaconCore
internal import BeaconMuseum

/// `museum plan check`: whether a plan is valid, and its contents.
package struct PlanCheckCommand {
  /// The plan that `museum plan check` reads.
  private static let file = CommandArgument(
    .file("FILE"),
    "A museum plan, JSON5"
  )

  /// `museum plan check`: whether a plan is valid.
  static let command = BeaconctlCommand(
    "check",
    "Check a museum plan; exit code 2 if it is wrong",
    arguments: [file],
    exclusive: Exclusive.verbosity
  ) { arguments, io in
    try PlanCheckCommand(arguments, io: io).run()
  }

  private let path: String
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    path = try arguments.required(Self.file)
    self.io = io
  }

  /// Reads the plan and shows every fault on a line.
  package func run() throws -> ExitCode {
    do {
      let plan = try PlanFile.read(path)
      try io.write(table: [Self.summary(plan)])
      for remark in Self.remarks(plan) { io.show("\(path): \(remark)") }
      return .done
    } catch let failure as CommandFailure where failure.code == .badData {
      failure.lines.forEach(io.show)
      return .negativeVerdict
    }
  }

  /// Returns a line with the content of a plan.
  static func summary(_ plan: Plan) -> String {
    let rooms = plan.rooms.count { $0.major != nil }
    let quiet = plan.rooms.count - rooms
    var parts = ["\(rooms) \(rooms == 1 ? "room" : "rooms")"]
    if quiet > 0 { parts.append("\(quiet) without beacons") }
    let exhibits = plan.exhibits.count
    parts.append("\(exhibits) \(exhibits == 1 ? "exhibit" : "exhibits")")
    parts.append("in \(plan.languages.joined(separator: ", "))")
    return "\(plan.museum[plan.languages.first ?? ""]): \(parts.joined(separator: ", "))"
  }

  /// Returns remarks about a valid plan that will not work well.
  static func remarks(_ plan: Plan) -> [String] {
    let language = plan.languages.first ?? ""
    var remarks: [String] = []
    for room in plan.rooms where room.major != nil && plan.exhibits(in: room).isEmpty {
      remarks.append("room '\(room.name[language])' has a major and no exhibit")
    }
    remarks += closeExhibits(of: plan).map { first, second in
      "'\(first.title[language])' and '\(second.title[language])' are closer than"
        + " \(leastSpacing) m; the guide will often confuse them"
    }
    for (number, exhibits) in Dictionary(grouping: plan.exhibits, by: \.number)
      .filter({ $0.value.count > 1 }).sorted(by: { $0.key < $1.key })
    {
      let titles = exhibits.prefix(mostTitles).map { "'\($0.title[language])'" }
      let rest = exhibits.count > mostTitles ? ", …" : ""
      remarks.append(
        "the number \(number) stands at \(titles.joined(separator: ", "))\(rest); a visitor who types it"
          + " opens the first: give the others a 'number'"
      )
    }
    if plan.manifest.purposes.isEmpty {
      remarks.append(
        "no purpose is given, so full accuracy cannot be asked for where it is reduced"
      )
    }
    return remarks
  }

  /// Returns exhibits of a room that are too close to an earlier one, each once.
  ///
  /// A plan that comes from elsewhere can put thousands at one place, so each is compared only with those in the squares around it
  /// that are not too close to others: a few.
  private static func closeExhibits(of plan: Plan) -> [(Plan.Exhibit, Plan.Exhibit)] {
    struct Square: Hashable { var major: UInt16, x: Int, y: Int }
    var apart: [Square: [Plan.Exhibit]] = [:]
    var close: [(Plan.Exhibit, Plan.Exhibit)] = []
    for exhibit in plan.exhibits {
      guard let place = exhibit.position else { continue }
      let own = Square(
        major: exhibit.identity.major,
        x: Int((place.x / leastSpacing).rounded(.down)),
        y: Int((place.y / leastSpacing).rounded(.down))
      )
      let around = (-1...1).flatMap { x in
        (-1...1).flatMap { y in
          apart[Square(major: own.major, x: own.x + x, y: own.y + y)] ?? []
        }
      }
      let other = around.first { other in
        other.position.map { $0.distance(to: place) < leastSpacing } == true
      }
      if let other {
        close.append((other, exhibit))
      } else {
        apart[own, default: []].append(exhibit)
      }
    }
    return close
  }

  /// The most titles of a remark.
  private static let mostTitles = 5
  /// The least distance of two beacons in meters: below it, shadowing of 4 dB too often makes them equally strong.
  static let leastSpacing = 2.0
}
