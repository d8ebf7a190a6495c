// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconService
internal import SystemKit

/// `range` and `monitor` with a service's recording and the key of one of its clients: the client's stream.
enum StreamReplay {
  /// Writes the streams of a client, as a recording of the service repeats them.
  ///
  /// - Parameters:
  ///   - text: The client's key; with `#2` at its end, only its second stream.
  ///   - paths: The files of the recording.
  ///   - io: The command's surroundings.
  /// - Returns: How the replay ended.
  /// - Throws: ``CommandFailure``, and the output's errors.
  static func run(_ text: String, _ paths: [String], _ io: CommandIO) throws -> ExitCode {
    let (client, stream) = try place(text)
    let (paths, repeated) = CaptureSource.distinct(paths)
    repeated.forEach(io.show)
    for path in paths {
      guard let status = FileStatus(path), !status.isRegular, !status.isFolder else { continue }
      throw CommandFailure(
        .usage,
        "a recording of a service is read twice, and \(path) can be read once; write it to a file first"
      )
    }
    let replay = ServiceReplay(of: client, stream: stream) { try io.output.write($0) }
    let isComplete: Bool
    do {
      isComplete = try replay.run(paths, until: io.isInterrupted)
    } catch let failure as ServiceReplay.Failure {
      throw CommandFailure(code(of: failure), "\(failure)")
    } catch let error as SystemError where error.kind != .write {
      throw CommandFailure(error)
    }
    replay.remarks.forEach(io.show)
    return isComplete ? .done : Interruption.exitCode ?? .interrupted
  }

  private static func code(of failure: ServiceReplay.Failure) -> ExitCode {
    switch failure {
    case .unknownClient, .unknownStream: .usage
    case .noRequests, .missingPiece, .missingStart, .unreadable: .badData
    }
  }

  /// The client's key, and the number of a stream.
  private static func place(_ text: String) throws(CommandFailure) -> (String, Int?) {
    guard let mark = text.lastIndex(of: "#") else { return (text, nil) }
    guard let number = Int(text[text.index(after: mark)...]), number > 0 else {
      throw CommandFailure(.usage, "a stream of a client is named by its number, as in KEY#2")
    }
    return (String(text[..<mark]), number)
  }
}
