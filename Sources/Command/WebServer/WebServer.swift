// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// An HTTP server of pages and server-sent events, with one separate thread.
///
/// It is read-only, GET and HEAD, unless it is created for content: then it accepts a POST from its own pages. On the loopback interface it answers only requests for this machine by its own names,
/// so that a page from elsewhere cannot read it through another name (DNS rebinding). Every answer forbids content from
/// elsewhere. What readers may use together and each is limited (``WebLimits``): a connection that waits makes room for a new
/// one, and a reader that does not keep up is dropped and counted.
public final class WebServer: Sendable {
  /// Which programs may connect.
  public enum Reach: Sendable, Equatable {
    /// Programs on this machine.
    case loopback
    /// Programs on every machine that can reach this one.
    case everybody
  }

  /// The port it listens on.
  public let port: UInt16
  /// Which programs may connect.
  public let reach: Reach
  private let hub: EventHub
  private let thread: ServerThread
  private let edition: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for any free one.
  ///   - reach: Which programs may connect.
  ///   - limits: How much of the server its readers may use.
  ///   - edition: The identifier of every event: when it changes, a page that is still open knows that another server
  ///     now runs. One line; empty for none.
  ///   - largestContent: The most bytes that a POST may send; 0 where only reading is possible. Each connection may hold as
  ///     many in memory. Only a page of this server may send them; who the reader is, `answer` has to check.
  ///   - isSlow: Whether answering a request takes time. Such requests are answered one after the other on a separate thread,
  ///     on which peers take turns. `nil` if every answer is fast.
  ///   - answer: Answers a request, on the server's thread; it must not wait, unless the request is slow.
  /// - Throws: ``WebServerError``.
  public init(
    port: UInt16,
    reach: Reach = .loopback,
    limits: WebLimits = WebLimits(),
    edition: String = "",
    largestContent: Int = 0,
    isSlow: (@Sendable (WebRequest) -> Bool)? = nil,
    answer: @escaping @Sendable (WebRequest) -> WebResponse
  ) throws(WebServerError) {
    let socket = try Self.listen(port, reach, limits)
    let service = RequestService(
      answer: answer,
      isSlow: isSlow,
      // A public page may be requested under any name or address of this machine, so none can be checked.
      hosts: reach == .loopback
        ? ["localhost", "127.0.0.1", "[::1]"].flatMap { [$0, "\($0):\(socket.port)"] } : nil,
      largestContent: largestContent
    )
    self.port = socket.port
    self.reach = reach
    self.edition = edition
    hub = EventHub()
    thread = try ServerThread(socket, service, hub, limits)
  }

  private static func listen(
    _ port: UInt16,
    _ reach: Reach,
    _ limits: WebLimits
  ) throws(WebServerError) -> ListeningSocket {
    do throws(SystemError) {
      let host = reach == .everybody ? "0.0.0.0" : "127.0.0.1"
      return try ListeningSocket(host, port, countsAccounts: limits.countsAccounts)
    } catch {
      throw switch error.number {
      case EADDRINUSE: .portInUse(port)
      case EACCES: .notPermitted(port)
      default: .failed(error.reason)
      }
    }
  }

  /// Sends an event to all readers of a topic, and as the first event to later readers.
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
    thread.wake()
  }

  /// Sends a comment to every stream, so that connections stay open and readers that are gone are noticed; call it
  /// about every 15 s.
  public func keepAlive() {
    hub.keepAlive()
    thread.wake()
  }

  /// The counts.
  public var statistics: WebServerStatistics { hub.statistics }

  /// Ends all streams and the server; no request is answered after it returns.
  public func stop() {
    hub.end()
    thread.stop()
  }

  deinit { stop() }
}
