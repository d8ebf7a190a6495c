// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import Synchronization

/// Settings of the process that a program on an iPhone gets from the phone: the source of beacons, and the answers to
/// prompts.
///
/// A program does not have to call any of this: `BEACONS_…` variables, a file `CoreLocation.json5` next to the
/// executable and the defaults set the same. Calls made here take precedence.
public enum CoreLocationProcess {
  private static let chosen = Mutex<LocationSetup?>(nil)

  /// Sets up this process.
  ///
  /// It takes effect only if it is called before the first manager or monitor is created.
  public static func use(_ setup: LocationSetup) { chosen.withLock { $0 = setup } }

  /// Brings the program to the foreground, which is also if it starts.
  public static func enterForeground() { perform(.foreground) }

  /// Moves the program to the background.
  public static func enterBackground() { perform(.background) }

  /// Performs a user action that concerns the program, such as changing its settings.
  public static func perform(_ action: UserAction) {
    LocationService.ofProcess.requestQueue.send { await $0.client.perform(action) }
  }

  /// The service that all managers of the process share, created with the first of them.
  static let shared: LocationService = {
    let write = ProcessFiles.write
    if let setup = chosen.withLock({ $0 }) { return LocationService(setup, write: write) }
    var setup = LocationSetup(.machine)
    do {
      setup = try SetupReader.ofProcess.setup()
    } catch {
      // A wrong name of a source is reported like a source that cannot be opened.
      setup.source = .failing(error)
    }
    return LocationService(setup, write: write)
  }()
}

extension LocationService {
  /// The service that all managers of the process share.
  static var ofProcess: LocationService { CoreLocationProcess.shared }
}
