// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How much of a server its readers may use together and each.
///
/// A reader cannot read a page while others use all of it. So one peer, an account of this machine or an address of another
/// one, may use only a part, nothing may take for ever,
/// and a connection that waits makes room for a new one.
public struct WebLimits: Sendable, Equatable {
  /// The most connections at a time, 8 to 800: a page needs one for a fraction of a second, a stream one for as long as it
  /// is open.
  ///
  /// A process may have 1024 files open by default.
  public var connections = 256
  /// The most connections of one peer: a browser opens up to six, and several browsers may share an address.
  public var connectionsPerAddress = 32
  /// The most streams of events at a time, of all readers; if all are taken, a peer with many loses one to one with few.
  public var streams = 128
  /// The most streams of one peer: a reader with a page open has one.
  public var streamsPerAddress = 16
  /// How long a request may take to arrive, from its first byte, or from the beginning of the connection.
  ///
  /// It is one packet, which a bad mobile network repeats for some seconds.
  public var requestTime = Duration.seconds(10)
  /// How long a connection may be idle between two requests: a page requests its parts within a second.
  public var idleTime = Duration.seconds(15)
  /// How long an answer may take to be received, and how long a stream's reader may receive or acknowledge nothing of what
  /// was sent: 100 kB over a slow mobile network.
  public var answerTime = Duration.seconds(30)
  /// Whether the accounts of this machine are peers; otherwise its addresses are.
  var countsAccounts = true

  /// The most bytes of a request's first line and fields together.
  ///
  /// A browser sends one or two thousand, and the cookies that other servers of this machine have set.
  public static let headBytes = 16_384
  /// The most fields of a request; a browser sends about fifteen.
  public static let fields = 100
  /// The most arguments in a request's query; the pages have one.
  public static let arguments = 64

  /// Creates the default limits.
  public init() {}
}
