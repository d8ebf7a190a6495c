// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD
internal import Glibc

/// An HTTP server of pages and server-sent events, over libmicrohttpd with one thread of its own.
///
/// It is read-only: GET and HEAD. On the loopback interface it answers only browsers that asked for this machine by name, so
/// that a page from elsewhere cannot read it through a name of its own (DNS rebinding). Every answer forbids whatever is
/// not from here. Readers are bounded; one that takes nothing is dropped and counted.
public final class WebServer: Sendable {
  /// Who may connect.
  public enum Reach: Sendable, Equatable {
    /// Programs on this machine.
    case loopback
    /// Everybody who can reach this machine.
    case everybody
  }

  /// The most streams of events at once, of all readers: 64.
  public static let mostStreams = 64

  /// The port it listens on.
  public let port: UInt16
  /// Who may connect.
  public let reach: Reach
  private let hub: EventHub
  private let daemon: DaemonHandle
  private let edition: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for one that is free.
  ///   - reach: Who may connect.
  ///   - mostStreams: How many streams of events there may be at once.
  ///   - edition: The identifier that every event carries: by a change of it a page that outlived a server knows that
  ///     what it shows was made by another. One line; empty for none.
  ///   - answer: Answers a request, on the server's thread; it must not wait.
  /// - Throws: ``WebServerError``.
  public init(
    port: UInt16,
    reach: Reach = .loopback,
    mostStreams: Int = WebServer.mostStreams,
    edition: String = "",
    answer: @escaping @Sendable (WebRequest) -> WebResponse
  ) throws(WebServerError) {
    let library = try MicroHTTPD.load()
    let socket = try ListeningSocket(port: port, isPublic: reach == .everybody)
    let hub = EventHub(most: mostStreams)
    let service = RequestService(
      hub: hub,
      library: library,
      answer: answer,
      // Asked for by address or name: what a reader of a public page calls this machine cannot be known.
      hosts: reach == .loopback
        ? ["localhost", "127.0.0.1", "[::1]"].flatMap { [$0, "\($0):\(socket.port)"] } : nil
    )
    self.port = socket.port
    self.reach = reach
    self.edition = edition
    self.hub = hub
    // Streams, and pages that are fetched beside them.
    daemon = try DaemonHandle(socket, service, library, connections: mostStreams + 32)
  }

  /// Sends an event to all who read a topic, and as the first to those who come later.
  ///
  /// - Parameters:
  ///   - data: The event, of any number of lines.
  ///   - topic: The topic.
  public func publish(_ data: String, to topic: String) {
    var bytes = edition.isEmpty ? [] : Array("id: \(edition)\n".utf8)
    for line in data.split(separator: "\n", omittingEmptySubsequences: false) {
      bytes += Array("data: ".utf8) + Array(line.utf8.filter { $0 != 0x0D }) + [0x0A]
    }
    hub.publish(bytes + [0x0A], to: topic)
  }

  /// Sends every stream a sign of life; called every 15 s or so it finds the readers that are gone.
  public func estimatedInterval() { hub.estimatedInterval() }

  /// What was counted.
  public var statistics: WebServerStatistics { hub.statistics }

  /// Ends all streams, and the server; nothing is answered after it returns.
  public func stop() {
    hub.end()
    daemon.stop()
  }

  deinit {
    hub.end()
    daemon.stop()
  }
}
