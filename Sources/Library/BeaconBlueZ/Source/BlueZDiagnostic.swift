// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// A warning for the operator during a scan, described in one sentence.
public enum BlueZDiagnostic: Sendable, Equatable {
  /// An advertisement monitor is missing, so the adapter reports each device only once in ten seconds.
  case limitedByDuplicateFilter(adapter: String)
  /// The daemon did not accept our advertisement monitor; without a failure it never activated it, or removed it.
  case monitorRefused(adapter: String, failure: BlueZFailure?)
  /// This program added its monitor through the kernel's control channel.
  case kernelMonitorAdded(adapter: String)
  /// The kernel has other monitors, perhaps left over from a crash.
  case leftoverMonitors(adapter: String, count: Int)
  /// Discovery stopped unexpectedly; it is being resumed.
  case discoveryStopped(adapter: String)
  /// Nothing at all was received for a long time; discovery is being started again.
  case silent(adapter: String)
  /// The adapter is switched off; the source waits for it.
  case switchedOff(adapter: String)
  /// The adapter receives nothing although it should, so its state is `RadioState.deaf`; discovery is being started
  /// again.
  case deaf(adapter: String)
  /// The adapter stayed deaf; it is being switched off and on.
  case powerCycled(adapter: String)
  /// The adapter stayed deaf after every remedy; they are tried again later.
  case stillDeaf(adapter: String)
  /// The adapter that was deaf receives again.
  case receivesAgain(adapter: String)
  /// A switch blocks the adapter's radio (rfkill); the source waits for it.
  case blocked(adapter: String)
  /// This program may not use the adapter; it is tried again after a while.
  case notPermitted(adapter: String, failure: BlueZFailure)
  /// A call failed; the whole sequence is tried again after a while.
  case failed(adapter: String, failure: BlueZFailure)
  /// The wall clock was set, forward or (below zero) back; the timeline does not move.
  case clockStepped(by: TimeSpan)
  /// This program did not run for this time, so it read the reports over D-Bus late.
  case stalled(for: TimeSpan)
  /// Reports were requested through the kernel, but it has no adapter with this number and address.
  case notOfThisKernel(adapter: String)
  /// The kernel dropped this many packets because they were not read in time.
  case kernelDropped(Int)
  /// The Bluetooth service does not answer.
  case serviceSilent
  /// It answers again.
  case serviceAnswers
  /// The Bluetooth service ended.
  case serviceLost
  /// The connection to the bus was lost.
  case busLost
  /// The bus was lost, and cannot be used again so far for this reason.
  case busUnusable(BlueZUnavailable)
  /// This program switched the adapter off, as a remedy, and could not switch it on again before it ended.
  case leftOff(adapter: String, failure: BlueZFailure)
}

extension BlueZDiagnostic: CustomStringConvertible {
  /// A description of the event, in one sentence.
  public var description: String {
    switch self {
    case .limitedByDuplicateFilter(let adapter):
      "\(adapter): scanning is limited by the adapter's duplicate filter to a report per beacon in 10 s; "
        + "run bluetoothd with --experimental, or this program with CAP_NET_ADMIN"
    case .monitorRefused(let adapter, let failure):
      "\(adapter): the advertisement monitor was refused" + (failure.map { "; \($0)" } ?? "")
    case .kernelMonitorAdded(let adapter):
      "\(adapter): an advertisement monitor was added through the kernel's control channel"
    case .leftoverMonitors(let adapter, let count):
      "\(adapter): the kernel holds \(count) other advertisement monitor\(count == 1 ? "" : "s"), "
        + "perhaps left behind by a crash; restarting bluetooth.service removes them"
    case .discoveryStopped(let adapter): "\(adapter): discovery stopped; resuming it"
    case .silent(let adapter):
      "\(adapter): nothing was received for a long time; starting discovery again"
    case .deaf(let adapter):
      "\(adapter): the adapter has gone deaf: so long a silence is improbable; starting discovery again"
    case .powerCycled(let adapter):
      "\(adapter): the adapter is still deaf; switching it off and on"
    case .stillDeaf(let adapter):
      "\(adapter): the adapter stays deaf; plug it in again, or see docs/run-live.md"
    case .receivesAgain(let adapter): "\(adapter): the adapter receives again"
    case .switchedOff(let adapter):
      "\(adapter): switched off; switch it on with: bluetoothctl power on"
    case .blocked(let adapter):
      "\(adapter): the radio is blocked; unblock it with: rfkill unblock bluetooth"
    case .notPermitted(let adapter, let failure):
      "\(adapter): this user may not use the adapter; \(failure); trying again"
    case .failed(let adapter, let failure): "\(adapter): \(failure); trying again"
    case .clockStepped(let step):
      "the wall clock was set \(Self.words(for: step)); the times of events do not move"
    case .stalled(let time): StallWatch.sentence(time, of: "the adapters")
    case .notOfThisKernel(let adapter):
      "\(adapter): this kernel has no such adapter, so nothing is received from it"
    case .kernelDropped(let count):
      "the kernel dropped \(count) packet\(count == 1 ? "" : "s") that were not read in time"
    case .serviceSilent:
      "the Bluetooth service does not answer; its adapters count as deaf until it does"
    case .serviceAnswers: "the Bluetooth service answers again"
    case .serviceLost: "the Bluetooth service ended; waiting for it"
    case .busLost: "the connection to the system bus was lost; connecting again"
    case .busUnusable(let reason): "\(reason); trying again"
    case .leftOff(let adapter, let failure):
      "\(adapter): still switched off, since \(failure); switch it on with: bluetoothctl power on"
    }
  }

  /// Returns the size of a step, to a tenth of a second, and its direction.
  private static func words(for step: TimeSpan) -> String {
    "\(seconds(step)) \(step < .zero ? "back" : "forward")"
  }

  /// Returns a time span as text, to a tenth of a second.
  private static func seconds(_ time: TimeSpan) -> String {
    let tenths = time.microseconds.magnitude / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }

  init(_ trouble: AdapterTrouble, adapter: String) {
    switch trouble {
    case .discoveryStopped: self = .discoveryStopped(adapter: adapter)
    case .silent: self = .silent(adapter: adapter)
    case .deaf: self = .deaf(adapter: adapter)
    case .powerCycled: self = .powerCycled(adapter: adapter)
    case .stillDeaf: self = .stillDeaf(adapter: adapter)
    case .receivesAgain: self = .receivesAgain(adapter: adapter)
    case .switchedOff: self = .switchedOff(adapter: adapter)
    case .blocked: self = .blocked(adapter: adapter)
    case .monitorRefused(let failure):
      self = .monitorRefused(adapter: adapter, failure: failure)
    case .noMonitor: self = .limitedByDuplicateFilter(adapter: adapter)
    case .notPermitted(let failure): self = .notPermitted(adapter: adapter, failure: failure)
    case .failed(let failure): self = .failed(adapter: adapter, failure: failure)
    case .leftOff(let failure): self = .leftOff(adapter: adapter, failure: failure)
    }
  }
}

extension BlueZStatistics {
  /// Counts a problem of an adapter.
  mutating func count(_ trouble: AdapterTrouble) {
    switch trouble {
    case .deaf: discoveryRestarts &+= 1
    case .powerCycled: powerCycles &+= 1
    case .stillDeaf: stillDeaf &+= 1
    case .discoveryStopped, .silent, .receivesAgain, .switchedOff, .blocked, .monitorRefused,
      .noMonitor, .notPermitted, .failed, .leftOff:
      break
    }
  }
}
