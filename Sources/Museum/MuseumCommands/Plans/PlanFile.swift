// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCommandLine
package import BeaconMuseum
internal import Beacons
package import BeaconFormats

/// Reads the plan that a command line names.
extension Plan {
  /// The titles of the exhibits, in the plan's first language, as the names of their beacons.
  package var names: NameBook {
    var names = NameBook()
    for exhibit in exhibits { names[exhibit.identity] = exhibit.title[languages.first ?? ""] }
    return names
  }
}

package enum PlanFile {
  /// Reads a plan.
  ///
  /// - Throws: ``CommandFailure`` with a line for every fault of the file.
  package static func read(_ path: String) throws -> Plan {
    try ParsedFile.read(path, Plan.init(reading:))
  }

  /// Returns the plan of the demo.
  package static func demo() throws -> Plan {
    try Plan(reading: Array(Documents.demoPlan.utf8))
  }

  /// Reads the plan of a command that needs one; a simulated visitor without a plan walks through the demo's.
  package static func read(_ arguments: ParsedArguments) throws -> Plan {
    guard let path = arguments[MuseumOptions.plan] else {
      if arguments.has(MuseumOptions.simulatedVisit) { return try demo() }
      throw UsageError.missing(
        [MuseumOptions.plan.usage],
        in: arguments.programName,
        hint: "'beaconctl museum plan new' makes a plan"
      )
    }
    return try read(path)
  }
}
