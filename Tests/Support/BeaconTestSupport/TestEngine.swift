// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// A driver in a class, so that copyable values of a test can hold it.
public final class TestEngine {
  /// The driver.
  package var driver: EngineDriver

  /// Creates a driver whose timeline starts at a time.
  public init(
    _ configuration: Configuration = Configuration(),
    startingAt start: Timestamp = TestScan.start
  ) {
    driver = EngineDriver(configuration, startingAt: start)
  }

  /// Processes a batch, lets a client answer each delivery, and returns all that was delivered.
  ///
  /// - Parameters:
  ///   - batch: The inputs.
  ///   - isEnd: Whether the source ends with the batch, so that the due deadlines are delivered.
  ///   - answer: Answers a delivery with requests to the driver.
  package func run(
    _ batch: ScanBatch,
    ending isEnd: Bool = true,
    answer: (Delivery, inout EngineDriver) -> Void = { _, _ in }
  ) -> [Delivery] {
    var all: [Delivery] = []
    var next: ScanBatch? = batch
    while true {
      switch driver.next() {
      case .deliver(let deliveries):
        all += deliveries
        for delivery in deliveries { answer(delivery, &driver) }
      case .record, .willPerform, .recordAction: continue
      case .pull:
        if let batch = next.take() {
          driver.supply(batch)
        } else if isEnd {
          driver.endSource(.atEnd(performingScheduled: true))
        } else {
          return all
        }
      case .sourceEnded, .ended: return all
      }
    }
  }
}
