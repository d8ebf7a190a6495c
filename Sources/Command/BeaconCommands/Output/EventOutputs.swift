// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
package import BeaconCore
package import BeaconFormats
internal import Beacons

/// All outputs of a run.
package struct EventOutputs {
  private let outputs: [EventOutput]

  /// Opens the outputs that the options request.
  ///
  /// - Parameters:
  ///   - options: The user's options.
  ///   - names: What numbers are called.
  ///   - kind: Which events a table of values holds.
  ///   - io: Where standard output is.
  ///   - isLive: Whether each event is written immediately.
  ///   - showsView: Whether a view has standard output for itself.
  /// - Throws: ``CommandFailure`` when a file cannot be written.
  package init(
    _ options: OutputOptions,
    _ names: EventNames,
    kind: EventCSVWriter.Kind,
    io: CommandIO,
    isLive: Bool,
    showsView: Bool = false
  ) throws {
    func formatter(_ format: OutputFormat, isTerminal: Bool) -> (any EventFormatter)? {
      format.formatter(
        names,
        kind,
        TextStyle(
          hasColor: options.hasColor(isTerminal: isTerminal, environment: io.environment),
          columns: isTerminal ? io.columns : 80,
          cutsNames: isTerminal
        )
      )
    }
    let terminal = io.output.isTerminal
    let format = showsView ? .none : options.format ?? (terminal ? .table : options.piped ?? .jsonl)
    var outputs: [EventOutput] = []
    if let formatter = formatter(format, isTerminal: terminal) {
      outputs.append(EventOutput(formatter, to: io.output, isLive: isLive || terminal))
    }
    for further in options.further {
      do {
        let sink = try io.open(further.file, isLive ? .setAside : .whole)
        if let formatter = formatter(further.format, isTerminal: false) {
          outputs.append(EventOutput(formatter, to: sink, isLive: isLive))
        }
      } catch let error as SystemError {
        throw CommandFailure(error)
      }
    }
    self.outputs = outputs
  }

  /// Names receivers that were not known at the start.
  package func name(receivers: [String]) {
    for output in outputs { output.name(receivers: receivers) }
  }

  /// Writes deliveries to every output.
  package func write(_ deliveries: [Delivery]) throws {
    for output in outputs { try output.write(deliveries) }
  }

  /// Writes the remaining bytes.
  package func flush() throws {
    for output in outputs { try output.flush() }
  }

  /// Closes every output.
  package func end(isComplete: Bool) throws {
    for output in outputs { try output.end(isComplete: isComplete) }
  }
}
