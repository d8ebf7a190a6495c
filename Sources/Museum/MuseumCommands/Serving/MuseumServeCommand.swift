// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconMuseum
internal import Beacons
internal import WebServer

/// `museum serve`: the guide as web pages, for its visitor and for an operator.
package struct MuseumServeCommand {
  /// The speed of the replay.
  private static let speed = CommandOption(
    "speed",
    .speed,
    "Play at this speed (default: 1x)",
    needs: ["from", "simulate"]
  )
  /// The port of the pages.
  private static let portOption = Options.port(usually: usualPort)
  private static let usualPort = 8080
  /// Lets other machines see the pages.
  private static let publicPages = CommandFlag(
    "public",
    "Let everybody who can reach this machine open the pages (default: only this machine)"
  )
  /// Ends the server with the source.
  private static let once = CommandFlag(
    "once",
    "End with the capture or the simulated visit instead of serving its end",
    needs: ["from", "simulate"]
  )

  /// `museum serve`: the guide in a browser.
  static let command = BeaconctlCommand(
    "serve",
    "Serve the guide and an operator's view as web pages",
    discussion: [
      "Serves two pages that follow the guide, and prints their addresses: the visitor's, in the"
        + " languages of the plan, and the operator's, with the floor plan. Nothing is fetched from"
        + " elsewhere. Ctrl-C ends it.",
      "With the printed code the operator's page gives a lent device to the next visitor: the guide asks"
        + " again and starts again. Nothing else can be changed there.",
      "The guide is the client 'museum-guide' and asks on the visitor's page, and at the terminal if there is one. Only"
        + " who has the page's printed address or the code can answer there. Without its permission neither page shows"
        + " its place.",
    ],
    groups: [
      OptionGroup("Visit", [MuseumOptions.plan, MuseumOptions.language]),
      OptionGroup("Pages", [portOption, publicPages, once]),
      .source([Options.adapter, Options.via, Options.from, MuseumOptions.simulatedVisit, speed]),
      .asking, .recording, .settings,
      OptionGroup("Output", [Options.force, Options.summary]),
    ],
    exclusive: [["adapter", "from", "simulate"], ["via", "from", "simulate"]] + Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl museum serve --plan museum.json5 --record visit.jsonl",
        "Serve the pages on this machine and record the visit"
      )
    ]
  ) { arguments, io in
    try await MuseumServeCommand(arguments, io: io).run()
  }

  private let setup: GuideSetup
  private let port: UInt16
  private let isPublic: Bool
  private let endsWithSource: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    setup = try GuideSetup(arguments, from: io.configurations)
    port = UInt16(clamping: arguments[Self.portOption] ?? Self.usualPort)
    isPublic = arguments.has(Self.publicPages)
    endsWithSource = arguments.has(Self.once)
  }

  /// Serves until the user stops it.
  ///
  /// - Returns: ``ExitCode/done``, also if the user stopped it, because that is the normal end.
  package func run() async throws -> ExitCode {
    let media = PlanFolder(of: setup.plan, at: setup.planPath)
    var random = SystemRandomNumberGenerator()
    let forms = GuideForms(PageCode(using: &random))
    let nearby = NearbyBoard(setup.options.configuration.ranging)
    let router = PageRouter(
      setup.plan,
      language: setup.language,
      media: media,
      forms: forms,
      nearby: nearby,
      zone: io.localZone
    )
    let server = try start(router)
    defer { server.stop() }
    let program = setup.program()
    let pages = GuidePages(
      server,
      setup,
      program,
      forms,
      nearby,
      io,
      announce: { try announce(server, forms) }
    )
    let visit = GuideVisitRun(
      setup,
      program,
      format: nil,
      views: [pages],
      asking: .terminalAndPages,
      io: io
    )
    do {
      let source = setup.source
      _ = try await source.run(visit, setup.plan, speed: source.hasSpeed ? source.speed : 1, io)
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
    pages.end()
    guard !endsWithSource, !io.isInterrupted() else { return .done }
    io.serveEnd(isQuiet: setup.options.output.isQuiet) { pages.refresh() }
    return .done
  }

  private func start(_ router: PageRouter) throws -> WebServer {
    do throws(WebServerError) {
      return try WebServer(
        port: port,
        reach: isPublic ? .everybody : .loopback,
        limits: WebConfiguration(setup.options.settings).limits,
        edition: router.edition,
        largestContent: PageCode.largest,
        answer: { router.answer($0) }
      )
    } catch {
      throw CommandFailure(error)
    }
  }

  private func announce(_ server: WebServer, _ forms: GuideForms) throws {
    let root = server.address(isPublic: isPublic)
    if isPublic {
      io.show(
        "everybody who can reach this machine can now see both pages, and so where the guide is;"
          + " they are neither encrypted nor behind a password"
      )
    }
    try io.output.write(
      Array(
        """
        visitor   \(root)\(PagePaths.visitor)#\(forms.key)
        operator  \(root)\(PagePaths.operator)
        code      \(forms.code)  for 'Next visitor', and for answers without the visitor's address above

        """.utf8
      )
    )
  }
}
