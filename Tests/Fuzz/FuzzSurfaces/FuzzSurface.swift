// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats

/// A place where outside bytes enter the project.
///
/// Each is fuzzed by itself (`tools/fuzz NAME`), and each has a separate corpus, `Fixtures/corpus/NAME`, that the
/// tests replay. A new surface is a case here and a line in ``consume(_:)``.
public enum FuzzSurface: String, CaseIterable, Sendable {
  /// Advertising data, in which an iBeacon is looked for.
  case advertising
  /// HCI events, one after another.
  case hci
  /// Packets of the kernel's monitor channel, one after another.
  case monitor
  /// A link-layer packet as a sniffer received it.
  case linklayer
  /// A capture of the format of its first bytes.
  case captures
  /// Our own recordings.
  case jsonlines
  /// The files of a person: configuration, scenarios, answers.
  case json5
  /// Museum plans, and the pages made of them.
  case plan
  /// Models of sites, and the labels of a survey.
  case site
  /// A message of a broker: its topic, a line end, and its bytes.
  case broker
  /// A connection of a Bluetooth proxy: a byte that chooses its end, and the bytes of the other end.
  case proxy
  /// Identity constraints as a person writes them.
  case constraint
  /// The arguments of `beaconctl`, one a line.
  case commandline
  /// The requests of a page's reader.
  case http
  /// A file of a history, as it is read and as a run finds it.
  case history

  /// Feeds an input to the surface; whatever the bytes are, it must return.
  public func consume(_ bytes: [UInt8]) {
    switch self {
    case .advertising: AdvertisingFuzzing.consume(bytes)
    case .hci: HCIFuzzing.consume(bytes)
    case .monitor: MonitorFuzzing.consume(bytes)
    case .linklayer: LinkLayerFuzzing.consume(bytes)
    case .captures: CaptureFuzzing.consume(bytes)
    case .jsonlines: CaptureFuzzing.consume(bytes, as: .jsonLines)
    case .json5: JSON5Fuzzing.consume(bytes)
    case .plan: PlanFuzzing.consume(bytes)
    case .site: SiteFuzzing.consume(bytes)
    case .broker: BrokerFuzzing.consume(bytes)
    case .proxy: ProxyFuzzing.consume(bytes)
    case .constraint: ConstraintFuzzing.consume(bytes)
    case .commandline: CommandLineFuzzing.consume(bytes)
    case .http: HTTPFuzzing.consume(bytes)
    case .history: HistoryFuzzing.consume(bytes)
    }
  }
}
