// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconTerminal
package import BeaconBlueZ
package import BeaconCore
package import BeaconFormats
internal import BeaconTestSupport
package import Foundation
package import BeaconCommands
internal import Synchronization
internal import SystemKit
package import Beacons

/// The result of a command line, run in this process.
package struct CommandRun {
  package let code: ExitCode
  package let output: String
  package let errors: String

  package init(
    of program: Program = Program(),
    _ arguments: [String],
    terminal: Bool = false,
    environment: [String: String] = [:],
    clock: any PlaybackClock = FastClock(),
    user: (any UserTerminal)? = nil,
    openKernelChannel: BlueZScanOptions.ChannelOpener? = nil,
    machineConfiguration: String? = nil,
    zone: LocalZone = .utc,
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    let output = MemorySink(isTerminal: terminal)
    let errors = MemorySink()
    var io = CommandIO(
      output: output,
      errors: errors,
      environment: environment,
      clock: clock,
      user: user,
      isInterrupted: isInterrupted
    )
    io.machineConfiguration = machineConfiguration
    io.localZone = zone
    if let openKernelChannel { io.openKernelChannel = openKernelChannel }
    code = RunThread.run { await program.run(arguments, io: io) } ?? .software
    self.output = Self.portable(output.text)
    self.errors = Self.portable(errors.text)
  }

  /// Text without the place of the project on this machine.
  private static func portable(_ text: String) -> String {
    text.replacing(ProjectFiles.root.path + "/", with: "")
  }

  /// The lines of the output, whether they end as text does or as a table of values does.
  package var lines: [Substring] { output.split(whereSeparator: \.isNewline) }

  /// The path of a capture of the project.
  package static func capture(_ name: String) -> String {
    ProjectFiles.fixtures.appending(path: "captures/\(name)").path
  }
}

extension CommandIO {
  /// Streams without a reader.
  package static var silent: CommandIO {
    CommandIO(output: MemorySink(), errors: MemorySink(), clock: FastClock())
  }
}

/// A clock on which waiting takes no time.
package final class FastClock: PlaybackClock {
  private let state = Mutex((elapsed: TimeSpan.zero, waits: 0))
  package var elapsed: TimeSpan { state.withLock(\.elapsed) }
  package var waits: Int { state.withLock(\.waits) }

  package init() {}

  package func sleep(for span: TimeSpan) {
    state.withLock { $0 = ($0.elapsed + span, $0.waits + 1) }
  }
}

/// A folder that goes with the test.
package final class ScratchFolder {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "beacons-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file and returns its path.
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// Performs a test's actions at the start of a run, and shows it the deliveries.
package final class TestParticipant: RunParticipant {
  private let prepare: (inout RunEngine) throws -> Void
  private let deliver: ([Delivery]) -> Void

  package init(
    prepare: @escaping (inout RunEngine) throws -> Void = { _ in },
    deliver: @escaping ([Delivery]) -> Void = { _ in }
  ) {
    self.prepare = prepare
    self.deliver = deliver
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins: try prepare(&run.engine)
    case .delivered(let deliveries): deliver(deliveries)
    default: break
    }
  }
}
