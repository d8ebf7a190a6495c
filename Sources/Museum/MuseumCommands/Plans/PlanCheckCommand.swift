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
      let folder = PlanFolder(of: plan, at: path)
      for remark in PlanRemarks(plan, fault: folder.fault(of:)).all {
        io.show("\(path): \(remark.message)")
      }
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
}
