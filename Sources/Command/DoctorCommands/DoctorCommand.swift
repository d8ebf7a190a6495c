// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
internal import BeaconBlueZ
internal import Beacons
package import BeaconCore
internal import BeaconFormats

/// `doctor`: the faults of Bluetooth on this machine, and how to fix it.
package struct DoctorCommand {
  /// The command's name.
  package static let name = "doctor"

  /// `doctor`: what keeps this machine from ranging.
  ///
  /// - Parameter service: The service that is looked at as well.
  /// - Returns: The command.
  package static func command(_ service: ClientService?) -> BeaconctlCommand {
    BeaconctlCommand(
      name,
      "Find faults of Bluetooth on this machine, and how to fix them",
      discussion: [
        "Checks the kernel, the radio switches, BlueZ and its adapters, then listens for 10 s and"
          + " shows the measurement. Each problem has the command that fixes it; the last line"
          + " is the command to run next. Nothing is changed.",
        "Exit code 2 if something is wrong, 69 if no Bluetooth was found at all.",
      ],
      groups: [
        .source([Options.adapter, Options.via]),
        OptionGroup("Settings", [Options.config]),
        OptionGroup("Output", [Options.reportFormat, report, Options.force]),
      ],
      exclusive: Exclusive.verbosity
    ) { arguments, io in
      try await DoctorCommand(arguments, service, io: io).run()
    }
  }

  /// The file of a report for other people who help.
  private static let report = CommandOption(
    "report",
    .output("FILE"),
    "Also write everything, without addresses, into a file that you can send to others"
  )

  private let wanted: String?
  private let report: OutputPath?
  private let via: ReportPath
  private let isJSON: Bool
  private let style: TextStyle
  private let io: CommandIO
  private let service: ClientService?
  private let probe: MachineProbe
  private let span: TimeSpan
  private let names: NameBook
  private let proxies: Int

  /// Ten seconds: a controller that filters duplicates tells of each device once in that time.
  package static let listening = TimeSpan.seconds(10)

  /// Takes the user's options.
  package init(_ arguments: ParsedArguments, _ service: ClientService? = nil, io: CommandIO) {
    self.service = service
    wanted = arguments[Options.adapter].flatMap { $0 == "all" ? nil : $0 }
    via = arguments.reportPath
    report = arguments[Self.report]
    let options = OutputOptions(arguments)
    isJSON = io.reportFormat(arguments[Options.reportFormat], arguments) == .json
    style = TextStyle(
      hasColor: options.hasColor(isTerminal: io.output.isTerminal, environment: io.environment)
    )
    self.io = io
    probe = MachineProbe()
    // A faulty file must not hide other faults from the user.
    do {
      let configuration = try LoadedConfiguration(arguments, from: io.configurations)
      (names, proxies) = (configuration.names, configuration.proxies.count)
    } catch {
      (names, proxies) = (NameBook(), 0)
      io.show("the configuration is faulty, so beacons have no names here: \(error)")
    }
    span = Self.listening
  }

  /// What this account's own programs are granted, which counts for nothing in the service.
  private static func grants(of store: ClientStore) -> Finding {
    let count: Int
    do {
      count = try store.knownClients().count
    } catch {
      return Finding(.note, "own grants", "cannot be read, so they count as denied: \(error)")
    }
    let clients = count == 1 ? "1 client has grants" : "\(count) clients have grants"
    return Finding(.good, "own grants", "\(clients) of this account ('beaconctl auth --account')")
  }

  /// Examines, measures and shows.
  package func run() async throws -> ExitCode {
    let io = io
    try io.check([report].compactMap { $0 })
    var examination = await Examination.run(
      probe,
      wanted: wanted,
      via: via,
      listeningFor: span,
      opening: io.openKernelChannel,
      isInterrupted: io.isInterrupted
    ) {
      // It takes a while; the waiting user must know the reason.
      if io.errors.isTerminal { io.show("listening for \(DecimalText.span(span))") }
    }
    var notes: [ClientDiagnostic] = []
    let store = ClientStore(environment: io.environment)
    examination.look(at: store.state(of: RunClient.operatorName, notes: &notes).runRegions)
    (examination.names, examination.proxies) = (names, proxies)
    if let service {
      let found = Finding(.good, "service", await service.describe(io))
      examination.service = [found, Self.grants(of: store)]
    }
    let diagnosis = Diagnosis(examination)
    if let report {
      // Also without Bluetooth: then it is needed most.
      let text = DoctorReport.text(examination, machine: probe.description)
      try io.write(String(decoding: text, as: UTF8.self), to: report)
      if !report.isStandardOutput { io.show("written to \(report.path)") }
    }
    let text =
      isJSON
      ? DiagnosisText.json(diagnosis, examination) : DiagnosisText.table(diagnosis, style: style)
    try io.output.write(text)
    if diagnosis.isWithoutBluetooth { return .unavailable }
    if let code = Interruption.exitCode { return code }
    return diagnosis.next == nil ? .done : .negativeVerdict
  }
}
