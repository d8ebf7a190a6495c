// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import Beacons

extension StoreKeeper {
  /// Creates the keeper of a command's run; `nil` if there is nothing to keep.
  ///
  /// A live run keeps grants and the states of its regions by itself, as monitored regions outlive a program (row G3). A
  /// replay keeps both only in the store that it was given, or its events would depend on earlier runs; what that store
  /// does not know of a client is read from the account's.
  ///
  /// - Parameters:
  ///   - options: The run's options.
  ///   - client: The client of the run; `nil` for the operator.
  ///   - isLive: Whether the run is live.
  ///   - io: The command's surroundings.
  ///   - show: Shows a line, which concerns the grants or the regions' states.
  package convenience init?(
    _ options: RunOptions,
    of client: RunClient?,
    isLive: Bool,
    io: CommandIO,
    show: @escaping (_ line: String, _ isOfState: Bool) -> Void
  ) {
    let name = client?.name ?? RunClient.operatorName
    let account = ClientStore(environment: io.environment)
    let named = options.stateDirectory.map { ClientStore(directory: $0) }
    let states = [named, account].compactMap { $0 }.first { $0.isKept(isReal: isLive) }
    guard client != nil || (states != nil && !options.regions.isEmpty) else { return nil }
    let kept = isLive ? account : named
    let known = named.flatMap { !isLive && $0.clients.contains(name) ? $0 : nil }
    let files = ClientFiles(
      name,
      of: .run,
      readingGrantsOf: known ?? account,
      keepingGrantsIn: kept,
      keepingStateIn: states,
      isOperator: client == nil
    )
    self.init(
      isLive: isLive,
      of: files,
      regions: options.regions,
      restoredFor: options.configuration.regions.restoredStateAge,
      // A recording contains everything that its run knew, and nothing that was known before.
      restores: options.recording == nil,
      elapsed: { io.clock.elapsed },
      show: { note, isOfState in
        show(ClientNote.text(of: note, name, isOfState ? "regions' states" : "grants"), isOfState)
      }
    )
  }
}
