// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import Synchronization
internal import SystemKit
internal import WebServer

/// What the server's thread reads and the run's thread replaces; neither waits for the other's work.
final class MetricsBoard: Sendable {
  private let state: Mutex<OperatorMetrics>

  init(_ metrics: OperatorMetrics) { state = Mutex(metrics) }

  /// Shows newer metrics.
  func show(_ metrics: OperatorMetrics) {
    state.withLock { $0 = metrics }
  }

  private var current: OperatorMetrics { state.withLock { $0 } }

  /// Answers a request.
  func answer(_ request: WebRequest) -> WebResponse {
    switch request.path {
    case "/": .html(StatusPage(current).html)
    case StatusPage.stylePath:
      .content(Array(StatusPage.style.utf8), type: "text/css; charset=utf-8")
    case "/metrics": metrics(request.query["format"] == "openmetrics" ? .openMetrics : .text)
    default: .notFound
    }
  }

  private func metrics(_ format: MetricsExposition.Format) -> WebResponse {
    let use = ResourceUse.now
    let bytes = current.exposition(format, use: (use.cpu, use.peakMemory))
    return .content(bytes, type: format.mediaType)
  }
}

/// What feeds a board: a run of its own, or the operator's stream of a service.
///
/// A feed gives what the operator's view says, in the order of time, and crossings as they are delivered. It is the only
/// thing that a board knows of where its figures come from.
protocol OperatorFeed: AnyObject {
  /// Takes what the view says.
  func add(_ inputs: [OperatorInput])
  /// Shows what is known now.
  func show()
}

/// Feeds a board from a run.
final class MetricsFeed: RunParticipant, OperatorFeed {
  private let board: MetricsBoard
  private let client: String
  private var metrics: OperatorMetrics
  private var sums: SightingSums

  /// - Parameters:
  ///   - board: What is shown.
  ///   - surroundings: The run's options.
  init(_ board: MetricsBoard, _ surroundings: AdditionalParticipant.Surroundings) {
    self.board = board
    client = surroundings.options.client?.name ?? RunClient.operatorName
    metrics = OperatorMetrics(version: Library.version, book: surroundings.options.names)
    sums = SightingSums(isListed: surroundings.options.isListed)
  }

  var wantsSlices: Bool { true }

  func add(_ inputs: [OperatorInput]) {
    for input in inputs { metrics.add(input) }
  }

  func show() { board.show(metrics) }

  func begin(_ driver: inout EngineDriver, receivers: [String]) { show() }

  func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) {
    for delivery in deliveries { metrics.add(delivery, client: client) }
  }

  func recorded(_ slice: ScanSlice, receivers: [String]) {
    add(sums.process(slice, receivers: receivers))
  }

  func settled(_ driver: borrowing EngineDriver) { metrics.statistics = driver.statistics }

  func timePassed(to time: Timestamp) { show() }

  func sourceEnded(_ driver: borrowing EngineDriver) {
    add(sums.end(at: driver.now))
    metrics.statistics = driver.statistics
    metrics.end()
    show()
  }
}
