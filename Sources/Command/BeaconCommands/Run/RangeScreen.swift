// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconTerminal
import BeaconViews
package import BeaconCore

/// Shows a run of ranging on the terminal: hands the engine's deliveries to a ``RangeView``, and performs what its keys ask.
package final class RangeScreen: RunParticipant {
  private let loop: TerminalLoop<RangeView>
  private let options: RunOptions
  private let naming: BeaconNaming
  private let messages: any ByteSink
  private var recording: RequestedRecording

  /// Starts to show a view; `nil` where plain output is wanted, or no terminal can show a view.
  static func start(_ options: RunOptions, io: CommandIO) -> TerminalLoop<RangeView>? {
    let isWatched = options.isLive || options.speed != nil
    // A client's prompts are asked at the terminal, and single reports are not for clients.
    guard isWatched, options.client == nil, options.output.format == nil else { return nil }
    var setting = RangeView.Setting(
      constraints: options.constraints,
      ranging: options.configuration.ranging,
      source: options.isLive ? "live" : "replay"
    )
    setting.book = options.names
    setting.zone = io.localZone
    setting.showsAddresses = options.output.showsAddresses
    setting.leaving = io.screenLeadsTo.map { "q leads to \($0)" } ?? setting.leaving
    setting.glyphs = Glyphs.glyphs(of: io.environment)
    return TerminalLoop.start(RangeView(setting), options.output, io: io)
  }

  /// - Parameters:
  ///   - loop: Shows the view.
  ///   - options: The user's options.
  ///   - naming: Gives names.
  ///   - io: Where messages go.
  init(
    _ loop: TerminalLoop<RangeView>,
    _ options: RunOptions,
    _ naming: BeaconNaming,
    io: CommandIO
  ) {
    self.loop = loop
    self.naming = naming
    self.options = options
    messages = io.errors
    recording = RequestedRecording(options, opening: io.files)
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins:
      // Only this view shows the single reports.
      run.driver?.watchSightings(satisfying: options.constraints)
      run.driver?.keepSlices()
    case .delivered(let deliveries): loop.update { $0.receive(deliveries) }
    case .willWait(let time): loop.update { $0.pass(to: time) }
    case .recorded(let slice): record(slice, receivers: run.receivers)
    case .ended: show(recording.end())
    default: break
    }
  }

  /// Shows the admitted inputs; a recording that the user asked for is written here.
  private func record(_ slice: ScanSlice, receivers: [String]) {
    loop.update { $0.receive(slice.piece, receivers: receivers) }
    for action in loop.drainActions() {
      switch action {
      case .toggleRecording: recording.isWanted.toggle()
      case .name: naming.perform(action)
      }
    }
    show(recording.record(slice, receivers: receivers))
  }

  private func show(_ change: RequestedRecording.Change?) {
    guard let change else { return }
    let name = recording.name
    loop.update { view in
      view.recording = name
      // What remains to be read in the end is a message, which the view shows too.
      if !change.isLasting { view.show(change.text) }
      return true
    }
    if change.isLasting { try? messages.write(Array("\(change.text)\n".utf8)) }
  }
}

/// Writes the names that a user types in the view into the configuration file.
struct BeaconNaming {
  private let loop: TerminalLoop<RangeView>
  private let file: String?
  private let io: CommandIO

  init(_ loop: TerminalLoop<RangeView>, _ options: RunOptions, _ io: CommandIO) {
    (self.loop, self.io) = (loop, io)
    file = options.configurationFile
  }

  /// Gives a beacon a name; the view shows it, or the reason why it was not kept.
  func perform(_ action: RangeView.Action) {
    guard case .name(let identity, let name) = action else { return }
    let message: String
    do {
      try BeaconNameFile.write(name, of: identity, file, io)
      message = "\(identity.major)/\(identity.minor) is named \(name)"
    } catch {
      let reason = (error as? CommandFailure)?.lines.joined(separator: "; ") ?? "\(error)"
      return show { $0.show("no name was kept: \(reason)") }
    }
    show { view in
      view.rename(identity, name)
      view.show(message)
    }
  }

  private func show(_ change: (inout RangeView) -> Void) {
    loop.update { view in
      change(&view)
      return true
    }
  }
}
