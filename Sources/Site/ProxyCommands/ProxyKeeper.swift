// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import ESPHomeAPI
internal import ESPHomeProxies
internal import SystemKit

/// Sends a run's reports to the subscribers of a proxy.
final class ProxyKeeper: RunParticipant {
  struct Setup: Sendable {
    /// Where to listen; `nil` for the usual port of every address.
    let place: (host: String?, port: UInt16)?
    let info: DeviceInfo
    let key: APIKey?
  }

  private let setup: Setup
  private let surroundings: AdditionalParticipant.Surroundings
  private var server: ProxyServer?
  private var announcement: ProxyAnnouncement?
  private var states: [UInt8: RadioState] = [:]
  private var unsent = 0
  private var limit = RepeatLimit()

  init(_ setup: Setup, _ surroundings: AdditionalParticipant.Surroundings) {
    (self.setup, self.surroundings) = (setup, surroundings)
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins:
      run.driver?.keepSlices()
      try begin()
    case .recorded(let slice): send(slice)
    case .settled, .willWait:
      showNews(at: run.now)
      waitForRoom()
    case .ended: end(at: run.now)
    default: break
    }
  }

  private func begin() throws {
    let (host, port) = setup.place ?? (nil, ProxyAddress.usualPort)
    do {
      let server = try ProxyServer(host, port, setup.info, setup.key, ScannerState(.idle))
      self.server = server
      let protection = setup.key == nil ? "without encryption" : "encrypted"
      surroundings.show(
        "the proxy '\(setup.info.name)' listens on \(host ?? "every address"), port \(server.port), \(protection)"
      )
      if !(host.map(Self.isLocal) ?? false) {
        announcement = ProxyAnnouncement(setup.info, port: server.port)
      }
    } catch let error as SystemError where error.isPortInUse {
      throw CommandFailure(.unavailable, "\(error); choose another with --listen :PORT")
    } catch let error as SystemError {
      throw CommandFailure(error)
    } catch let error as SodiumLibrary.Missing {
      throw CommandFailure(.unavailable, "\(error)")
    }
  }

  /// Whether an address is one that only this machine reaches.
  private static func isLocal(_ host: String) -> Bool {
    host.hasPrefix("127.") || host == "::1" || host == "localhost"
  }

  private func send(_ slice: ScanSlice) {
    var list: [RawAdvertisement] = []
    for index in slice.range {
      switch slice.batch.inputs[index] {
      case .report(let report):
        guard let address = report.address else {
          unsent += 1
          continue
        }
        list.append(
          RawAdvertisement(
            address: address.bits,
            addressType: address.kind.rawValue,
            rssi: report.rssi ?? 127,
            data: Array(slice.batch.payload(of: report))
          )
        )
      case .radio(let receiver, let state, _):
        states[receiver] = state
        server?.set(ScannerState(phase))
      case .level: unsent += 1
      default: break
      }
    }
    // The receivers of a capture without states have listened.
    if states.isEmpty, !list.isEmpty { server?.set(ScannerState(.running)) }
    server?.send(list)
  }

  /// The state of the proxy: that of the receiver that receives best.
  private var phase: ScannerState.Phase {
    if states.values.contains(.listening) { return .running }
    return states.values.contains(.deaf) ? .failed : .stopped
  }

  /// Waits in a replay while too many advertisements wait.
  private func waitForRoom() {
    guard !surroundings.options.isLive else { return }
    server?.waitForRoom(unless: surroundings.io.isInterrupted)
  }

  private func end(at time: Timestamp) {
    announcement?.stop()
    server?.stop()
    showNews(at: time)
    if unsent > 0 {
      surroundings.show("\(unsent) reports have no address of a sender and were not sent")
    }
    if let overflow = server?.overflow, overflow > 0 {
      surroundings.show(
        "\(overflow) advertisements were left out for subscribers that read too slowly"
      )
    }
    (server, announcement) = (nil, nil)
  }

  /// Clients that come and go fill no log.
  private func showNews(at time: Timestamp) {
    for line in (server?.drainNews() ?? []).map(Self.sentence)
    where limit.shows(line, at: time) {
      surroundings.show(line)
    }
  }

  private static func sentence(_ news: ProxyServer.News) -> String {
    switch news {
    case .subscribed(let client, let address): "\(client) at \(address) receives the advertisements"
    case .left(let client, let address): "\(client) at \(address) receives them no longer"
    case .refusedKey(let client, let address):
      "\(client) at \(address) wanted to set a key; only --key-file does"
    case .refused(let address, .wrongKey): "\(address) has another key and was refused"
    case .refused(let address, .plaintext): "\(address) does not encrypt and was refused"
    case .refused(let address, .encryptionRequired):
      "\(address) wants encryption, and this proxy has no key"
    case .refused(let address, _): "\(address) sent bytes that are not ESPHome's native API"
    case .others(let count): "and \(count) more connections were refused in the hour before"
    case .tooMany(let address): "\(address) has too many connections"
    case .slow(let client, let address):
      "\(client) at \(address) reads too slowly; it does not get everything"
    }
  }
}
