// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconHistory
internal import BeaconMuseum
internal import Beacons
internal import Pages
internal import Synchronization
internal import SystemKit
internal import WebServer

/// The values that the server's thread reads and the run's thread replaces; neither waits for the other's work.
final class MetricsBoard: Sendable {
  private let state: Mutex<OperatorMetrics>
  private let floors: [PlanFloors]
  private let past: PastMinutes?

  /// - Parameters:
  ///   - metrics: The first values.
  ///   - floors: The plans that are drawn.
  ///   - past: The history to look at; `nil` for none.
  init(_ metrics: OperatorMetrics, floors: [PlanFloors] = [], past: PastMinutes? = nil) {
    state = Mutex(metrics)
    (self.floors, self.past) = (floors, past)
  }

  /// Shows newer metrics.
  func show(_ metrics: OperatorMetrics) {
    state.withLock { $0 = metrics }
  }

  private var current: OperatorMetrics { state.withLock { $0 } }

  /// Whether an answer reads more of the history than which files it has.
  func isSlow(_ request: WebRequest) -> Bool {
    past != nil && request.path == "/" && request.query[StatusPage.minuteKey] != nil
  }

  /// Answers a request.
  func answer(_ request: WebRequest) -> WebResponse {
    switch request.path {
    case "/": .html(page(request.query[StatusPage.minuteKey]).html)
    case StatusPage.stylePath:
      .content(Array(Styles.status.utf8), type: "text/css; charset=utf-8")
    case StatusPage.scriptPath:
      .content(Array(Texts.statusScript.utf8), type: "text/javascript; charset=utf-8")
    case "/metrics": metrics(request.query["format"] == "openmetrics" ? .openMetrics : .text)
    default: .notFound
    }
  }

  /// The page of the present, or of a minute of the history.
  private func page(_ asked: String?) -> StatusPage {
    var surroundings = StatusPage.Surroundings(floors: floors, hasHistory: past != nil)
    guard let past else { return StatusPage(current, surroundings) }
    do throws(HistoryError) {
      surroundings.days = try past.days()
      guard let minute = asked.flatMap(PastMinutes.minute) else {
        return StatusPage(current, surroundings)
      }
      surroundings.past = minute
      return StatusPage(try past.metrics(minute), surroundings)
    } catch {
      surroundings.fault = "The history cannot be read: \(error)."
      guard surroundings.past != nil else { return StatusPage(current, surroundings) }
      // Nothing is known of that minute, and the present is something else.
      return StatusPage(
        OperatorMetrics(version: Library.version, book: NameBook()),
        surroundings
      )
    }
  }

  private func metrics(_ format: MetricsExposition.Format) -> WebResponse {
    let use = ResourceUse.now
    let bytes = current.exposition(format, use: (use.cpu, use.peakMemory))
    return .content(bytes, type: format.mediaType)
  }
}

/// Feeds a board from a run.
final class MetricsFeed: RunParticipant {
  private let board: MetricsBoard
  private let client: String
  private var metrics: OperatorMetrics
  private var sums: ReceivedSeconds

  /// - Parameters:
  ///   - board: The shown values.
  ///   - surroundings: The run's options.
  init(_ board: MetricsBoard, _ surroundings: AdditionalParticipant.Surroundings) {
    self.board = board
    client = surroundings.options.client?.name ?? RunClient.operatorName
    metrics = OperatorMetrics(version: Library.version, book: surroundings.options.names)
    sums = ReceivedSeconds(isListed: surroundings.options.isListed)
  }

  private func add(_ inputs: [OperatorInput]) {
    for input in inputs { metrics.add(input) }
  }

  func show() { board.show(metrics) }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins:
      run.driver?.keepSlices()
      show()
    case .delivered(let deliveries):
      for delivery in deliveries { metrics.add(delivery, client: client) }
    case .recorded(let slice): add(sums.process(slice, receivers: run.receivers))
    case .settled: note(run)
    case .willWait: show()
    case .sourceEnded:
      add(sums.end(at: run.now))
      note(run)
      metrics.end()
      show()
    default: break
    }
  }

  private func note(_ run: borrowing RunContext) {
    if let statistics = run.engine.statistics { metrics.statistics = statistics }
  }
}
