// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The constants that a program accepts, in the order in which they are listed.
///
/// Each module has its own schema; a program composes the schemas of the modules it uses, in a fixed order. There is no
/// global list, so a module is never missing because its code did not run.
///
/// ```swift
/// let schema = ConfigurationSchema([.engine, .receivers, .authorization])
/// var settings = ConfigurationSettings()
/// if let constant = schema.constant(named: "ranging.linger") {
///   settings.append(try constant.setting(parsing: "20"))
/// }
/// let configuration = Configuration(settings)
/// ```
package struct ConfigurationSchema: Sendable {
  /// The constants.
  package let constants: [Constant]

  /// Creates the schema of a section's constants.
  package init<Section>(_ constants: [SectionConstant<Section>]) {
    self.constants = constants.map(\.constant)
  }

  /// Composes schemas, in this order.
  package init(_ schemas: [ConfigurationSchema]) {
    constants = schemas.flatMap(\.constants)
  }

  /// Returns the constant with a name.
  package func constant(named key: String) -> Constant? {
    constants.first { $0.key == key }
  }
}

extension ConfigurationSchema {
  /// The engine's settings: time, tracks, ranging and regions.
  package static let engine = ConfigurationSchema(Configuration.engineConstants)
  /// The engine's settings for authorization.
  package static let authorization = ConfigurationSchema(Configuration.authorizationConstants)
  /// All settings of the engine.
  package static let core = ConfigurationSchema([.engine, .authorization])
}

/// A value for a constant; only a ``Constant`` creates one, so it has the right kind and is within bounds.
package struct ConfigurationSetting: Sendable, Equatable {
  /// The constant's name.
  package let key: String
  /// Its value.
  package let value: Constant.Value
}

/// Settings before any module has decoded them: a profile and a list in which later settings override earlier ones.
package struct ConfigurationSettings: Sendable, Equatable {
  /// The profile that gives the value of whatever is not set.
  package let profile: Profile
  /// The settings, in the order in which they were made.
  package private(set) var settings: [ConfigurationSetting] = []

  /// Creates settings that contain only a profile.
  package init(_ profile: Profile = .standard) {
    self.profile = profile
  }

  /// Adds a setting.
  package mutating func append(_ setting: ConfigurationSetting) {
    settings.append(setting)
  }
}

/// The configuration of one module: its values, and the constants that set them.
package protocol ConfigurationSection: Sendable {
  /// The constants of this section, each with the place where its value is kept.
  static var constants: [SectionConstant<Self>] { get }

  /// Creates a profile's configuration.
  init(_ profile: Profile)
}

extension ConfigurationSection {
  /// Decodes the section's own settings; those of other sections have no effect.
  package init(_ settings: ConfigurationSettings) {
    self.init(settings.profile)
    for setting in settings.settings { apply(setting) }
  }

  /// Sets one of the section's constants; a setting of another section has no effect.
  package mutating func apply(_ setting: ConfigurationSetting) {
    Self.constants.first { $0.constant.key == setting.key }?.write(&self, setting.value)
  }
}
