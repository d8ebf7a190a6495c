// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import Synchronization

/// What Apple's program gets from its phone and this one from its process: where beacons are heard, who answers prompts.
///
/// A program need not call any of this: `BEACONS_…` variables, a file `CoreLocation.json5` beside the executable and the
/// defaults say the same. What is called here comes first.
public enum CoreLocationProcess {
  private static let chosen = Mutex<LocationSetup?>(nil)

  /// Chooses how this process hears beacons; it counts when it is called before the first manager or monitor is made.
  public static func use(_ setup: LocationSetup) { chosen.withLock { $0 = setup } }

  /// The program comes to the foreground, where it starts.
  public static func enterForeground() { user(.foreground) }

  /// The program leaves the foreground.
  public static func enterBackground() { user(.background) }

  /// The person does something that concerns the program, such as changing its settings.
  public static func user(_ input: UserAction) {
    LocationService.ofProcess.courier.send { await $0.client.user(input) }
  }

  /// What all managers of the process share, made when the first is.
  static let shared: LocationService = {
    let write: @Sendable (String) -> Void = { line in
      FileHandle.standardError.write(Data((line + "\n").utf8))
    }
    if let setup = chosen.withLock({ $0 }) { return LocationService(setup, write: write) }
    var setup = LocationSetup(.bluetooth())
    do {
      setup = try SetupReader.ofProcess.setup()
    } catch {
      // A source that is wrongly named is told like one that cannot be opened.
      setup.source = .failing(error)
    }
    return LocationService(setup, write: write)
  }()
}

extension LocationService {
  /// What all managers of the process share.
  static var ofProcess: LocationService { CoreLocationProcess.shared }
}
