// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// The thread of a server.
final class ServerThread: Sendable {
  private let wakeUp: WakePipe
  private let thread: SystemThread

  /// Starts the thread, which owns the socket from now on.
  init(
    _ socket: ListeningSocket,
    _ service: RequestService,
    _ hub: EventHub,
    _ limits: WebLimits
  ) throws(WebServerError) {
    guard let wakeUp = WakePipe() else {
      throw .failed("the system has no pipe left")
    }
    self.wakeUp = wakeUp
    guard
      let thread = SystemThread({ ServerLoop(socket, wakeUp, service, hub, limits).run() })
    else {
      throw .failed("the system has no thread left")
    }
    self.thread = thread
  }

  /// Lets the thread send the events that wait.
  func wake() { wakeUp.signal() }

  /// Ends the thread; no request is answered after this returns.
  func stop() {
    wakeUp.stop()
    thread.join()
  }
}
