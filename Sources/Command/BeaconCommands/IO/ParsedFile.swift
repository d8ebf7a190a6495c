// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconFormats
internal import SystemKit

/// A file of a command line that is read whole, such as a plan or a model.
package enum ParsedFile {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file; `-` is standard input.
  ///   - code: The exit code for a file with faults.
  ///   - parse: Turns its bytes into a value.
  /// - Returns: The value.
  /// - Throws: ``CommandFailure`` if the file cannot be read; with a line for each fault if it has some.
  package static func read<Value>(
    _ path: String,
    failing code: ExitCode = .badData,
    _ parse: ([UInt8]) throws(JSON5Faults) -> Value
  ) throws(CommandFailure) -> Value {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try WholeFile.read(path)
    } catch {
      throw CommandFailure(error)
    }
    do throws(JSON5Faults) {
      return try parse(bytes)
    } catch {
      // The faults of its bytes as text would lead nowhere.
      if let format = CaptureFormat.sniff(bytes.span), format != .jsonLines {
        throw CommandFailure(
          code,
          "\(WholeFile.name(path)) is a \(format.name) capture, and no JSON5"
        )
      }
      throw CommandFailure(error, of: path, code)
    }
  }
}

extension CommandFailure {
  /// The most faults of a file that are shown: of a generated file each entry may have one.
  private static let mostFaults = 100

  /// Creates the failure of a file with faults: a line for each, with its place.
  package init(_ faults: JSON5Faults, of path: String, _ code: ExitCode) {
    let name = WholeFile.name(path)
    let rest = faults.faults.count - Self.mostFaults
    self.init(
      code,
      faults.faults.prefix(Self.mostFaults).map { "\(name):\($0)" }
        + (rest > 0 ? ["\(name): and \(rest) more faults"] : [])
    )
  }
}
