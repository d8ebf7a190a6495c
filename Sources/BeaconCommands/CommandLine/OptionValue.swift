// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A value from the command line as the type it was declared to be.
package enum OptionValue: Sendable, Equatable {
  /// A text, a file, or the name chosen.
  case text(String)
  /// A whole number.
  case integer(Int)
  /// A number.
  case number(Double)
  /// A span of time.
  case span(TimeSpan)
  /// A number of bytes.
  case bytes(Int)
  /// An identity constraint.
  case constraint(IdentityConstraint)
  /// A region's name and its constraint.
  case region(RegionArgument)
  /// A setting's key and value.
  case setting(SettingArgument)
  /// A speed of replay.
  case speed(ReplaySpeed)
  /// A sink's format and file.
  case sink(SinkArgument)
  /// A flag was given.
  case given
}

/// A region as the command line names it.
package struct RegionArgument: Sendable, Equatable {
  /// The region's name.
  package var id: String
  /// Which beacons it is.
  package var constraint: IdentityConstraint
}

/// A setting as the command line names it.
package struct SettingArgument: Sendable, Equatable {
  /// The key, as `config list` has it.
  package var key: String
  /// The value, unread.
  package var value: String
}

/// A sink as the command line names it.
package struct SinkArgument: Sendable, Equatable {
  /// The format's name.
  package var format: String
  /// The file.
  package var file: String
}

/// How fast a recording is replayed.
package enum ReplaySpeed: Sendable, Equatable {
  /// As fast as the machine can.
  case max
  /// A multiple of the time in which it was recorded.
  case times(Double)
}
