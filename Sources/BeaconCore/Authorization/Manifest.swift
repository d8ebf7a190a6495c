// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a program declares of itself: why it asks, and what it is.
///
/// A request whose text is missing does nothing (rows U2, U3, U23), so a program without texts cannot ask.
public struct Manifest: Sendable, Hashable {
  /// A reason for asking for full accuracy for a while.
  public struct Purpose: Sendable, Hashable {
    /// The key by which a program names the reason.
    public var key: String
    /// What the person is shown.
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
  /// The reasons for temporary full accuracy, in the order of the manifest; the first of a key counts.
  public var purposes: [Purpose]
  /// Whether prompts ask for reduced accuracy (row U28).
  public var defaultAccuracyReduced: Bool
  /// Whether the program may keep a continuous session in the background (row U9).
  public var backgroundLocation: Bool
  /// Whether the program is an App Clip: never Always, and granted until the next morning (row U30).
  public var appClip: Bool

  /// Creates a manifest; what is not given is not declared.
  public init(
    whenInUse: String? = nil,
    alwaysAndWhenInUse: String? = nil,
    purposes: [Purpose] = [],
    defaultAccuracyReduced: Bool = false,
    backgroundLocation: Bool = false,
    appClip: Bool = false
  ) {
    self.whenInUse = whenInUse
    self.alwaysAndWhenInUse = alwaysAndWhenInUse
    self.purposes = purposes
    self.defaultAccuracyReduced = defaultAccuracyReduced
    self.backgroundLocation = backgroundLocation
    self.appClip = appClip
  }

  /// Returns the text of a purpose, or `nil` when the key is not declared.
  public func purposeText(_ key: String) -> String? {
    purposes.first { $0.key == key }?.text
  }

  /// The first usage text that a request needs and the manifest lacks, by its manifest key; an empty text tells a
  /// person nothing and counts as missing.
  package func missingText(forAlways always: Bool) -> String? {
    if (whenInUse ?? "").isEmpty { return "whenInUse" }
    if always, (alwaysAndWhenInUse ?? "").isEmpty { return "alwaysAndWhenInUse" }
    return nil
  }
}
