// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A program's declaration about itself: why it requests authorization, and what kind of program it is.
///
/// A request without its text has no effect (rows U2, U3, U23), so a program without texts cannot request anything.
public struct Manifest: Sendable, Hashable {
  /// A reason to request full accuracy temporarily.
  public struct Purpose: Sendable, Hashable {
    /// The key of the reason in a program's request.
    public var key: String
    /// The text that the user sees.
    public var text: String

    /// Creates a purpose.
    public init(key: String, text: String) {
      self.key = key
      self.text = text
    }
  }

  /// Why the program wants authorization while in use.
  public var whenInUse: String?
  /// Why the program wants authorization at any time.
  public var alwaysAndWhenInUse: String?
  /// The reasons for temporary full accuracy, in the order of the manifest; of equal keys, the first counts.
  public var purposes: [Purpose]
  /// Whether prompts request reduced accuracy (row U28).
  public var defaultAccuracyReduced: Bool
  /// Whether the program may keep a continuous session in the background (row U9).
  public var backgroundLocation: Bool
  /// Whether the program is an App Clip, which never gets Always and is granted until the next morning (row U30).
  public var appClip: Bool

  /// Whether the client gets nothing without an explicit service session (row N15).
  public var explicitServiceSession: Bool

  /// Creates a manifest; omitted values are not declared.
  public init(
    whenInUse: String? = nil,
    alwaysAndWhenInUse: String? = nil,
    purposes: [Purpose] = [],
    defaultAccuracyReduced: Bool = false,
    backgroundLocation: Bool = false,
    appClip: Bool = false,
    explicitServiceSession: Bool = false
  ) {
    self.whenInUse = whenInUse
    self.alwaysAndWhenInUse = alwaysAndWhenInUse
    self.purposes = purposes
    self.defaultAccuracyReduced = defaultAccuracyReduced
    self.backgroundLocation = backgroundLocation
    self.appClip = appClip
    self.explicitServiceSession = explicitServiceSession
  }

  /// Returns the text of a purpose; `nil` when the key is not declared.
  public func purposeText(_ key: String) -> String? {
    purposes.first { $0.key == key }?.text
  }

  /// The manifest key of the first usage text that a request needs and the manifest lacks; an empty text counts as
  /// missing.
  package func missingText(forAlways always: Bool) -> String? {
    if (whenInUse ?? "").isEmpty { return "whenInUse" }
    if always, (alwaysAndWhenInUse ?? "").isEmpty { return "alwaysAndWhenInUse" }
    return nil
  }
}
