// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The components that this run and earlier ones announced to Home Assistant.
///
/// One that a device's message merely leaves out stays at Home Assistant for ever; it goes where its entry has only its
/// platform.
package struct AnnouncedComponents: Sendable, Equatable {
  struct Component: Sendable, Hashable {
    /// The topic of the device's message.
    var topic: String
    /// The component's key in it.
    var key: String
    /// Its kind at Home Assistant.
    var platform: String

    fileprivate var line: String { "\(topic) \(key) \(platform)" }
  }

  /// The most components that are remembered: a thousand beacons have six each, a hundred regions two.
  package static let limit = 10_000
  private static let platforms: Set<String> = ["binary_sensor", "device_tracker", "sensor"]

  private var all: Set<Component> = []

  package init() {}

  /// Reads the list as a file holds it; lines that no gateway wrote are left out.
  package init(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(Self.limit)
    where line.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      let parts = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
      guard parts.count == 3, parts[0].hasSuffix("/config"), Self.platforms.contains(parts[2])
      else { continue }
      all.insert(Component(topic: parts[0], key: parts[1], platform: parts[2]))
    }
  }

  /// The list as a file holds it: a component a line.
  package var bytes: [UInt8] { Array(all.map { $0.line + "\n" }.sorted().joined().utf8) }

  /// Adds a component.
  mutating func insert(_ component: Component) {
    if all.count < Self.limit { all.insert(component) }
  }

  /// Whether a component was announced.
  func contains(_ key: String, at topic: String) -> Bool {
    all.contains { $0.topic == topic && $0.key == key }
  }

  /// The components of a device's message without some keys, in the order of their keys.
  func others(at topic: String, than keys: [String]) -> [Component] {
    all.filter { $0.topic == topic && !keys.contains($0.key) }.sorted { $0.key < $1.key }
  }
}
