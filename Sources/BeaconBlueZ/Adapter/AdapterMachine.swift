// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import Beacons

/// Decides what to do next about one adapter, so that it hears all it can, whatever happens to it.
///
/// It makes no call and reads no clock: what happened comes in, what to do goes out. Adapters are told apart by their
/// addresses, since the number in the path changes when one is plugged in again.
package struct AdapterMachine: Sendable, Equatable {
  /// How long BlueZ may take from a started discovery, or a filter set again, to saying that it discovers: a healthy
  /// one takes milliseconds, and each second is one without ranging.
  static let discoveringTimeout = TimeSpan.seconds(2)
  /// How long a registered monitor may take to be activated (row B9): the kernel's refusal is told to nobody.
  static let activationTimeout = TimeSpan.seconds(2)
  /// How long an adapter may hear no device at all before its discovery is started anew, as Home Assistant does.
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
    /// A scan that begins before its monitor filters duplicates until the kernel begins it anew, some ten seconds.
    case arming(until: Timestamp)
    /// Discovery is being started.
    case starting
    /// Our session is there; the daemon must say by a time that it discovers, unless it has.
    case scanning(mustDiscoverBy: Timestamp?)
    /// Discovery stopped without us; the filter was set again, which revives it (row B14).
    case reviving(until: Timestamp)
    /// Discovery is being stopped, to be started anew.
    case restarting
    /// The adapter is being switched off, to be switched on again.
    case cycling
    /// A call failed; all is tried again at a time.
    case waiting(until: Timestamp)
    /// We want nothing more.
    case stopped
  }

  enum Monitor: Sendable, Equatable {
    /// There is none.
    case none
    /// It was asked for, of the daemon or of the kernel.
    case asked
    /// The daemon has it, and must activate it by a time.
    case registered(activateBy: Timestamp)
    /// The daemon activated it.
    case active
    /// The kernel has it.
    case kernel
    /// Nobody takes it.
    case unavailable
  }

  /// How far the remedies of deafness have come, and until when the last one may take to help.
  enum Remedy: Sendable, Equatable {
    /// Discovery is begun anew.
    case restart(until: Timestamp)
    /// The adapter is switched off and on.
    case powerCycle(until: Timestamp)
    /// All was tried; it is tried again at a time.
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
  var takesMonitors = false
  var filter = DiscoveryFilter.ofOldDaemons
  var told: RadioState?
  var lastReceived = Timestamp.earliest
  var retry = AdapterMachine.shortestRetry
  /// Counts the times all was begun, so that an answer to a call of an earlier time is known as such.
  var attempt = 0
  /// The object's path, while the adapter is there.
  package internal(set) var path: String?
  /// Whether the adapter is powered.
  package internal(set) var isPowered = false

  /// Creates the machine of an adapter that is not there yet.
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
  package var isListening: Bool { told == .listening || told == .deaf }

  /// Whether discovery runs and the adapter is not deaf.
  package var isReceiving: Bool { told == .listening }
}
