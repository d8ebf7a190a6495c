// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
package import BeaconBlueZ
package import BeaconCore
internal import Beacons

extension Examination {
  /// Looks at the machine, asks BlueZ and listens.
  ///
  /// - Parameters:
  ///   - probe: What looks at the machine.
  ///   - wanted: The adapter to listen with, by name or address; `nil` is every powered one.
  ///   - path: How reports are to come.
  ///   - bus: The address of the bus; `nil` is the system bus.
  ///   - span: How long to listen.
  ///   - beforeListening: Called when all else is done.
  /// - Returns: What was found.
  package static func take(
    _ probe: MachineProbe,
    wanted: String? = nil,
    via path: ReportPath = .automatic,
    bus: String? = nil,
    listeningFor span: TimeSpan,
    beforeListening: () -> Void = {}
  ) async -> Examination {
    var examination = Examination()
    examination.wanted = wanted
    examination.path = path
    probe.look(&examination)
    examination.survey = await BlueZSurvey.run(bus: bus)
    if let process = examination.survey.process {
      examination.daemonArguments = probe.arguments(of: process)
      if let program = examination.daemonArguments.first, program.hasPrefix("/") {
        examination.daemon = program
      }
    }
    // One that is off would be waited for.
    guard case .answered = examination.survey.reach,
      examination.adapters.contains(where: \.isPowered)
    else { return examination }
    beforeListening()
    await examination.listen(on: bus, for: span)
    return examination
  }

  private mutating func listen(on bus: String?, for span: TimeSpan) async {
    do {
      let source = try await BlueZSource.start(
        BlueZScanOptions(adapters: wanted.map { .named($0) } ?? .all, path: path, bus: bus)
      )
      var scan = ReceptionMeasurement()
      let start = source.now
      let end = start + span
      while source.now < end, Interruption.exitCode == nil {
        // In slices, so that a signal is heeded.
        let slice = min(end, source.now + .milliseconds(500))
        guard let batch = await source.next(until: slice) else { break }
        scan.take(batch)
      }
      scan.end(after: source.now - start)
      await source.stop()
      diagnostics = source.drainDiagnostics()
      self.scan = scan
    } catch let reason {
      listening = reason
    }
  }
}
