// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A call to one of our objects, with its arguments as values.
package struct ObjectCall: Sendable, Equatable {
  /// The unique name of the caller.
  package var caller: String
  /// The object's path.
  package var path: String
  /// The interface; empty if the caller left it out.
  package var interface: String
  /// The method.
  package var member: String
  /// The types of the arguments.
  package var signature: String
  /// The arguments.
  package var arguments: [DBusValue]

  /// Creates a call.
  package init(
    caller: String,
    path: String,
    interface: String = "",
    member: String,
    signature: String = "",
    arguments: [DBusValue] = []
  ) {
    self.caller = caller
    self.path = path
    self.interface = interface
    self.member = member
    self.signature = signature
    self.arguments = arguments
  }

  /// How many bytes it takes, counted generously.
  package var wireBytes: Int {
    MessageSize.head + path.utf8.count + arguments.map(\.wireBytes).reduce(0, +)
  }

  /// The call in a message; `nil` if the message is not a whole call, or has more values than the limits allow.
  package init?(_ message: borrowing Message, limits: ValueLimits = ValueLimits()) {
    guard let caller = message.sender, let path = message.path, let member = message.member,
      let arguments = message.read({ $0.values(limits) })
    else { return nil }
    self.caller = caller
    self.path = path
    self.member = member
    self.arguments = arguments
    interface = message.interface ?? ""
    signature = message.signature
  }
}

/// What becomes of a call.
package enum CallResolution: Sendable, Equatable {
  /// It is answered immediately: an introspection, or an error.
  case answer(Answer)
  /// A method of one of the interfaces, called with arguments of its types.
  case method(path: String, interface: String, member: String, arguments: [DBusValue])
  /// `Get` of a property that exists.
  case property(path: String, interface: String, name: String)
  /// `GetAll` of an interface that has properties.
  case allProperties(path: String, interface: String)
  /// `Set` of a property that callers may set, to a value of its type.
  case setProperty(path: String, interface: String, name: String, value: DBusValue)
  /// `GetManagedObjects` of a path: the objects below it that the caller may see.
  case managedObjects([String])
}

/// The objects of a program, by their paths.
///
/// It decides which method a call means and checks the types of its arguments, so that a handler of methods sees only
/// calls that its interfaces describe.
package struct ObjectTable: Sendable {
  private struct Object: Sendable {
    let interfaces: [InterfaceDescription]
    /// The only program that may see the object; `nil` for all.
    let owner: String?
  }

  private var objects: [String: Object] = [:]
  private let limit: Int

  /// Creates a table without objects.
  ///
  /// - Parameter limit: The most objects.
  package init(limit: Int = 4096) {
    self.limit = limit
  }

  /// The number of objects.
  package var count: Int { objects.count }

  /// Adds an object, or replaces it.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - interfaces: Its interfaces, besides the standard ones.
  ///   - owner: The unique name of the only program that may see it; `nil` for all.
  /// - Returns: False if the path is not one, or the table is full.
  @discardableResult
  package mutating func add(
    _ path: String,
    _ interfaces: [InterfaceDescription],
    visibleTo owner: String? = nil
  ) -> Bool {
    guard Self.isPath(path), objects[path] != nil || objects.count < limit else { return false }
    objects[path] = Object(interfaces: interfaces, owner: owner)
    return true
  }

  /// Removes an object.
  package mutating func remove(_ path: String) { objects[path] = nil }

  /// Removes all objects.
  package mutating func removeAll() { objects = [:] }

  /// Whether a text is the path of an object: elements of letters, digits and `_` after a `/` each.
  package static func isPath(_ text: String) -> Bool {
    if text == "/" { return true }
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 1024 else { return false }
    return text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"),
      omittingEmptySubsequences: false
    )
    .allSatisfy { element in
      !element.isEmpty
        && element.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
          default: false
          }
        }
    }
  }

  // MARK: Calls

  /// Returns what becomes of a call.
  package func resolve(_ call: ObjectCall) -> CallResolution {
    // Every path answers it (D-Bus Specification, "org.freedesktop.DBus.Peer").
    if call.interface == BusName.peer, call.member == "Ping" { return .answer(.values([])) }
    let object = visible(call.path, to: call.caller)
    // To look for objects below one takes as long as there are objects, so it is done only if it matters.
    guard object != nil || !below(call.path, for: call.caller).isEmpty else {
      return .answer(.unknownObject)
    }
    switch (call.interface, call.member) {
    case (BusName.introspectable, "Introspect"), ("", "Introspect"):
      guard call.signature.isEmpty else { return .answer(.invalidArguments) }
      return .answer(.values([.string(xml(object, children(of: call.path, for: call.caller)))]))
    case (BusName.properties, _): return property(call, object)
    case (BusName.objectManager, "GetManagedObjects"):
      return .managedObjects(below(call.path, for: call.caller))
    default: return method(call, object)
    }
  }

  private func method(_ call: ObjectCall, _ object: Object?) -> CallResolution {
    let candidates = (object?.interfaces ?? []).filter {
      call.interface.isEmpty || $0.name == call.interface
    }
    for interface in candidates {
      guard let method = interface.methods.first(where: { $0.name == call.member }) else {
        continue
      }
      guard method.signature == call.signature else { return .answer(.invalidArguments) }
      return .method(
        path: call.path,
        interface: interface.name,
        member: call.member,
        arguments: call.arguments
      )
    }
    return .answer(.unknownMethod)
  }

  private func property(_ call: ObjectCall, _ object: Object?) -> CallResolution {
    let expected = ["Get": "ss", "GetAll": "s", "Set": "ssv"][call.member]
    guard let expected else { return .answer(.unknownMethod) }
    guard call.signature == expected, let name = call.arguments.first?.text else {
      return .answer(.invalidArguments)
    }
    guard let interface = object?.interfaces.first(where: { $0.name == name }) else {
      return .answer(Self.unknownInterface)
    }
    guard call.member != "GetAll" else {
      return .allProperties(path: call.path, interface: name)
    }
    guard let wanted = call.arguments[1].text,
      let property = interface.properties.first(where: { $0.name == wanted })
    else { return .answer(Self.unknownProperty) }
    guard call.member == "Set" else {
      return .property(path: call.path, interface: name, name: wanted)
    }
    guard property.isWritable else { return .answer(Self.readOnly) }
    guard case .variant(let value) = call.arguments[2], value.typeSignature == property.type else {
      return .answer(.invalidArguments)
    }
    return .setProperty(path: call.path, interface: name, name: wanted, value: value)
  }

  private static func failure(_ name: String, _ text: String) -> Answer {
    .failure(name: "org.freedesktop.DBus.Error.\(name)", text: text)
  }

  private static let unknownInterface = failure("UnknownInterface", "no such interface")
  private static let unknownProperty = failure("UnknownProperty", "no such property")
  private static let readOnly = failure("PropertyReadOnly", "the property cannot be set")

  // MARK: The caller's view

  private func visible(_ path: String, to caller: String) -> Object? {
    guard let object = objects[path], object.owner == nil || object.owner == caller else {
      return nil
    }
    return object
  }

  /// The objects below a path that a caller may see, in order.
  private func below(_ path: String, for caller: String) -> [String] {
    let start = path == "/" ? "/" : path + "/"
    return objects.keys
      .filter { $0 != path && $0.hasPrefix(start) && visible($0, to: caller) != nil }
      .sorted()
  }

  /// The names of the elements directly below a path, in order.
  private func children(of path: String, for caller: String) -> [String] {
    let length = path == "/" ? 1 : path.utf8.count + 1
    var names: [String] = []
    for object in below(path, for: caller) {
      let name = String(object.utf8.dropFirst(length).prefix { $0 != UInt8(ascii: "/") }) ?? ""
      if names.last != name { names.append(name) }
    }
    return names
  }

  private func xml(_ object: Object?, _ children: [String]) -> String {
    var text = """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>

      """
    if let object {
      for interface in InterfaceDescription.standard + object.interfaces { text += interface.xml }
    }
    for child in children { text += " <node name=\"\(child)\"/>\n" }
    return text + "</node>\n"
  }
}
