// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

/// Looks for changes that other processes make in the files of stored clients, with one timer for all of them.
///
/// It compares the stamps of files, which is a system call for each client; a client reads its files only if one of them
/// was replaced. Few clients are looked at each time, many in turn, each of them once a second.
final class StoreWatch: Sendable {
  private struct Entry {
    weak var client: ClientFiles?
  }

  private struct State {
    /// Those that were not looked at for the longest time come first.
    var entries: [Entry] = []
    var timer: (any DispatchSourceTimer)?
  }

  private let queue = DispatchQueue(label: "beacons.store.watch")
  private let state = Mutex(State())

  private static let looksPerSecond = 4
  /// So many clients are looked at each time, however many there are.
  private static let fewClients = 4

  deinit { state.withLock { $0.timer?.cancel() } }

  /// Watches a client's files until it is closed or released.
  func add(_ client: ClientFiles) {
    state.withLock { state in
      state.entries.append(Entry(client: client))
      guard state.timer == nil else { return }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      let interval = DispatchTimeInterval.microseconds(Int(StoreKeeper.lookInterval.microseconds))
      timer.schedule(deadline: .now() + interval, repeating: interval)
      timer.setEventHandler { [weak self] in self?.look() }
      timer.resume()
      state.timer = timer
    }
  }

  private func look() {
    let clients = state.withLock { state in
      state.entries.removeAll { $0.client?.isOpen != true }
      if state.entries.isEmpty {
        state.timer?.cancel()
        state.timer = nil
      }
      let count = max(Self.fewClients, state.entries.count / Self.looksPerSecond + 1)
      let due = state.entries.prefix(count)
      state.entries = Array(state.entries.dropFirst(count) + due)
      return due.compactMap(\.client)
    }
    // The switches are the same for all clients of a store.
    var switches: [ClientStore: ClientStore.Stamp] = [:]
    for client in clients {
      let stamp = switches[client.store] ?? client.store.stamp(of: nil)
      switches[client.store] = stamp
      client.check(stamp)
    }
  }
}
