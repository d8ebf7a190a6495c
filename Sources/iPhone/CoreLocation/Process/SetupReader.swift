// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Beacons
internal import Dispatch
internal import Glibc

/// Reads the setup of a process: from `BEACONS_…` variables, then from a file with the same settings.
struct SetupReader {
  /// The file next to the executable.
  static let fileName = "CoreLocation.json5"

  /// The settings, by their names in the file.
  ///
  /// In the environment the name is `BEACONS_` and the name in capitals.
  private struct File: Decodable {
    var source: String?
    var speed: String?
    var profile: String?
    var answers: String?
    var actions: String?
    var circles: String?
    var state: String?
    var atEnd: String?
  }

  private let environment: [String: String]
  private let file: File
  private let hasTerminal: Bool
  private let write: @Sendable (String) -> Void

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - environment: The environment of the process.
  ///   - path: The path of the file, if any.
  ///   - hasTerminal: Whether a user is there to answer prompts.
  ///   - write: Writes a line for the user who runs the program.
  /// - Throws: ``SetupError`` when the file cannot be read.
  init(
    _ environment: [String: String],
    file path: String?,
    hasTerminal: Bool = TerminalPrompter.isPossible,
    write: @escaping @Sendable (String) -> Void = ProcessFiles.write
  ) throws {
    self.environment = environment
    self.hasTerminal = hasTerminal
    self.write = write
    guard let path else {
      file = File()
      return
    }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      file = try decoder.decode(File.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw SetupError("\(path): \(error)")
    }
  }

  static var ofProcess: SetupReader {
    get throws {
      try SetupReader(
        ProcessInfo.processInfo.environment,
        file: ProcessFiles.first(of: [fileName])
      )
    }
  }

  private func value(_ variable: String, _ setting: String?) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? setting
  }

  /// Reads the whole setup.
  func setup() throws -> LocationSetup {
    let text = value("BEACONS_SOURCE", file.source)
    var setup = LocationSetup(try source(text))
    var profile: Profile?
    if let name = value("BEACONS_PROFILE", file.profile) {
      guard let named = Profile(rawValue: name) else {
        let names = Profile.allCases.map(\.rawValue).joined(separator: ", ")
        throw SetupError("BEACONS_PROFILE: '\(name)' is none of \(names)")
      }
      profile = named
    }
    setup.configuration = try .ofEnvironment(
      environment,
      profile: profile,
      otherwise: .coreLocation14
    )
    setup.prompter = try prompter(value("BEACONS_ANSWERS", file.answers), of: setup)
    if let path = value("BEACONS_ACTIONS", file.actions) {
      setup.actions = try actions(path, of: setup.name)
    }
    setup.circles = try circles(value("BEACONS_CIRCLES", file.circles) ?? "")
    if let directory = value("BEACONS_STATE", file.state) {
      setup.state = directory == "none" ? nil : ClientStore(directory: directory)
    }
    if case .capture = setup.source { setup.atEnd = .exit }
    if let name = value("BEACONS_AT_END", file.atEnd) {
      guard let atEnd = LocationSetup.AtEnd(rawValue: name) else {
        throw SetupError("BEACONS_AT_END: '\(name)' is neither stay nor exit")
      }
      setup.atEnd = atEnd
    }
    return setup
  }

  /// Reads the user's actions, as `beaconctl --answers` does.
  private func actions(_ path: String, of client: String) throws -> [AnswersReader.Entry] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SetupError("BEACONS_ACTIONS: cannot read \(path)")
    }
    do {
      return try AnswersReader.read([UInt8](data), about: client)
    } catch {
      throw SetupError("\(path): \(error)")
    }
  }

  /// Reads `Museum=UUID,…`: the beacons that stand for circles.
  private func circles(_ text: String) throws -> [String: IdentityConstraint] {
    var circles: [String: IdentityConstraint] = [:]
    for entry in text.split(separator: ",") {
      let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let beacons = try? IdentityConstraint(parsing: parts[1]) else {
        throw SetupError("BEACONS_CIRCLES: '\(entry)' is not NAME=UUID, NAME=UUID/MAJOR or so")
      }
      circles[parts[0]] = beacons
    }
    return circles
  }

  private func source(_ text: String?) throws -> LocationSetup.Source {
    guard let text else { return .machine }
    guard text != "bluez" else { return .bluetooth() }
    guard text.hasPrefix("capture:") else { return .bluetooth(adapter: try adapter(text)) }
    let path = String(text.dropFirst("capture:".count))
    guard !path.isEmpty else { throw SetupError("BEACONS_SOURCE: 'capture:' needs a file") }
    return .capture(path: path, speed: try speed())
  }

  /// Returns the name or the address of an adapter.
  ///
  /// BlueZ names adapters `hci` and a number. Anything else is a mistyped source, which would otherwise look like a
  /// missing adapter.
  private func adapter(_ text: String) throws -> String {
    let isName = text.hasPrefix("hci") && text.count > 3 && text.dropFirst(3).allSatisfy(\.isNumber)
    let octets = text.split(separator: ":", omittingEmptySubsequences: false)
    let isAddress =
      octets.count == 6 && octets.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    if isName || isAddress { return text }
    let known = "capture:FILE, bluez, an adapter such as hci0, or its address"
    let hint = FileManager.default.fileExists(atPath: text) ? "; try capture:\(text)" : ""
    throw SetupError("BEACONS_SOURCE: '\(text)' is none of \(known)\(hint)")
  }

  private func speed() throws -> Double? {
    guard let text = value("BEACONS_SPEED", file.speed), text != "max" else { return nil }
    guard let speed = Double(text.hasSuffix("x") ? text.dropLast() : text[...]), speed > 0,
      speed.isFinite
    else { throw SetupError("BEACONS_SPEED: '\(text)' is neither max nor a factor such as 1x") }
    return speed
  }

  private func prompter(_ text: String?, of setup: LocationSetup) throws -> (any Prompter)? {
    switch text {
    case nil:
      guard !hasTerminal else { return TerminalPrompter() }
      let isLive =
        switch setup.source {
        case .machine, .bluetooth: true
        case .capture, .source, .failing: false
        }
      return NobodyToAsk(for: isLive ? setup.name : nil, write: write)
    case "terminal": return TerminalPrompter()
    case "none": return nil
    case .some(let text):
      guard text.hasPrefix("file:") else { return try PreparedAnswers(text) }
      let path = String(text.dropFirst("file:".count))
      do {
        return try PreparedAnswers(String(contentsOfFile: path, encoding: .utf8))
      } catch let error as SetupError {
        throw error
      } catch {
        throw SetupError("BEACONS_ANSWERS: cannot read \(path)")
      }
    }
  }
}

/// Shows prompts to the user at the terminal.
struct TerminalPrompter: Prompter {
  /// Whether a terminal is there to ask the user.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    await withCheckedContinuation { continuation in
      // Reading blocks until the user answers, and no thread of the task pool may block.
      DispatchQueue.global().async {
        var question = PromptQuestion(prompt, of: ProcessFiles.name)
        let answer = question.ask(
          write: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
          read: { readLine() }
        )
        continuation.resume(returning: answer)
      }
    }
  }
}
