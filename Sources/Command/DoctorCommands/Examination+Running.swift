// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconBlueZ
internal import SystemKit
package import BeaconCore

extension Examination {
  /// Looks at the machine, asks BlueZ and listens.
  ///
  /// - Parameters:
  ///   - probe: What looks at the machine.
  ///   - wanted: The adapter to listen with, by name or address; `nil` is every powered one.
  ///   - path: How reports are to come.
  ///   - bus: The address of the bus; `nil` is the system bus.
  ///   - span: How long to listen.
  ///   - openChannel: Opens the kernel's monitor channel.
  ///   - isInterrupted: Whether the user wants to stop.
  ///   - beforeListening: Called when all else is done.
  /// - Returns: The findings.
  package static func run(
    _ probe: MachineProbe,
    wanted: String? = nil,
    via path: ReportPath = .automatic,
    bus: String? = nil,
    listeningFor span: TimeSpan,
    opening openChannel: @escaping BlueZScanOptions.ChannelOpener = MonitorSocket.open,
    isInterrupted: () -> Bool = { Interruption.exitCode != nil },
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
    var options = RunOptions()
    (options.adapter, options.via) = (wanted, path)
    var scan = BlueZScanOptions(options, opening: openChannel)
    scan.bus = bus
    await examination.listen(scan, for: span, isInterrupted)
    return examination
  }

  private mutating func listen(
    _ scan: BlueZScanOptions,
    for span: TimeSpan,
    _ isInterrupted: () -> Bool
  ) async {
    var diagnostics: [BlueZDiagnostic] = []
    do {
      self.scan = try await withLiveSource(scan, showing: { diagnostics.append($0) }) { radio, _ in
        var measurement = ReceptionMeasurement()
        let start = radio.now
        let end = start + span
        while radio.now < end, !isInterrupted() {
          // In slices, so that a signal ends it soon.
          let slice = min(end, radio.now + .milliseconds(500))
          guard let batch = await radio.next(until: slice) else { break }
          measurement.receive(batch)
        }
        measurement.end(after: radio.now - start)
        return measurement
      }
      self.diagnostics = diagnostics
    } catch {
      listening = error as? BlueZUnavailable
    }
  }
}
