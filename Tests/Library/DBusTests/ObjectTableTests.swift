// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import DBus
import Testing

struct ObjectTableTests {
  typealias Argument = InterfaceDescription.Argument

  static let door = InterfaceDescription(
    "a.b.Door1",
    methods: [
      .init("Open", [Argument("angle", "q"), Argument("options", "a{sv}")]),
      .init("Close"),
    ],
    signals: [.init("Opened", [Argument("angle", "q")])],
    properties: [
      .init("Angle", "q"), .init("Name", "s", isWritable: true),
      .init("Reports", "t", emitsChange: false),
    ]
  )

  static var table: ObjectTable {
    var table = ObjectTable()
    table.add("/a", [door])
    table.add("/a/session/1", [door], visibleTo: ":1.5")
    table.add("/a/session/22", [door], visibleTo: ":1.6")
    return table
  }

  static func call(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue] = [],
    by caller: String = ":1.5"
  ) -> CallResolution {
    let signature = arguments.map(\.typeSignature).joined()
    return table.resolve(
      ObjectCall(
        caller: caller,
        path: path,
        interface: interface,
        member: member,
        signature: signature,
        arguments: arguments
      )
    )
  }

  @Test func `a method is found by its interface, or by its name alone`() {
    let options = DBusValue.dictionary(of: "sv", [])
    let expected = CallResolution.method(
      path: "/a",
      interface: "a.b.Door1",
      member: "Open",
      arguments: [.uint16(3), options]
    )
    #expect(Self.call("/a", "a.b.Door1", "Open", [.uint16(3), options]) == expected)
    #expect(Self.call("/a", "", "Open", [.uint16(3), options]) == expected)
    #expect(Self.call("/a", "a.b.Other", "Open", [.uint16(3), options]) == .answer(.unknownMethod))
    #expect(Self.call("/a", "a.b.Door1", "Lock") == .answer(.unknownMethod))
  }

  @Test(
    arguments: [
      [], [.uint16(3)], [.uint32(3), .dictionary(of: "sv", [])],
      [.uint16(3), .dictionary(of: "ss", [])],
      [.uint16(3), .dictionary(of: "sv", []), .byte(1)],
    ] as [[DBusValue]]
  )
  func `arguments of other types are refused`(arguments: [DBusValue]) {
    #expect(Self.call("/a", "a.b.Door1", "Open", arguments) == .answer(.invalidArguments))
  }

  @Test func `an object of another program does not exist, not even as a child`() {
    #expect(
      Self.call("/a/session/1", "a.b.Door1", "Close")
        == .method(path: "/a/session/1", interface: "a.b.Door1", member: "Close", arguments: [])
    )
    let stranger = Self.call("/a/session/1", "a.b.Door1", "Close", by: ":1.7")
    #expect(stranger == .answer(.unknownObject))
    #expect(Self.xml("/a/session", by: ":1.5").contains("<node name=\"1\"/>"))
    #expect(!Self.xml("/a/session", by: ":1.5").contains("22"))
    let listing = Self.call("/a/session", BusName.introspectable, "Introspect", by: ":1.7")
    #expect(listing == .answer(.unknownObject))
    #expect(
      Self.call("/a", BusName.objectManager, "GetManagedObjects", by: ":1.6")
        == .managedObjects(["/a/session/22"])
    )
    #expect(Self.call("/b", "a.b.Door1", "Close") == .answer(.unknownObject))
  }

  static func xml(_ path: String, by caller: String) -> String {
    guard
      case .answer(.values(let values)) = call(
        path,
        BusName.introspectable,
        "Introspect",
        by: caller
      )
    else { return "" }
    return values.first?.text ?? ""
  }

  @Test func `properties are read and set as they are described`() {
    let interface = DBusValue.string("a.b.Door1")
    #expect(
      Self.call("/a", BusName.properties, "Get", [interface, .string("Angle")])
        == .property(path: "/a", interface: "a.b.Door1", name: "Angle")
    )
    #expect(
      Self.call("/a", BusName.properties, "GetAll", [interface])
        == .allProperties(path: "/a", interface: "a.b.Door1")
    )
    func set(_ name: String, _ value: DBusValue) -> CallResolution {
      Self.call("/a", BusName.properties, "Set", [interface, .string(name), .variant(value)])
    }
    #expect(
      set("Name", .string("west"))
        == .setProperty(path: "/a", interface: "a.b.Door1", name: "Name", value: .string("west"))
    )
    #expect(set("Name", .byte(1)) == .answer(.invalidArguments))
    #expect(Self.error(set("Angle", .uint16(1))) == "PropertyReadOnly")
    #expect(Self.error(set("Size", .uint16(1))) == "UnknownProperty")
    let other = Self.call("/a", BusName.properties, "GetAll", [.string("a.b.Other")])
    #expect(Self.error(other) == "UnknownInterface")
    #expect(
      Self.call("/a", BusName.properties, "Get", [interface]) == .answer(.invalidArguments)
    )
  }

  static func error(_ resolution: CallResolution) -> String? {
    guard case .answer(.failure(let name, _)) = resolution else { return nil }
    return name.split(separator: ".").last.map(String.init)
  }

  @Test func `the introspection has every member`() {
    let xml = Self.xml("/a", by: ":1.5")
    for part in [
      "<interface name=\"a.b.Door1\">", "<method name=\"Open\">", "<method name=\"Close\"/>",
      "<arg name=\"options\" type=\"a{sv}\" direction=\"in\"/>", "<signal name=\"Opened\">",
      "<property name=\"Angle\" type=\"q\" access=\"read\"/>",
      "<property name=\"Name\" type=\"s\" access=\"readwrite\"/>",
      "EmitsChangedSignal\" value=\"false\"", "org.freedesktop.DBus.Properties",
      "<node name=\"session\"/>",
    ] { #expect(xml.contains(part), "\(part)") }
  }

  @Test func `a path is one, and the table has a limit`() {
    for path in [
      "", "a", "/a/", "//", "/a b", "/ä", "/a//b", "/" + String(repeating: "a", count: 2000),
    ] {
      #expect(!ObjectTable.isPath(path), "\(path)")
    }
    for path in ["/", "/a", "/a_1/B2"] { #expect(ObjectTable.isPath(path), "\(path)") }
    var table = ObjectTable(limit: 1)
    let (first, second) = (table.add("/a", []), table.add("/b", []))
    #expect(first && !second)
    // An object can always be replaced.
    let replaced = table.add("/a", [Self.door])
    #expect(replaced)
    table.remove("/a")
    let isAdded = table.add("/b", [])
    #expect(isAdded && table.count == 1)
  }
}
