// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconGateway
internal import BeaconSites
internal import Beacons
internal import BrokerClient
internal import SystemKit

/// `gateway`: sends the reports to a broker.
package struct GatewayCommand {
  private static let broker = CommandOption(
    "broker",
    .text("mqtt[s]://HOST[:PORT]"),
    "Send to this MQTT broker; mqtts encrypts"
  )
  private static let site = CommandOption(
    "site",
    .text("NAME"),
    "The name of the site, which its gateways have in common (default: home)"
  )
  private static let gateway = CommandOption(
    "gateway",
    .text("NAME"),
    "The name of this gateway; no other one of the site may have it (default: the machine's name)"
  )
  private static let spool = CommandOption(
    "spool",
    .file("DIR"),
    "Keep messages here while there is no broker (default: $STATE_DIRECTORY/\(folderName("GATEWAY", at: "SITE"));"
      + " without that variable, this folder in the state of this account)"
  )
  private static let homeAssistant = CommandFlag(
    "home-assistant",
    "Tell Home Assistant of the gateway, its regions and its beacons"
  )
  private static let espresense = CommandFlag(
    "espresense",
    "Also send distances as ESPresense nodes do"
  )
  private static let model = CommandOption(
    "model",
    .file("MODEL"),
    "Send the places of beacons by this model of the site, which 'site survey' wrote"
  )

  /// Returns the command `gateway`, which sends the reports to a broker.
  ///
  /// `--from` can name these sources besides captures.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "gateway",
      "Send what is received to an MQTT broker",
      discussion: [
        "Sends a message for each second of each receiver that listens, also where it received nothing; crossings of regions;"
          + " and the states of the gateway, its radio and its regions. While the broker is away, messages wait on the disk.",
        "Only beacons that the configuration names, or that a region or constraint means, are sent, and no address of a"
          + " device. --from service: sends what the machine's service receives; --from mqtt://HOST/SITE makes it the gateway that says where beacons are, with --model.",
      ],
      groups: [
        .source([Options.adapter, Options.via, Options.from, Options.steadySpeed]),
        OptionGroup("Beacons", [Options.beacons, Options.region, Options.state]),
        OptionGroup("Broker", [broker, site, gateway, spool]),
        OptionGroup("Messages", [homeAssistant, espresense, model]),
        .settings,
      ],
      required: [broker],
      exclusive: [["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl gateway --broker mqtt://pi.local --home-assistant",
          "Send what the adapters receive, and show it in Home Assistant"
        ),
        CommandExample(
          "beaconctl gateway --from service: --broker mqtt://pi.local --site home --gateway hall",
          "Send what the machine's service receives"
        ),
      ]
    ) { arguments, io in try await run(arguments, sources, io) }
  }

  private static func run(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ io: CommandIO
  ) async throws -> ExitCode {
    var options = try RunOptions(arguments, from: io.configurations, sources: sources)
    options.output.format = OutputFormat.none
    if !options.isLive { options.speed = arguments[Options.steadySpeed].map(\.factor) ?? 1 }
    let address = try arguments.required(broker)
    let topics = SiteTopics(
      site: try siteName(arguments, BrokerLogin.address(address)),
      gateway: try arguments[gateway].map(name) ?? machine()
    )
    let access = try BrokerLogin.access(address, arguments, io) { _ in topics.clientID }
    var contents = GatewayContents(options)
    contents.discoveryPrefix = arguments.has(homeAssistant) ? "homeassistant" : nil
    contents.sendsESPresense = arguments.has(espresense)
    let model = try arguments[model].map { try ParsedFile.read($0, SiteModelFile.read) }
    // The reports of a site's gateways are there already.
    contents.sendsLevels = !arguments.entries(Options.from).contains {
      BrokerAddress.isAddress($0.value)
    }
    contents.places = model?.places.map(\.name)
    var setup = BrokerLink.Setup(access)
    setup.spoolFolder = try spoolFolder(arguments, topics, io)
    let fusion = model.map { SiteFusion($0, options.constraints) }
    let (linkSetup, sent, isLive) = (setup, contents, options.isLive)
    options.participants.append { surroundings in
      GatewayKeeper(topics, sent, linkSetup, fusion, isLive: isLive, surroundings)
    }
    if contents.beacons.isEmpty, options.constraints.isEmpty, contents.regions.isEmpty {
      io.show(
        "no beacon is sent: name some with --beacon UUID, with --region or in the configuration"
      )
    }
    let code = try await EventRun.run(options, .ranging, io: io)
    return isLive && io.isInterrupted() ? .done : code
  }

  /// The site, which an option or the broker's address names.
  private static func siteName(
    _ arguments: ParsedArguments,
    _ address: BrokerAddress
  ) throws -> TopicName {
    let chosen = try arguments[site].map(name)
    if let chosen, let other = address.site, chosen != other {
      throw UsageError("--site is '\(chosen)', and the address of the broker names '\(other)'")
    }
    return try chosen ?? address.site ?? name("home")
  }

  private static func spoolFolder(
    _ arguments: ParsedArguments,
    _ topics: SiteTopics,
    _ io: CommandIO
  ) throws -> String {
    if let folder = arguments[spool] {
      try io.files.announceFolder(folder, makingParents: true)
      return folder
    }
    return spoolFolder(of: topics, io.environment)
  }

  /// The folder in which a gateway keeps messages, unless the user names another one.
  ///
  /// It is one of the service's state, otherwise one next to the account's state.
  static func spoolFolder(of topics: SiteTopics, _ environment: [String: String]) -> String {
    let state = environment["STATE_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    let parent = state ?? ClientStore(environment: environment).directory
    return "\(parent)/\(folderName(topics.gateway.text, at: topics.site.text))"
  }

  private static func folderName(_ gateway: String, at site: String) -> String {
    // The name of a site or of a gateway does not contain this sign.
    "gateway-\(gateway)@\(site)"
  }

  /// The name of this machine, without its domain.
  private static func machine() throws -> TopicName {
    let host = String(HostName.current.prefix { $0 != "." })
    guard let name = TopicName(host) else {
      throw UsageError(
        "this machine's name '\(host)' cannot be a part of a topic; name the gateway with --gateway"
      )
    }
    return name
  }

  private static func name(_ text: String) throws -> TopicName {
    guard let name = TopicName(text) else {
      throw UsageError(
        "'\(text)' cannot be a part of a topic; write up to \(TopicName.longest) letters, digits, '-', '_' and '.'"
      )
    }
    return name
  }
}

extension GatewayContents {
  /// The messages of a run with some options.
  init(_ options: RunOptions) {
    self.init()
    gap = options.configuration.timing.gap
    regions = options.regions.map { (id: $0.identifier, constraint: $0.constraint) }
    names = options.names
    let exact = (options.constraints + options.regions.map(\.constraint)).compactMap { constraint in
      if case .minor(let identity) = constraint { identity } else { nil }
    }
    beacons = Set(names.entries.map(\.identity) + exact).sorted()
  }
}
