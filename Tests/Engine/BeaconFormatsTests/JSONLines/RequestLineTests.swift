// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

/// What a service records of its clients is read as it was written, and a damaged line is no request.
struct RequestLineTests {
  private static let constraint = IdentityConstraint.major(1, 2)

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.timing.gap = .seconds(77)
    return configuration
  }

  /// A region with every property.
  private static let whole = Region(
    "a \"b\"",
    constraint,
    notifyOnEntry: false,
    notifyOnExit: false,
    notifyEntryStateOnDisplay: true,
    zone: try? Zone(enterWithin: 1.0 / 3, leaveBeyond: 2),
    enterPolicy: EnterPolicy(sightings: 3, rssiFloor: nil, window: .milliseconds(1500)),
    exitTiming: .fixed(.milliseconds(8001)),
    place: "hall"
  )

  private static let contents: [RequestLine.Content] = [
    .request(.monitor(whole)),
    .request(
      .notify(RegionNotification(Region("hall", constraint, notifyOnExit: false), repeats: false))
    ),
    .configuration(configuration), .sightings, .shutdown, .start(isForeground: false), .end,
    .begin(
      RequestLine.Beginning(
        Manifest(
          whenInUse: "\"why\"\n",
          purposes: [.init(key: "a", text: "b")],
          backgroundLocation: true
        ),
        isForeground: false,
        saved: SavedClient(
          authorization: SavedAuthorization(
            grant: .provisionalAlways,
            until: Timestamp(microseconds: 17),
            alwaysSpent: true,
            held: HeldEvent(id: 3, time: Timestamp(microseconds: 18)),
            accuracy: .reduced
          ),
          regions: [
            SavedRegion(
              whole,
              state: .inside,
              savedAt: Timestamp(microseconds: 19),
              reports: 2,
              determined: .milliseconds(4500),
              receivedBy: ["attic/hci0", "hall/hci0"]
            )
          ],
          heldEvents: [.regionState("hall", .inside, .observed, .received)]
        ),
        sequence: 1025
      )
    ),
    .request(.range(constraint, whileInside: "hall")), .request(.range(constraint)),
    .request(.stopRanging(constraint)),
    .request(
      .monitor(
        Region("hall", constraint, notifyOnExit: false, notifyEntryStateOnDisplay: true),
        assuming: .outside
      )
    ), .request(.monitor(Region("hall", constraint))), .request(.stopMonitoring("hall")),
    .request(.requestState("hall")), .request(.authorize(.whenInUse)),
    .request(.authorize(.always)), .request(.authorize(.temporaryFull(purpose: "a"))),
    .request(.authorize(.startSession)), .request(.authorize(.stopSession)),
    .request(
      .authorize(
        .beginService(ServiceSession(id: 3 << 32 | 7, goal: .always, fullAccuracyPurposeKey: "a"))
      )
    ), .request(.authorize(.endService(id: 3 << 32 | 7))),
    .stream(
      RequestLine.Stream(
        number: 3,
        after: 17,
        constraints: [constraint],
        goals: [7: 3 << 32 | 7],
        since: 12
      )
    ), .streamEnd(number: 3, after: 40), .repeated("{\"v\":1,\"sequence\":9}", stream: 3),
  ]

  private static func read(_ bytes: [UInt8]) throws -> [UserActionLine] {
    var decoder = JSONLinesDecoder()
    var sink = CaptureSink()
    _ = try decoder.decode(bytes.span, isLast: true, into: &sink)
    return decoder.drainUserActionLines()
  }

  @Test func `each request is read as it was written`() throws {
    let time = Timestamp(microseconds: 1_700_000_000_000_001)
    for content in Self.contents {
      let line = RequestLine(time: time, client: "user:anna/guide", content)
      var writer = CaptureLineWriter(CaptureHeader())
      writer.append("request", of: line.client, at: time, content.fields())
      let lines = try Self.read(writer.bytes)
      #expect(lines.count == 1)
      #expect(lines.compactMap(RequestLine.init) == [line])
      #expect(lines.allSatisfy { RecordedUserAction($0) == nil && ClientStateLine($0) == nil })
    }
  }

  @Test(arguments: [
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","client":"a","request":"range"}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","client":"a","request":"monitor","region":"r"}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","client":"a","request":"dance"}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","client":"a"}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","request":"stream","stream":-1,"after":0,"ranges":[],"goals":[]}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","request":"stream","stream":1,"after":0,"ranges":[],"goals":[[1]]}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","request":"begin","foreground":true,"sequence":1}"#,
    #"{"v":1,"type":"request","t":"2026-05-01T00:00:00Z","request":"configuration","profile":"none","set":{}}"#,
    #"{"v":1,"type":"user","t":"2026-05-01T00:00:00Z","client":"a","input":"foreground"}"#,
  ])
  func `a line that is no request, or a damaged one, is none`(line: String) throws {
    let lines = try Self.read(Array((line + "\n").utf8))
    #expect(lines.count == 1)
    #expect(lines.compactMap(RequestLine.init).isEmpty)
  }
}
