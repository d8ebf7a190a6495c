// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
internal import BeaconTerminal
package import BeaconCore
package import BeaconFormats
internal import Beacons
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Shows a run of ranging on the terminal: the thin shell around ``RangeView``.
///
/// A thread of its own draws and reads keys, so a slow terminal holds up nobody who listens. The run tells it what was
/// told and heard.
package final class RangeScreen: RunParticipant, Sendable {
  private struct State: ~Copyable {
    var view: RangeView
    /// Whether the user wants a recording.
    var wantsRecording = false
    var recorder: Recorder?
    var recordedUpTo = Timestamp.earliest
    var isLeaving = false
    /// What was said while nobody could read it.
    var held: [String] = []
  }

  private let state: Mutex<State>
  private let options: RunOptions
  private let hasColor: Bool
  private let ended = DispatchSemaphore(value: 0)

  /// How long the view stands when nothing happens: once a second is enough for a clock.
  private static let patience = Duration.seconds(1)

  /// Does a run within the view where the user can be shown one, else without.
  ///
  /// - Parameters:
  ///   - options: What the user said.
  ///   - kind: What the run is asked for; only ranging has a view.
  ///   - io: Where standard output is.
  ///   - run: The run, with where its messages go and the view.
  /// - Returns: What the run returns.
  /// - Throws: What the run throws.
  package static func around(
    _ options: RunOptions,
    _ kind: EventTableWriter.Kind?,
    io: CommandIO,
    run: (CommandIO, RangeScreen?) async throws -> ExitCode
  ) async rethrows -> ExitCode {
    guard kind == .ranging, let screen = open(options, io: io) else {
      return try await run(io, nil)
    }
    // What was said while the view had the terminal is for its reader's scrollback.
    defer { screen.leave().forEach { try? io.errors.write(Array("\($0)\n".utf8)) } }
    var held = io
    held.errors = HeldMessages(screen)
    return try await run(held, screen)
  }

  /// Takes over the terminal; `nil` where plain output is wanted, or no terminal could show a view.
  private static func open(_ options: RunOptions, io: CommandIO) -> RangeScreen? {
    let isWatched = options.captures.isEmpty || options.speed != nil
    // A client's prompts are asked at the terminal, and what single reports say is not for clients.
    guard isWatched, options.client == nil, options.output.format == nil,
      let descriptor = io.terminal,
      let kind = io.environment["TERM"], !kind.isEmpty, kind != "dumb"
    else { return nil }
    SignalStack.provide()
    let screen = RangeScreen(options, io: io)
    return screen.start(on: descriptor) ? screen : nil
  }

  private init(_ options: RunOptions, io: CommandIO) {
    self.options = options
    hasColor = options.output.hasColor(isTerminal: true, environment: io.environment)
    var setting = RangeView.Setting(
      constraints: options.constraints,
      ranging: options.configuration.ranging,
      source: options.captures.isEmpty ? "live" : "replay"
    )
    setting.showsAddresses = options.output.showsAddresses
    setting.glyphs = Glyphs.glyphs(of: io.environment)
    state = Mutex(State(view: RangeView(setting)))
  }

  // MARK: What the run shows

  package var wantsSlices: Bool { true }

  /// Asks the engine for what only this view shows of beacons: the single reports.
  package func begin(_ driver: inout EngineDriver, receivers: [String]) {
    driver.watchSightings(satisfying: options.constraints)
  }

  package func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) {
    if state.withLock({ $0.view.receive(deliveries) }) { Terminal.Waker().wake() }
  }

  /// Shows what was admitted; a recording that the user wants is written here.
  package func recorded(_ slice: ScanSlice, receivers: [String]) {
    let isNew = state.withLock { state in
      let isNew = state.view.receive(slice.piece, receivers: receivers)
      let hasChanged = record(slice, receivers: receivers, &state)
      return isNew || hasChanged
    }
    if isNew { Terminal.Waker().wake() }
  }

  /// Adds a line of what happened, which is told again where the run's messages go once the terminal is given back.
  package func show(_ line: String) {
    state.withLock { state in
      state.held.append(line)
      state.view.show(line)
    }
    Terminal.Waker().wake()
  }

  // MARK: Recording

  private func record(
    _ slice: ScanSlice,
    receivers: [String],
    _ state: inout State
  ) -> Bool {
    let isChange = state.wantsRecording != (state.recorder != nil)
    do {
      if isChange, state.wantsRecording, let start = slice.admitted.first {
        try begin(at: start, receivers: receivers, &state)
      } else if isChange, !state.wantsRecording {
        try end(&state)
      }
      try state.recorder?.record(slice, receivers: receivers)
      state.recordedUpTo = max(state.recordedUpTo, slice.admitted.last ?? .earliest)
    } catch {
      state.view.show("the recording ends: \(error)")
      state.wantsRecording = false
      state.recorder = nil
      state.view.recording = nil
      return true
    }
    return isChange
  }

  private func begin(at start: Timestamp, receivers: [String], _ state: inout State) throws {
    var options = options
    let name = RecordingName.unused(at: start)
    options.recording = name
    options.rotation = nil
    state.recorder = try EngineSetup(options, .ranging).recorder(
      receivers: receivers,
      startingAt: start
    )
    state.recordedUpTo = start
    state.view.recording = name
    state.view.show("recording to \(name); r ends it")
  }

  private func end(_ state: inout State) throws {
    guard let name = state.view.recording else { return }
    try state.recorder?.end(at: state.recordedUpTo)
    state.recorder = nil
    state.view.recording = nil
    let line = "recorded \(name); --from plays it"
    state.view.show(line)
    state.held.append(line)
  }

  // MARK: The end

  /// The source has ended: leaves what was told on the terminal until the user has seen it.
  package func stay() {
    state.withLock { state in
      state.view.end()
      state.view.show("the source has ended; q leaves")
    }
    Terminal.Waker().wake()
    ended.wait()
    ended.signal()
  }

  /// Gives the terminal back and returns what was said meanwhile.
  package func leave() -> [String] {
    state.withLock { $0.isLeaving = true }
    Terminal.Waker().wake()
    ended.wait()
    ended.signal()
    return state.withLock { state in
      try? end(&state)
      defer { state.held = [] }
      return state.held
    }
  }

  // MARK: The thread that draws

  private func start(on descriptor: Int32) -> Bool {
    let begun = DispatchSemaphore(value: 0)
    let isThere = Mutex(false)
    DispatchQueue(label: "terminal").async { [self] in
      guard let terminal = Terminal(output: descriptor), (try? terminal.enter()) != nil else {
        begun.signal()
        return
      }
      isThere.withLock { $0 = true }
      begun.signal()
      run(on: terminal)
      terminal.leave()
      ended.signal()
    }
    begun.wait()
    return isThere.withLock { $0 }
  }

  private func run(on terminal: Terminal) {
    while true {
      let size = terminal.size
      let (screen, isLeaving) = state.withLock { state in
        (state.view.screen(columns: size.columns, rows: size.rows), state.isLeaving)
      }
      if isLeaving { return }
      terminal.draw(screen, hasColor: hasColor)
      for event in terminal.next(within: Self.patience) {
        switch event {
        case .key(let key):
          if press(key, terminal) { return }
        case .redraw, .woken: break
        case .stop:
          if Interruption.exitCode == nil { Interruption.note(SIGHUP) }
          return
        }
      }
    }
  }

  /// Does what a key asks for; returns whether that is the end.
  private func press(_ key: Key, _ terminal: Terminal) -> Bool {
    let request = state.withLock { state in
      let request = state.view.press(key)
      if request == .toggleRecording { state.wantsRecording.toggle() }
      return request
    }
    switch request {
    case .quit:
      Interruption.end()
      // Whoever waits for a pipe looks up when a signal comes, and sees that it is over.
      _ = kill(getpid(), SIGWINCH)
      return true
    case .redraw: terminal.forget()
    case .toggleRecording, nil: break
    }
    return false
  }
}

/// Shows in the view what a command has to say to its user while the view has the terminal.
private final class HeldMessages: ByteSink {
  private let screen: RangeScreen

  init(_ screen: RangeScreen) {
    self.screen = screen
  }

  let isTerminal = false

  func write(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      screen.show(String(line))
    }
  }
}
