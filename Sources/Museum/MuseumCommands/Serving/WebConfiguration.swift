// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import WebServer

/// Configures how much of the pages' server its readers may use: ``WebLimits`` as configuration constants.
package struct WebConfiguration: Sendable, Equatable, ConfigurationSection {
  private static let standard = WebLimits()

  package var connections = WebConfiguration.standard.connections
  package var connectionsPerAddress = WebConfiguration.standard.connectionsPerAddress
  package var streams = WebConfiguration.standard.streams
  package var streamsPerAddress = WebConfiguration.standard.streamsPerAddress
  package var requestTime = TimeSpan(WebConfiguration.standard.requestTime)
  package var idleTime = TimeSpan(WebConfiguration.standard.idleTime)
  package var answerTime = TimeSpan(WebConfiguration.standard.answerTime)

  /// Creates a profile's configuration, which is the same for all profiles.
  package init(_ profile: Profile) {}

  /// The limits of a server.
  package var limits: WebLimits {
    var limits = WebLimits()
    limits.connections = connections
    limits.connectionsPerAddress = connectionsPerAddress
    limits.streams = streams
    limits.streamsPerAddress = streamsPerAddress
    limits.requestTime = requestTime.duration
    limits.idleTime = idleTime.duration
    limits.answerTime = answerTime.duration
    return limits
  }

  /// The constants of the section `web`.
  package static let constants: [SectionConstant<WebConfiguration>] = [
    .count(
      "web.connections",
      \.connections,
      unit: "",
      8...800,
      "a stream for each reader and as many pages being loaded; a process may have 1024 files open"
    ),
    .count(
      "web.connectionsPerAddress",
      \.connectionsPerAddress,
      unit: "",
      4...800,
      "a browser opens up to six, and several may share an address; more behind a proxy"
    ),
    .count(
      "web.streams",
      \.streams,
      unit: "",
      1...400,
      "the readers of a gallery at once; each may have 64 KiB waiting"
    ),
    .count(
      "web.streamsPerAddress",
      \.streamsPerAddress,
      unit: "",
      1...400,
      "an open page has one stream; eight addresses must not take all; more behind a proxy"
    ),
    .seconds(
      "web.requestTime",
      \.requestTime,
      0.1...600,
      "a request is one packet, which a bad mobile network repeats for some seconds"
    ),
    .seconds(
      "web.idleTime",
      \.idleTime,
      0.1...600,
      "a page requests its parts within a second"
    ),
    .seconds(
      "web.answerTime",
      \.answerTime,
      1...600,
      "100 kB over a slow mobile network"
    ),
  ]
}

extension ConfigurationSchema {
  /// The configuration constants of the pages' server.
  package static let web = ConfigurationSchema(WebConfiguration.constants)
}
