// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import Beacons

/// Decides what to do next about one adapter, so that it receives all it can, whatever happens to it.
///
/// It makes no call and reads no clock: its functions receive what happened and return what to do. Adapters are
/// identified by their addresses, since the number in the path changes when one is plugged in again.
package struct AdapterMachine: Sendable, Equatable {
  /// How long BlueZ may take to set `Discovering` after discovery was started or the filter was set again: a healthy
  /// one takes milliseconds, and each second is one without ranging.
  static let discoveringTimeout = TimeSpan.seconds(2)
  /// How long a registered monitor may take to be activated: BlueZ does not report that the kernel refused it (row B9).
  static let activationTimeout = TimeSpan.seconds(2)
  /// How long an adapter may receive nothing at all before its discovery is started again, as in Home Assistant.
  static let silenceTimeout = TimeSpan.seconds(90)
  /// The first wait after a call that failed.
  static let shortestRetry = TimeSpan.seconds(1)
  /// The longest wait after calls that keep failing.
  static let longestRetry = TimeSpan.seconds(30)

  enum State: Sendable, Equatable {
    /// The adapter or its daemon is not there.
    case absent
    /// The adapter is there and not powered.
    case off
    /// The daemon was asked which filter keys it knows.
    case asking
    /// The filter is being set; discovery is to be started next.
    case filtering
    /// The filter is set; discovery waits until it is known, by a time, whether there is a monitor.
    ///
    /// A scan that starts before its monitor filters duplicates until the kernel restarts it, some ten seconds later.
    case arming(until: Timestamp)
    /// Discovery is being started.
    case starting
    /// We have a session; the daemon must set `Discovering` by a time, unless it has.
    case scanning(mustDiscoverBy: Timestamp?)
    /// Discovery stopped without us; the filter was set again, which makes BlueZ resume it (row B14).
    case reviving(until: Timestamp)
    /// Discovery is being stopped, to be started again.
    case restarting
    /// The adapter is being switched off, to be switched on again.
    case cycling
    /// A call failed; everything is tried again at a time.
    case waiting(until: Timestamp)
    /// The source has ended.
    case stopped
  }

  enum Monitor: Sendable, Equatable {
    /// There is none.
    case none
    /// The daemon or the kernel was asked for it.
    case asked
    /// The daemon has it, and must activate it by a time.
    case registered(activateBy: Timestamp)
    /// The daemon activated it.
    case active
    /// The kernel has it.
    case kernel
    /// Neither the daemon nor the kernel accepts one.
    case unavailable
  }

  /// The last remedy for deafness, and until when it may take to help.
  enum Remedy: Sendable, Equatable {
    /// Discovery is started again.
    case restart(until: Timestamp)
    /// The adapter is switched off and on.
    case powerCycle(until: Timestamp)
    /// Everything was tried; it is tried again at a time.
    case none(until: Timestamp)

    var deadline: Timestamp {
      switch self {
      case .restart(let time), .powerCycle(let time), .none(let time): time
      }
    }
  }

  let deafness: DeafnessConfiguration
  var judge: DeafnessJudge
  /// `nil` while the adapter is not deaf.
  var remedy: Remedy?
  var state = State.absent
  var monitor = Monitor.none
  var isDiscovering = false
  var acceptsMonitors = false
  var filter = DiscoveryFilter.ofOldDaemons
  /// The state that was emitted last; `nil` before the first.
  var emitted: RadioState?
  var lastReceived = Timestamp.earliest
  var retry = AdapterMachine.shortestRetry
  /// Counts how often the sequence of calls was started, so that the answer to a call of an earlier one is recognized.
  var attempt = 0
  /// The object's path, while the adapter is there.
  package internal(set) var path: String?
  /// Whether the adapter is powered.
  package internal(set) var isPowered = false

  /// Creates the machine of an adapter that has not been found yet.
  ///
  /// - Parameters:
  ///   - deafness: When the adapter is deaf, and what is done about it.
  ///   - uuids: The UUIDs that somebody waits for; `nil` where nobody knows.
  package init(
    _ deafness: DeafnessConfiguration = DeafnessConfiguration(),
    uuids: Set<UInt128>? = nil
  ) {
    self.deafness = deafness
    judge = DeafnessJudge(deafness, uuids: uuids)
  }

  /// Whether discovery runs and reports can come; from a deaf adapter, too.
  package var isListening: Bool { emitted == .listening || emitted == .deaf }

  /// Whether discovery runs and the adapter is not deaf.
  package var isReceiving: Bool { emitted == .listening }
}
