// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// What the guide declares of itself, in all languages of the plan.
  public struct ManifestTexts: Sendable, Hashable {
    /// A reason for asking for full accuracy for a while.
    public struct Purpose: Sendable, Hashable {
      /// The key by which the guide names the reason.
      public var key: String
      /// What the visitor is shown.
      public var text: LocalizedText

      /// Creates a purpose.
      public init(key: String, text: LocalizedText) {
        self.key = key
        self.text = text
      }
    }

    /// Why the guide wants to know while it is in use.
    public var whenInUse: LocalizedText?
    /// Why it wants to know at any time: what a greeting of a visitor whose guide is closed needs in old profiles.
    public var alwaysAndWhenInUse: LocalizedText?
    /// The reasons for temporary full accuracy, in the order of the plan.
    public var purposes: [Purpose]

    /// Creates texts; what is not given is not declared.
    public init(
      whenInUse: LocalizedText? = nil,
      alwaysAndWhenInUse: LocalizedText? = nil,
      purposes: [Purpose] = []
    ) {
      self.whenInUse = whenInUse
      self.alwaysAndWhenInUse = alwaysAndWhenInUse
      self.purposes = purposes
    }

    /// The guide's manifest in a language of the plan.
    public func manifest(in language: String) -> Manifest {
      Manifest(
        whenInUse: whenInUse?[language],
        alwaysAndWhenInUse: alwaysAndWhenInUse?[language],
        purposes: purposes.map { Manifest.Purpose(key: $0.key, text: $0.text[language]) }
      )
    }
  }
}
