// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A row of the history.
package enum HistoryRow: Sendable, Equatable {
  /// A region was entered or left.
  case crossing(HistoryCrossing)
  /// A stay in a region began, ended or changed.
  case visit(HistoryVisit)
  /// A minute of one beacon at one receiver.
  case minute(HistoryMinute)
  /// A receiver's state changed.
  case receiver(HistoryReceiverState)
  /// A beacon came to a place, or was there until now.
  case place(HistoryPlace)
  /// A condition of the source or of a request.
  case notice(HistoryNotice)
}

/// A region was entered or left, as a client was notified of it.
package struct HistoryCrossing: Sendable, Equatable {
  /// Whether a region was entered or left; the raw values are the names in outputs.
  package enum Kind: String, Sendable, CaseIterable {
    case enter, exit
  }

  /// The number of the crossing in the folder, in the order of delivery; `nil` before it is written.
  package var sequence: Int?
  /// When it was.
  package var time: Timestamp
  /// The client that was notified.
  package var client: String
  /// The region.
  package var region: String
  /// Whether it was entered or left.
  package var kind: Kind
  /// The reason, by its name in events.
  package var reason: String
  /// The explanation, as the object `why` of an event.
  package var why: String

  package init(
    sequence: Int? = nil,
    time: Timestamp,
    client: String,
    region: String,
    kind: Kind,
    reason: String,
    why: String
  ) {
    self.sequence = sequence
    self.time = time
    self.client = client
    self.region = region
    self.kind = kind
    self.reason = reason
    self.why = why
  }
}

/// A stay of a client in a region.
package struct HistoryVisit: Sendable, Equatable {
  /// How much of the stay was observed; the raw values are the names in outputs.
  package enum Quality: String, Sendable, CaseIterable {
    /// The state was known from the arrival on.
    case whole
    /// The region was already inside when it was first determined: the stay began earlier.
    case beganBefore
    /// The state was unknown for a part of the stay.
    case interrupted
    /// The end was not observed: the region was next known to be outside, or a new stay began.
    case endUnknown
  }

  /// When the region was entered, or first found to be inside.
  package var entered: Timestamp
  /// The client.
  package var client: String
  /// The region.
  package var region: String
  /// When it was left; `nil` during the stay, or if the end was not observed.
  package var left: Timestamp?
  /// How much of it was observed.
  package var quality: Quality

  package init(
    entered: Timestamp,
    client: String,
    region: String,
    left: Timestamp? = nil,
    quality: Quality
  ) {
    self.entered = entered
    self.client = client
    self.region = region
    self.left = left
    self.quality = quality
  }

  /// Whether the stay lasts, as far as is known.
  package var isOpen: Bool { left == nil && quality != .endUnknown }
}

/// For how long a beacon was in a place of the site, as the fusion of receivers found out.
package struct HistoryPlace: Sendable, Equatable {
  /// The knowledge of the place; the raw values are the names in outputs.
  package enum State: String, Sendable, CaseIterable {
    /// It is a place of the site.
    case known
    /// Not known; the beacon can be anywhere.
    case unknown
    /// The beacon is nowhere in the site.
    case absent
  }

  /// Since when the beacon is there, or since when its place is not known.
  package var entered: Timestamp
  /// The beacon.
  package var identity: BeaconIdentity
  /// The knowledge of the place.
  package var state: State
  /// The place's name; `nil` unless it is known.
  package var place: String?
  /// How probable the place was when the beacon came to it, in per cent; 0 unless it is known.
  package var percent: Int
  /// Until when; `nil` while it lasts.
  package var left: Timestamp?

  package init(
    entered: Timestamp,
    identity: BeaconIdentity,
    state: State,
    place: String? = nil,
    percent: Int = 0,
    left: Timestamp? = nil
  ) {
    self.entered = entered
    self.identity = identity
    self.state = state
    self.place = place
    self.percent = percent
    self.left = left
  }
}

/// A minute of one beacon at one receiver.
package struct HistoryMinute: Sendable, Equatable {
  /// The start of the minute, a whole minute.
  package var minute: Timestamp
  /// The beacon.
  package var identity: BeaconIdentity
  /// The receiver's name.
  package var receiver: String
  /// How many reports there were.
  package var reports: Int
  /// The mean RSSI in tenths of a dBm; `nil` without a sample.
  package var rssiTenths: Int?
  /// The weakest RSSI in dBm.
  package var weakest: Int?
  /// The strongest RSSI in dBm.
  package var strongest: Int?
  /// The mean distance that was delivered in the minute, in centimeters; `nil` if the beacon was not ranged.
  ///
  /// It is the beacon's, from all receivers, and so the same in the rows of each of them.
  package var centimeters: Int?
  /// In how many seconds the beacon was near or immediate; `nil` if it was not ranged.
  package var nearSeconds: Int?

  package init(
    minute: Timestamp,
    identity: BeaconIdentity,
    receiver: String,
    reports: Int,
    rssiTenths: Int? = nil,
    weakest: Int? = nil,
    strongest: Int? = nil,
    centimeters: Int? = nil,
    nearSeconds: Int? = nil
  ) {
    self.minute = minute
    self.identity = identity
    self.receiver = receiver
    self.reports = reports
    self.rssiTenths = rssiTenths
    self.weakest = weakest
    self.strongest = strongest
    self.centimeters = centimeters
    self.nearSeconds = nearSeconds
  }
}

/// The state of a receiver from a time on.
package struct HistoryReceiverState: Sendable, Equatable {
  /// Whether the receiver could receive; the raw values are the names in outputs.
  package enum State: String, Sendable, CaseIterable {
    /// Powered and scanning.
    case listening
    /// Switched off, or not scanning.
    case off
    /// Scanning, and receiving nothing although it should.
    case deaf
    /// No longer present.
    case gone
    /// The machine slept or the source paused.
    case gap
    /// No run listened.
    case ended

    init(_ state: RadioState) {
      switch state {
      case .listening: self = .listening
      case .off: self = .off
      case .deaf: self = .deaf
      case .gone: self = .gone
      }
    }
  }

  /// When the state began.
  package var time: Timestamp
  /// The receiver's name.
  package var receiver: String
  /// The state.
  package var state: State

  package init(time: Timestamp, receiver: String, state: State) {
    self.time = time
    self.receiver = receiver
    self.state = state
  }
}

/// A condition of the source or of a request.
package struct HistoryNotice: Sendable, Equatable {
  /// When it was.
  package var time: Timestamp
  /// Its name, as in events.
  package var code: String
  /// Its further fields, as a JSON object.
  package var detail: String

  package init(time: Timestamp, code: String, detail: String) {
    self.time = time
    self.code = code
    self.detail = detail
  }
}
