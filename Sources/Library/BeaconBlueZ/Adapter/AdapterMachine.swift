// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import Beacons

/// Decides what to do next with one adapter, so that it receives as much as possible whatever happens to it.
///
/// It makes no call and reads no clock: its functions receive what happened and return the actions. An adapter is
/// identified by its address, since the number in its path changes when it is plugged in again.
package struct AdapterMachine: Sendable, Equatable {
  /// How long BlueZ may take to set `Discovering` after discovery was started or the filter was set again.
  ///
  /// A healthy BlueZ takes milliseconds, and during each second of waiting nothing is ranged.
  static let discoveringTimeout = TimeSpan.seconds(2)
  /// How long the activation of a registered monitor may take: BlueZ does not report if the kernel refused it (row B9).
  static let activationTimeout = TimeSpan.seconds(2)
  /// How long an adapter may receive nothing at all before discovery is started again; Home Assistant uses the same
  /// time.
  static let silenceTimeout = TimeSpan.seconds(90)
  /// How long the host may leave the scan of a discovery off.
  ///
  /// With a filter BlueZ starts a scan that ended again immediately (row B2). A command that the controller did not answer in time can leave it
  /// off for hours, while BlueZ states that it discovers.
  static let restTimeout = TimeSpan.seconds(2)
  /// How long after the end of a scan reports can follow.
  static let stragglers = TimeSpan.seconds(1)
  /// How long discovery must have run before its end is unexpected and it is resumed immediately.
  ///
  /// What ends sooner after each start is tried again like a call that failed, after waits that grow.
  package static let steadyTime = TimeSpan.seconds(2)
  /// How long to wait after the end of a discovery that BlueZ did not start; so it is never asked more than five times
  /// a second.
  static let settlingTime = TimeSpan.milliseconds(200)
  /// How long the connection to the bus may be lost before the adapter counts as gone.
  ///
  /// A connection is made again within a fraction of a second, and a silence of two seconds causes no exit, since the
  /// shortest learned exit time is 3 s.
  static let reconnectTimeout = TimeSpan.seconds(2)

  enum State: Sendable, Equatable {
    /// The adapter or its daemon is missing.
    case absent
    /// The adapter is present and not powered.
    case off
    /// The daemon was asked which filter keys it knows.
    case asking
    /// The filter is being set; the next step starts discovery.
    case filtering
    /// The filter is set; discovery waits for the outcome of the request for a monitor, at most until a time.
    ///
    /// If a scan starts before its monitor, the controller filters duplicates until the kernel restarts the scan, some
    /// ten seconds later.
    case arming(until: Timestamp)
    /// Discovery is being started.
    case starting
    /// There is a session. The daemon must set `Discovering` by a time; `nil` if it has set it.
    case scanning(mustDiscoverBy: Timestamp?)
    /// Discovery stopped although this program did not stop it; the filter was set again, which makes BlueZ resume discovery
    /// (row B14).
    case reviving(until: Timestamp)
    /// Discovery is being stopped, and will be started again.
    case restarting
    /// The adapter is being switched off, and will be switched on again; if that failed, it is tried again at a time.
    case cycling(onAgainAt: Timestamp?)
    /// A call failed; the whole sequence is tried again at a time.
    case waiting(until: Timestamp)
    /// The source has ended.
    case stopped
  }

  enum Monitor: Sendable, Equatable {
    /// A monitor is missing.
    case none
    /// The monitor was requested from the daemon or the kernel.
    case asked
    /// The daemon had one of this program already, which is unregistered first.
    case askedAgain
    /// The daemon accepted it and must activate it by a time.
    case registered(activateBy: Timestamp)
    /// The daemon activated it.
    case active
    /// The kernel accepted it.
    case kernel
    /// Neither the daemon nor the kernel accepts one.
    case unavailable
  }

  /// The last remedy for deafness, and the time by which it must have helped.
  enum Remedy: Sendable, Equatable {
    /// Discovery is started again.
    case restart(until: Timestamp)
    /// The adapter is switched off and on.
    case powerCycle(until: Timestamp)
    /// Every remedy was tried; they are tried again at a time.
    case none(until: Timestamp)

    var deadline: Timestamp {
      switch self {
      case .restart(let time), .powerCycle(let time), .none(let time): time
      }
    }
  }

  let deafness: DeafnessConfiguration
  var judge: DeafnessJudge
  /// The current remedy; `nil` while the adapter is not deaf.
  var remedy: Remedy?
  var state = State.absent
  var monitor = Monitor.none
  var isDiscovering = false
  var acceptsMonitors = false
  var filter = DiscoveryFilter.ofOldDaemons
  /// The last emitted state; `nil` before the first.
  var emitted: RadioState?
  /// When the adapter counts as gone if it does not scan again, because the connection to the bus was lost; else `nil`.
  var interruptedUntil: Timestamp?
  var lastReceived = Timestamp.earliest
  var backOff = GrowingWait.betweenCalls
  /// Since when discovery runs, or ran until a remedy for silence; `nil` after a failure.
  var discoversSince: Timestamp?
  /// Since when the adapter does not scan, by the host's commands to it; `nil` if it scans, or that is not known.
  var restsSince: Timestamp?
  /// Whether it counts as deaf because it does not scan, so that a scan ends that.
  var isDeafByRest = false
  /// Counts how often the sequence of calls was started, so that an answer to a call of an earlier sequence is
  /// recognized.
  var attempt = 0
  /// The object's path; `nil` while the adapter is absent.
  package internal(set) var path: String?
  /// Whether the adapter is powered.
  package internal(set) var isPowered = false
  /// Why the adapter does not scan, though it is powered; `nil` if it scans, or nothing failed so far.
  package internal(set) var failure: BlueZFailure?

  /// Creates the machine of an adapter that has not been found yet.
  ///
  /// - Parameters:
  ///   - deafness: When a silent adapter counts as deaf, and which remedies are tried.
  ///   - uuids: The UUIDs that clients wait for; `nil` if that is not known.
  package init(
    _ deafness: DeafnessConfiguration = DeafnessConfiguration(),
    uuids: Set<UInt128>? = nil
  ) {
    self.deafness = deafness
    judge = DeafnessJudge(deafness, uuids: uuids)
  }

  /// Whether discovery runs, so that reports are possible; also true for a deaf adapter.
  package var isListening: Bool { emitted == .listening || emitted == .deaf }

  /// Whether discovery runs and the adapter is not deaf.
  package var isReceiving: Bool { emitted == .listening }

  var isCycling: Bool { if case .cycling = state { true } else { false } }
}
