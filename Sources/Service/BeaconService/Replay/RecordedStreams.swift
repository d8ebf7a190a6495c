// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The streams of a client in each run of a service, as the recording states them.
///
/// Lines about a stream may stand behind inputs whose deliveries come after them, so they are read beforehand.
struct RecordedStreams: Sendable {
  /// Something that happened to a stream, after so many deliveries to the client.
  struct Change: Sendable {
    enum Kind: Sendable {
      case open(RequestLine.Stream, repeated: [String])
      case change(RequestLine.Stream)
      case end
    }

    /// The number of the stream among the client's streams of the whole recording, from 1.
    let stream: Int
    let after: Int
    var kind: Kind
  }

  /// The client.
  let client: String
  /// The clients that the recording has, in order.
  private(set) var clients: Set<String> = []
  /// How many streams the client had.
  private(set) var count = 0
  /// The most streams that the client had at a time.
  private(set) var mostAtOnce = 0
  /// The changes in each part of the recording that a separate engine delivered.
  private(set) var parts: [[Change]] = []
  /// The streams that are open in the last part, by the service's numbers: the number here.
  private var open: [UInt32: Int] = [:]
  /// The positions at which the streams of the last part were opened in it.
  private var openings: [UInt32: Int] = [:]

  /// Creates the streams of a client in a recording of which nothing was read yet.
  init(of client: String) {
    self.client = client
  }

  /// Notes that another run of the service begins.
  mutating func begin() {
    parts.append([])
    open = [:]
    openings = [:]
  }

  /// Notes a line's content.
  mutating func add(_ line: RequestLine) {
    guard let last = parts.indices.last, let name = line.client else { return }
    clients.insert(name)
    guard name == client else { return }
    switch line.content {
    case .stream(let stream):
      if let number = open[stream.number] {
        parts[last].append(Change(stream: number, after: stream.after, kind: .change(stream)))
        return
      }
      count += 1
      open[stream.number] = count
      openings[stream.number] = parts[last].count
      mostAtOnce = max(mostAtOnce, open.count)
      parts[last].append(
        Change(stream: count, after: stream.after, kind: .open(stream, repeated: []))
      )
    case .repeated(let text, let number):
      guard let place = openings[number],
        case .open(let stream, let lines) = parts[last][place].kind
      else { return }
      parts[last][place].kind = .open(stream, repeated: lines + [text])
    case .streamEnd(let number, let after):
      guard let stream = open.removeValue(forKey: number) else { return }
      parts[last].append(Change(stream: stream, after: after, kind: .end))
    default: break
    }
  }
}
