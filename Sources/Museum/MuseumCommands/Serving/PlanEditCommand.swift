// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconMuseum
internal import SystemKit
internal import WebServer
internal import Beacons

/// `museum plan edit`: a page on which rooms are drawn and beacons are placed.
enum PlanEditCommand {
  private static let file = CommandArgument(
    .file("FILE"),
    "A museum plan, JSON5; a missing one is written"
  )
  private static let portOption = CommandOption(
    "port",
    .integer("PORT", 0...65_535),
    "Serve on this port, 0 for any free one (default: \(usualPort))"
  )
  private static let usualPort = 8081
  /// How often the command looks whether the user wants to stop.
  private static let patience = TimeSpan.milliseconds(250)

  /// `museum plan edit`: edits a plan in a browser.
  static let command = BeaconctlCommand(
    "edit",
    "Draw rooms and place beacons of a museum plan in a browser",
    discussion: [
      "Serves a page only to this machine, and prints its address. There rooms are drawn, over an image if you"
        + " have one, and beacons, doors and the entrance are placed. 'Save' changes those places and names in the"
        + " file; everything else of it stays as it is, comments included. Ctrl-C ends it.",
      "The address contains a secret, so that other accounts of this machine cannot open the page.",
      "The image stays in the browser. A file that was changed meanwhile is not overwritten.",
    ],
    arguments: [file],
    groups: [OptionGroup("Page", [portOption])],
    exclusive: Exclusive.verbosity,
    examples: [CommandExample("beaconctl museum plan edit museum.json5", "Edit a plan")]
  ) { arguments, io in
    let path = try arguments.required(file)
    if FileStatus(path) != nil { _ = try PlanFile.read(path) }
    var random = SystemRandomNumberGenerator()
    let editor = PlanEditor(
      path,
      skeleton: Array(PlanSkeleton.text(uuid: uuid(using: &random), []).utf8),
      using: &random,
      io.files
    )
    let server = try serve(editor, port: UInt16(clamping: arguments[portOption] ?? usualPort))
    defer { server.stop() }
    try io.output.write(
      Array("editor  http://127.0.0.1:\(server.port)\(editor.folder)\n".utf8)
    )
    while !io.isInterrupted() { io.clock.sleep(for: patience) }
    return .done
  }

  private static func serve(_ editor: PlanEditor, port: UInt16) throws -> WebServer {
    var limits = WebLimits()
    // One curator; each connection may hold a draft.
    limits.connections = 16
    limits.connectionsPerAddress = 16
    do throws(WebServerError) {
      return try WebServer(
        port: port,
        limits: limits,
        largestContent: PlanEditor.largest,
        answer: { editor.answer($0) }
      )
    } catch {
      let code: ExitCode =
        switch error {
        case .portInUse: .unavailable
        case .notPermitted: .notPermitted
        case .failed: .failed
        }
      throw CommandFailure(code, "\(error)")
    }
  }

  /// A random UUID (RFC 9562, version 4) for a museum without one.
  private static func uuid(using random: inout some RandomNumberGenerator) -> UInt128 {
    let bits = UInt128.random(in: .min ... .max, using: &random)
    let version = bits & ~(0xF << 76) | (0x4 << 76)
    return version & ~(0x3 << 62) | (0x2 << 62)
  }
}
