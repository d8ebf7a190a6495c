// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
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
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try WholeFile.read(path)
    } catch {
      throw CommandFailure(error)
    }
    do throws(JSON5Faults) {
      return try Plan(reading: bytes)
    } catch {
      throw CommandFailure(.badData, error.faults.map { "\(path):\($0)" })
    }
  }

  /// Reads the plan of a command that needs one.
  package static func read(_ arguments: ParsedArguments) throws -> Plan {
    guard let path = arguments[MuseumOptions.plan] else {
      throw UsageError(
        "'\(arguments.commandName)' needs --plan FILE; 'beaconctl museum plan new' makes a plan"
      )
    }
    return try read(path)
  }
}
