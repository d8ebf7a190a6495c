// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The plot of a beacon of which only minutes are known, as a history keeps them.
package struct PastSignals: Sendable {
  /// The reports of the beacon at a receiver in a minute.
  package struct Minute: Sendable {
    /// The start of the minute.
    package let start: Timestamp
    /// The receiver.
    package let receiver: String
    /// How many reports.
    package let reports: Int
    /// The mean RSSI in dBm, the lowest and the highest; `nil` if none is known.
    package let rssi: (mean: Double, low: Double, high: Double)?
    /// The distance in meters; `nil` if it is not known.
    package let meters: Double?

    package init(
      start: Timestamp,
      receiver: String,
      reports: Int,
      rssi: (mean: Double, low: Double, high: Double)?,
      meters: Double?
    ) {
      (self.start, self.receiver, self.reports) = (start, receiver, reports)
      (self.rssi, self.meters) = (rssi, meters)
    }
  }

  /// More receivers than a site has.
  private static let mostReceivers = 250
  private static let minute = TimeSpan.seconds(60)

  private var lane: SignalPlot.Lane
  private var receivers: [SignalPlot.Receiver] = []
  private var names: [String] = []
  private let span: ClosedRange<Timestamp>

  /// - Parameters:
  ///   - region: The beacon, with the name that the picture shows.
  ///   - span: The time to show.
  package init(of region: Region, in span: ClosedRange<Timestamp>) {
    lane = SignalPlot.Lane(region: region)
    self.span = span
  }

  /// The plot.
  package var plot: SignalPlot {
    var plot = SignalPlot(of: [])
    plot.lanes = [lane]
    plot.receivers = receivers
    plot.receiverNames = names
    plot.extent = span
    return plot
  }

  /// Adds a minute; they come in the order of time.
  package mutating func add(_ minute: Minute) {
    let middle = minute.start + .seconds(30)
    if let last = lane.lastReceived, last < minute.start {
      lane.silence.add(from: last, to: minute.start)
    }
    lane.lastReceived = max(lane.lastReceived ?? .earliest, minute.start + Self.minute)
    lane.reports += minute.reports
    if let meters = minute.meters { lane.distance.add(meters, at: middle) }
    guard let rssi = minute.rssi, let number = number(of: minute.receiver) else { return }
    var index = lane.signals.firstIndex { $0.receiver == number }
    if index == nil {
      let isFull = lane.signals.count >= SignalCollector.mostSignals
      if !isFull || lane.signals.last?.receiver != nil {
        lane.signals.append(SignalPlot.Signal(receiver: isFull ? nil : number))
      }
      index = lane.signals.count - 1
    }
    lane.signals[index ?? 0].rssi.add(rssi.mean, low: rssi.low, high: rssi.high, at: middle)
  }

  /// Adds a crossing of a region in which the beacon is.
  package mutating func add(_ crossing: Event, isEntry: Bool, at time: Timestamp, _ book: NameBook)
  {
    lane.states.append((time, isEntry ? .inside : .outside))
    lane.noteCount += 1
    let text = EventSentence.text(of: crossing, book)
    lane.notes.append(SignalPlot.Note(time: time, kind: isEntry ? .entered : .left, text: text))
  }

  /// Adds when a receiver came to a state.
  package mutating func add(_ state: RadioState, of receiver: String, at time: Timestamp) {
    guard let number = number(of: receiver) else { return }
    let change = (time: max(time, span.lowerBound), state: state)
    if let index = receivers.firstIndex(where: { $0.number == number }) {
      receivers[index].states.append(change)
    } else {
      receivers.append(SignalPlot.Receiver(number: number, states: [change]))
    }
  }

  private mutating func number(of receiver: String) -> UInt8? {
    if let index = names.firstIndex(of: receiver) { return UInt8(index) }
    guard names.count < Self.mostReceivers else { return nil }
    names.append(receiver)
    return UInt8(names.count - 1)
  }
}
