// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats

/// Reads and writes the file of a site model.
///
/// ```json5
/// { version: 1, power: -59, receivers: ["hall", "cellar"], places: [
///   { name: "hall", seconds: 60, moves: { stairs: 1 }, neighbors: ["stairs"],
///     levels: { hall: { "-61": 40, "-62": 20 }, cellar: { silent: 55, "-97": 5 } } },
///   …
/// ] }
/// ```
package enum SiteModelFile {
  /// The version that is written and read.
  private static let version = 1

  // MARK: Reading

  /// Reads a model.
  ///
  /// - Parameter bytes: The file, in JSON5.
  /// - Returns: The model.
  /// - Throws: ``JSON5Faults`` with every fault, each with line and column.
  package static func read(_ bytes: [UInt8]) throws(JSON5Faults) -> SiteModel {
    let faults = FaultCollector()
    let value = try JSON5.parse(bytes, faults: faults)
    var model = SiteModel()
    if var object = JSON5Reader(value, name: "a site model", faults: faults).object() {
      readVersion(object.required("version"))
      let power = object.optional("power").flatMap { $0.isNull ? nil : $0.integer(in: -128...127) }
      model.power = power.map(Int8.init(clamping:))
      readReceivers(object.required("receivers"), into: &model)
      if let places = object.required("places")?.array() { read(places, into: &model) }
      object.finish()
    }
    try faults.throwIfAny()
    return model
  }

  private static func readVersion(_ reader: JSON5Reader?) {
    guard let reader, let version = reader.integer(), version != Self.version else { return }
    reader.addFault("version \(version) of a site model is not known; this program reads version 1")
  }

  private static func readReceivers(_ reader: JSON5Reader?, into model: inout SiteModel) {
    for entry in reader?.array() ?? [] {
      guard let name = name(entry)?.exactName else { continue }
      if model.receivers.contains(name) {
        entry.addFault("the receiver '\(name.excerpt)' is there twice")
      } else if model.number(ofReceiver: name) == nil {
        return entry.addFault("a model has at most \(SiteModel.receiverLimit) receivers")
      }
    }
  }

  private static func read(_ places: [JSON5Reader], into model: inout SiteModel) {
    var objects: [(place: Int, object: ObjectReader)] = []
    for entry in places {
      guard var object = entry.object(), let reader = object.required("name"),
        let name = name(reader)
      else { continue }
      if model.places.contains(where: { $0.name == name }) {
        reader.addFault("the place '\(name.excerpt)' is there twice")
      } else if let place = model.number(ofPlace: name) {
        objects.append((place, object))
      } else {
        return reader.addFault("a model has at most \(SiteModel.placeLimit) places")
      }
    }
    if places.isEmpty { return }
    let numbers = Dictionary(
      uniqueKeysWithValues: model.places.enumerated().map { ($1.name, $0) }
    )
    let receivers = Dictionary(uniqueKeysWithValues: model.receivers.enumerated().map { ($1, $0) })
    for (place, object) in objects {
      var object = object
      model.places[place].seconds = count(object.optional("seconds")) ?? 0
      if var moves = object.optional("moves")?.object() {
        for (name, _, value) in moves.entries() {
          guard let other = numbers[name] else {
            value.addFault("no place of the model is called '\(name.excerpt)'")
            continue
          }
          model.places[place].moves[other] = count(value) ?? 0
        }
      }
      model.places[place].neighbors = neighbors(object.optional("neighbors"), numbers)
      if var levels = object.optional("levels")?.object() {
        for (name, _, value) in levels.entries() {
          guard let receiver = receivers[name.exactName] else {
            value.addFault("no receiver of the model is called '\(name.excerpt)'")
            continue
          }
          model.places[place].levels[receiver] = Self.levels(value)
        }
      }
      object.finish()
    }
  }

  private static func neighbors(_ reader: JSON5Reader?, _ numbers: [String: Int]) -> [Int] {
    var neighbors: Set<Int> = []
    for entry in reader?.array() ?? [] {
      guard let name = entry.nonEmptyString() else { continue }
      if let other = numbers[name] {
        neighbors.insert(other)
      } else {
        entry.addFault("no place of the model is called '\(name.excerpt)'")
      }
    }
    return neighbors.sorted()
  }

  private static func levels(_ reader: JSON5Reader) -> SiteModel.Levels {
    var levels = SiteModel.Levels()
    guard var object = reader.object() else { return levels }
    for (key, _, value) in object.entries() {
      if key == "silent" {
        levels.silent = count(value) ?? 0
      } else if let level = Int(key), SiteModel.levels.contains(level), "\(level)" == key {
        levels.counts[level - SiteModel.levels.lowerBound] = count(value) ?? 0
      } else {
        let (low, high) = (SiteModel.levels.lowerBound, SiteModel.levels.upperBound)
        value.addFault("'\(key.excerpt)' is neither 'silent' nor a level from \(low) to \(high)")
      }
    }
    return levels
  }

  private static func count(_ reader: JSON5Reader?) -> Int? {
    reader?.integer(in: 0...SiteModel.longestCount)
  }

  private static func name(_ reader: JSON5Reader) -> String? {
    guard let name = reader.nonEmptyString() else { return nil }
    // A character can have any number of bytes.
    let isShort = name.utf8.count <= BeaconPlace.longestName
    if isShort, name.count <= SiteModel.longestName { return name }
    reader.addFault("a name has at most \(SiteModel.longestName) characters")
    return nil
  }

  // MARK: Writing

  /// Returns the file of a model: JSON with a line for each place, the same bytes for the same model.
  package static func bytes(of model: SiteModel) -> [UInt8] {
    var head = JSONLineWriter()
    head.beginObject()
    head.integer("version", version)
    head.integer("power", model.power)
    head.key("receivers")
    head.beginArray()
    for receiver in model.receivers { head.string(receiver) }
    head.endArray()
    var bytes = head.bytes + Array(",\"places\":[".utf8)
    for (index, place) in model.places.enumerated() {
      bytes += Array(index == 0 ? "\n".utf8 : ",\n".utf8) + Self.bytes(of: place, in: model)
    }
    return bytes + Array("\n]}\n".utf8)
  }

  private static func bytes(of place: SiteModel.Place, in model: SiteModel) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("name", place.name)
    writer.integer("seconds", place.seconds)
    writer.key("moves")
    writer.beginObject()
    for (other, count) in place.moves.enumerated() where count > 0 {
      writer.key(model.places[other].name)
      writer.integer(count)
    }
    writer.endObject()
    if !place.neighbors.isEmpty {
      writer.key("neighbors")
      writer.beginArray()
      for other in place.neighbors { writer.string(model.places[other].name) }
      writer.endArray()
    }
    writer.key("levels")
    writer.beginObject()
    for (receiver, levels) in place.levels.enumerated() where levels.seconds > 0 {
      writer.key(model.receivers[receiver])
      writer.beginObject()
      writer.integer("silent", levels.silent)
      for (level, count) in zip(SiteModel.levels, levels.counts) where count > 0 {
        writer.key("\(level)")
        writer.integer(count)
      }
      writer.endObject()
    }
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }
}

extension String {
  /// The start of a text, for a message.
  var excerpt: String { count > 40 ? prefix(39) + "…" : self }
}
