// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconBlueZ
package import BeaconCommands
internal import BeaconCore
internal import BeaconGateway
internal import BrokerClient
internal import Beacons
internal import SystemKit

/// The wall clock at the start plus the time that has passed, so that nobody who sets the clock moves the timeline.
private struct SourceClock {
  private let start = WallClock.system.now()
  private let origin = Uptime.now

  var now: Timestamp { start + TimeSpan(Uptime.now - origin) }
}

/// What the gateways and nodes of a site receive, as the source of a run.
final class BrokerSource: NetworkSource {
  let isLive = true
  private let link: BrokerLink
  private let access: BrokerAccess
  private let clock: SourceClock
  private let name: TopicName
  private var site: SiteReception
  private(set) var drops = Tally<DropReason>()
  private var remarks: [String] = []
  private var shownFaults = 0

  /// How long a start waits for the broker, in milliseconds.
  private static let startPatience: Int32 = 5000
  /// How long a run waits for messages at a time, in milliseconds: a tick is late by that at most.
  private static let patience: Int32 = 100

  /// Connects to a broker.
  ///
  /// - Throws: ``CommandFailure`` where it cannot be used.
  init(_ access: BrokerAccess, _ name: TopicName) throws {
    var setup = BrokerLink.Setup(access)
    setup.subscriptions = IncomingMessage.subscriptions(name)
    do {
      link = try BrokerLink(setup)
    } catch let error as BrokerClientError {
      throw CommandFailure(error)
    }
    self.access = access
    clock = SourceClock()
    self.name = name
    site = SiteReception(name, at: clock.now)
    _ = link.wait(milliseconds: Self.startPatience) { $0.isConnected || $0.fault != nil }
    if let fault = link.fault {
      link.stop()
      throw CommandFailure(fault, access)
    }
  }

  var receiverNames: [String] { site.receiverNames }
  var utcOffset: TimeSpan? { WallClock.utcOffset(at: clock.now) }

  func begin() -> Timestamp? {
    site = SiteReception(name, at: clock.now)
    return site.reached
  }

  func next(until time: Timestamp?) -> ScanBatch? {
    _ = link.wait(milliseconds: Self.patience) { _ in
      time.map { site.horizon(at: clock.now) >= $0 } ?? false
    }
    receive()
    noteRemarks()
    return site.drain(at: clock.now)
  }

  private func receive() {
    let (messages, overflow) = link.drainReceived()
    for message in messages {
      site.receive(
        message.topic,
        message.payload,
        isRetained: message.isRetained,
        at: clock.now
      )
    }
    if overflow > 0 { drops.count(.sourceOverflow, times: overflow) }
  }

  /// Notes that the connection was lost.
  ///
  /// What came before is processed first, so that nothing of it counts after the loss.
  private func lose() {
    receive()
    site.lost(at: clock.now)
  }

  private func noteRemarks() {
    for news in link.drainNews() {
      switch news {
      case .remark(.connected): remarks.append("connected to \(access.address)")
      case .remark(.failed(let fault)):
        lose()
        remarks.append(fault.sentence(access) + "; trying again")
      default: break
      }
    }
    for remark in site.drainRemarks() {
      switch remark {
      case .clockIsOff(let gateway, let span):
        let amount = Int(abs(span.seconds).rounded())
        let way = span > .zero ? "ahead" : "behind"
        remarks.append(
          "the clock of gateway '\(gateway)' is \(amount) s \(way); what it receives counts when it arrives"
        )
      case .clockIsRight(let gateway): remarks.append("the clock of gateway '\(gateway)' is right")
      }
    }
    if site.faults.total > 0, shownFaults == 0 {
      shownFaults = site.faults.total
      let reasons = site.faults.occurred.map { "\($0.reason.name) \($0.count)" }
      remarks.append("messages that are not used: \(reasons.joined(separator: ", "))")
    }
  }

  func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  func close() {
    if site.faults.total > shownFaults {
      let reasons = site.faults.occurred.map { "\($0.reason.name) \($0.count)" }
      remarks.append("messages that were not used: \(reasons.joined(separator: ", "))")
    }
    link.stop()
  }
}

extension AdditionalSource {
  /// A broker, named with `--from mqtt://HOST/SITE`.
  package static let broker = AdditionalSource(
    networkAt: BrokerAddress.isAddress
  ) { text, arguments in
    guard
      (try? BrokerAddress(parsing: text))?.site != nil || (try? BrokerAddress(parsing: text)) == nil
    else {
      throw UsageError("'\(text)' names no site; write mqtt://HOST/SITE")
    }
    return { io in
      let id = "beacons-reader-" + String(UInt64.random(in: .min ... .max), radix: 36)
      let access = try BrokerLogin.access(text, arguments, io) { _ in id }
      guard let site = access.address.site else { throw UsageError("'\(text)' names no site") }
      return try BrokerSource(access, site)
    }
  }
}
