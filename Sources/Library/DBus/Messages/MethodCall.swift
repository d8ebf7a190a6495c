// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A method call on an object of another program.
package struct MethodCall: Sendable, Equatable {
  /// The bus name of the program.
  package let destination: String
  /// The object's path.
  package let path: String
  /// The interface of the method.
  package let interface: String
  /// The method's name.
  package let member: String
  /// The arguments, in order.
  package let arguments: [DBusValue]

  /// Creates a call.
  package init(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }

  /// Returns a call to the bus itself.
  package static func bus(_ member: String, _ arguments: [DBusValue] = []) -> MethodCall {
    MethodCall(BusName.bus, BusName.busPath, BusName.bus, member, arguments)
  }
}
