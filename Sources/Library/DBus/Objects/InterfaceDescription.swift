// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What an interface of our objects has, for its calls and for those who look at it.
package struct InterfaceDescription: Sendable, Equatable {
  /// An argument of a method or a signal: its name and its D-Bus type.
  package struct Argument: Sendable, Equatable {
    /// The name, for people.
    package let name: String
    /// The signature of one complete type.
    package let type: String

    /// Creates an argument.
    package init(_ name: String, _ type: String) {
      self.name = name
      self.type = type
    }
  }

  /// A method.
  package struct Method: Sendable, Equatable {
    /// The name.
    package let name: String
    /// The caller's arguments.
    package let arguments: [Argument]
    /// The method's results.
    package let results: [Argument]

    /// Creates a method.
    package init(_ name: String, _ arguments: [Argument] = [], returning results: [Argument] = []) {
      self.name = name
      self.arguments = arguments
      self.results = results
    }

    /// The types of the arguments, joined.
    package var signature: String { arguments.map(\.type).joined() }
  }

  /// A signal.
  package struct Signal: Sendable, Equatable {
    /// The name.
    package let name: String
    /// Its arguments.
    package let arguments: [Argument]

    /// Creates a signal.
    package init(_ name: String, _ arguments: [Argument] = []) {
      self.name = name
      self.arguments = arguments
    }
  }

  /// A property.
  package struct Property: Sendable, Equatable {
    /// The name.
    package let name: String
    /// The signature of its type.
    package let type: String
    /// Whether callers may set it.
    package let isWritable: Bool
    /// Whether `PropertiesChanged` is sent when it changes.
    package let emitsChange: Bool

    /// Creates a property.
    package init(_ name: String, _ type: String, isWritable: Bool = false, emitsChange: Bool = true)
    {
      self.name = name
      self.type = type
      self.isWritable = isWritable
      self.emitsChange = emitsChange
    }
  }

  /// The name.
  package let name: String
  /// The methods.
  package let methods: [Method]
  /// The signals.
  package let signals: [Signal]
  /// The properties.
  package let properties: [Property]

  /// Creates a description.
  package init(
    _ name: String,
    methods: [Method] = [],
    signals: [Signal] = [],
    properties: [Property] = []
  ) {
    self.name = name
    self.methods = methods
    self.signals = signals
    self.properties = properties
  }

  /// What every object has.
  static let standard = [
    InterfaceDescription(
      BusName.introspectable,
      methods: [Method("Introspect", returning: [Argument("xml", "s")])]
    ),
    InterfaceDescription(
      BusName.properties,
      methods: [
        Method(
          "Get",
          [Argument("interface", "s"), Argument("property", "s")],
          returning: [Argument("value", "v")]
        ),
        Method("GetAll", [Argument("interface", "s")], returning: [Argument("values", "a{sv}")]),
        Method(
          "Set",
          [Argument("interface", "s"), Argument("property", "s"), Argument("value", "v")]
        ),
      ],
      signals: [
        Signal(
          "PropertiesChanged",
          [
            Argument("interface", "s"), Argument("changed", "a{sv}"), Argument("invalidated", "as"),
          ]
        )
      ]
    ),
    InterfaceDescription(BusName.peer, methods: [Method("Ping")]),
  ]
}

// MARK: - The description as XML

extension InterfaceDescription {
  /// The element of the D-Bus Specification ("Introspection Data Format").
  var xml: String {
    var text = " <interface name=\"\(name)\">\n"
    for method in methods {
      text += Self.element(
        "method",
        method.name,
        method.arguments.map { Self.xml($0, " direction=\"in\"") }
          + method.results.map { Self.xml($0, " direction=\"out\"") }
      )
    }
    for signal in signals {
      text += Self.element("signal", signal.name, signal.arguments.map { Self.xml($0, "") })
    }
    for property in properties { text += Self.xml(property) }
    return text + " </interface>\n"
  }

  private static func element(_ kind: String, _ name: String, _ arguments: [String]) -> String {
    arguments.isEmpty
      ? "  <\(kind) name=\"\(name)\"/>\n"
      : "  <\(kind) name=\"\(name)\">\n\(arguments.joined())  </\(kind)>\n"
  }

  private static func xml(_ argument: Argument, _ direction: String) -> String {
    "   <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>\n"
  }

  private static func xml(_ property: Property) -> String {
    let access = property.isWritable ? "readwrite" : "read"
    let start =
      "  <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\""
    guard !property.emitsChange else { return start + "/>\n" }
    let annotation = "org.freedesktop.DBus.Property.EmitsChangedSignal"
    return start + ">\n   <annotation name=\"\(annotation)\" value=\"false\"/>\n  </property>\n"
  }
}
