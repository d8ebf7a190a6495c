// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommandLine
internal import BeaconCore
internal import Beacons

/// `advertise`: an adapter as a beacon.
package enum AdvertiseCommand {
  private static let beacon = CommandArgument(.beacon, "The beacon to send")
  private static let power = CommandOption(
    "power",
    .measuredPower,
    "The measured power to send: the RSSI at 1 m, from which receivers compute distances"
  )
  private static let adapter = CommandOption(
    "adapter",
    .adapter("hci0|ADDRESS"),
    "Send with this adapter (default: the first that can)"
  )
  private static let span = CommandOption("for", .duration, "Stop after this time")

  /// `advertise`: sends an iBeacon.
  package static let command = BeaconctlCommand(
    "advertise",
    "Send an iBeacon with an adapter",
    discussion: [
      "BlueZ sends it until the command ends, and the command prints the obtained values: the adapter, the interval and the"
        + " transmission power, as far as BlueZ and the kernel report them. An adapter usually does not receive itself, so"
        + " another one, or another machine, is needed to try it.",
      "No adapter knows its measured power. Begin with -59, put a receiver 1 m away, and correct it by what"
        + " 'beaconctl calibrate' measures.",
    ],
    arguments: [beacon],
    groups: [.source([adapter]), OptionGroup("Beacon", [power, span])],
    required: [power],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl advertise F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/7 --power -59",
        "Be a beacon until Ctrl-C"
      )
    ]
  ) { arguments, io in
    let identity = try arguments.required(beacon)
    let measured = try arguments.required(power)
    let advertisement = BlueZAdvertisement(
      identity,
      measuredPower: Int8(clamping: measured),
      adapter: arguments[adapter].map { .named($0) } ?? .all
    )
    let advertiser = try await BlueZAdvertiser.start(advertisement)
    let show = { (line: String) in if !arguments.has(Options.quiet) { io.show(line) } }
    show(sentence(advertiser.obtained, advertisement))
    await follow(advertiser, for: arguments[span], io) { event in
      switch event {
      case .advertising(let obtained): show(sentence(obtained, advertisement))
      case .interrupted(let reason): show("\(reason)")
      }
    }
    await advertiser.stop()
    show("stopped")
    return .done
  }

  /// Shows the events of an advertisement until its time is over or the user stops it.
  private static func follow(
    _ advertiser: BlueZAdvertiser,
    for span: TimeSpan?,
    _ io: CommandIO,
    show: (BlueZAdvertiserEvent) -> Void
  ) async {
    let end = span.map { io.clock.elapsed + $0 }
    while !io.isInterrupted() {
      let left = end.map { $0 - io.clock.elapsed } ?? Runner.usualPatience
      guard left > .zero else { break }
      if let event = await advertiser.nextEvent(within: min(left, Runner.usualPatience).duration) {
        show(event)
      }
    }
  }

  private static func sentence(
    _ obtained: ObtainedAdvertisement,
    _ advertisement: BlueZAdvertisement
  ) -> String {
    "\(obtained.adapter) sends \(advertisement.identity), measured power"
      + " \(advertisement.measuredPower) dBm, \(obtained)"
  }
}

extension ValueKind where Value == Int {
  /// A measured power, which is below zero: with 0 dBm and more no receiver computes a distance.
  fileprivate static var measuredPower: ValueKind {
    ValueKind("DBM", takesNumbers: true) { text throws(ValueFault) in
      let power = try ValueKind<Int>.integer("DBM", -128...127).read(text)
      guard MeasuredPower.calibration(announced: Int8(clamping: power)) != nil else {
        let isPlausible = MeasuredPower.calibration(announced: Int8(clamping: -power)) != nil
        let meant = isPlausible ? "; did you mean -\(power)?" : ", such as -59"
        throw .wrong(
          "\(quoted(text)) is not the RSSI of a beacon at 1 m, which is from -127 to -1 dBm\(meant)"
        )
      }
      return power
    }
  }
}
