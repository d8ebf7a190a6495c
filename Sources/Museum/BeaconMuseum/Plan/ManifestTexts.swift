// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// The texts with which the guide asks for permissions, in all languages of the plan.
  public struct ManifestTexts: Sendable, Hashable {
    /// A reason for requesting temporary full accuracy.
    public struct Purpose: Sendable, Hashable {
      /// The key of the reason in the guide's requests.
      public var key: String
      /// The text shown to the visitor.
      public var text: LocalizedText

      /// Creates a purpose.
      public init(key: String, text: LocalizedText) {
        self.key = key
        self.text = text
      }
    }

    /// Why the guide uses the location while it is in use.
    public var whenInUse: LocalizedText?
    /// Why the guide uses the location at any time; old profiles need it to greet a visitor while the guide is closed.
    public var alwaysAndWhenInUse: LocalizedText?
    /// The reasons for temporary full accuracy, in the order of the plan.
    public var purposes: [Purpose]
    /// Whether visitors open the guide as an App Clip, by a printed code: its permission ends in the morning (row U30).
    public var appClip: Bool

    /// Creates texts; those not given are not declared.
    public init(
      whenInUse: LocalizedText? = nil,
      alwaysAndWhenInUse: LocalizedText? = nil,
      purposes: [Purpose] = [],
      appClip: Bool = false
    ) {
      self.whenInUse = whenInUse
      self.alwaysAndWhenInUse = alwaysAndWhenInUse
      self.purposes = purposes
      self.appClip = appClip
    }

    /// Returns the guide's manifest in a language of the plan.
    public func manifest(in language: String) -> Manifest {
      Manifest(
        whenInUse: whenInUse?[language],
        alwaysAndWhenInUse: alwaysAndWhenInUse?[language],
        purposes: purposes.map { Manifest.Purpose(key: $0.key, text: $0.text[language]) },
        appClip: appClip
      )
    }
  }
}
