// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The constants that a program knows, in the order in which they are listed.
///
/// Each module has a schema of its own; a program composes those of the modules it uses, in a fixed order. There is no
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
public struct ConfigurationSchema: Sendable {
  /// The constants.
  public let constants: [Constant]

  /// Creates the schema of a section's constants.
  public init<Section>(_ constants: [SectionConstant<Section>]) {
    self.constants = constants.map(\.constant)
  }

  /// Composes schemas, in this order.
  public init(_ schemas: [ConfigurationSchema]) {
    constants = schemas.flatMap(\.constants)
  }

  /// Returns the constant of a name.
  public func constant(named key: String) -> Constant? {
    constants.first { $0.key == key }
  }
}

extension ConfigurationSchema {
  /// What the engine lets be set: time, tracks, ranging and regions.
  public static let engine = ConfigurationSchema(Configuration.engineConstants)
  /// What the engine lets be set of authorization.
  public static let authorization = ConfigurationSchema(Configuration.authorizationConstants)
  /// All of the engine's.
  public static let core = ConfigurationSchema([.engine, .authorization])
}

/// A value for a constant; only a ``Constant`` makes one, so it is of the right kind and within bounds.
public struct ConfigurationSetting: Sendable, Equatable {
  /// The constant's name.
  public let key: String
  /// Its value.
  public let value: Constant.Value
}

/// What is to be set, before any module has decoded it: a profile, and settings of which a later one counts.
public struct ConfigurationSettings: Sendable, Equatable {
  /// The profile whose values hold where nothing is set.
  public let profile: Profile
  /// The settings, in the order in which they were made.
  public private(set) var settings: [ConfigurationSetting] = []

  /// Creates the settings of a profile, with nothing set.
  public init(_ profile: Profile = .standard) {
    self.profile = profile
  }

  /// Adds a setting.
  public mutating func append(_ setting: ConfigurationSetting) {
    settings.append(setting)
  }
}

/// The configuration of one module: its values, and the constants by which they are set.
public protocol ConfigurationSection: Sendable {
  /// The constants of this section, each with the place of its value.
  static var constants: [SectionConstant<Self>] { get }

  /// Creates a profile's configuration.
  init(_ profile: Profile)
}

extension ConfigurationSection {
  /// Decodes the section's own settings; those of other sections have no effect.
  public init(_ settings: ConfigurationSettings) {
    self.init(settings.profile)
    for setting in settings.settings { apply(setting) }
  }

  /// Sets one of the section's constants; a setting of another section has no effect.
  public mutating func apply(_ setting: ConfigurationSetting) {
    Self.constants.first { $0.constant.key == setting.key }?.write(&self, setting.value)
  }
}
