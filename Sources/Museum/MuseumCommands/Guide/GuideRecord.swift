// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum

extension EventRecord {
  /// Returns an event of the guide as a separate record type: `guide.status`, `guide.room` or `guide.exhibit`.
  static func guide(_ event: GuideEvent, in language: String) -> EventRecord {
    func field(_ name: String, _ value: FormValue) -> FormField { FormField(name, value) }
    switch event {
    case .status(let status):
      return EventRecord(type: "guide.status", fields: [field("status", .text(status.rawValue))])
    case .room(let room):
      return EventRecord(
        type: "guide.room",
        fields: [
          field("major", .optional(room.major.map(Int.init))),
          field("name", .text(room.name[language])),
        ]
      )
    case .returned: return EventRecord(type: "guide.returned", fields: [])
    case .exhibit(let showing):
      let identity = showing?.exhibit.identity
      return EventRecord(
        type: "guide.exhibit",
        fields: [
          field("uuid", .optional(identity.map { UUIDText.string($0.uuid) })),
          field("major", .optional(identity.map { Int($0.major) })),
          field("minor", .optional(identity.map { Int($0.minor) })),
          field("title", .optional(showing?.exhibit.title[language])),
          field("text", .optional(showing?.exhibit.text?[language])),
          field("announced", .boolean(showing?.isAnnounced ?? false)),
          field("sureness", .optional(showing?.confidence)),
        ]
      )
    }
  }
}
