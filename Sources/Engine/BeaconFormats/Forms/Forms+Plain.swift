// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

// The forms of plain values.

extension Optional: Formed where Wrapped: Formed {
  package static func read(_ reader: JSON5Reader) -> Wrapped?? {
    reader.isNull ? .some(nil) : Wrapped.read(reader).map(Optional.some)
  }
  package func written(_ context: FormContext) -> FormValue { self?.written(context) ?? .null }
  package static var missing: Wrapped?? { .some(nil) }
}

extension Array: Formed where Element: Formed {
  package static func read(_ reader: JSON5Reader) -> [Element]? {
    reader.array()?.compactMap(Element.read)
  }
  package func written(_ context: FormContext) -> FormValue {
    guard case .array(let old)? = context.old?.content else {
      return .list(map { $0.written(context.keeping(nil)) })
    }
    // An element keeps the unknown keys of the first element that is the same one.
    var rest = old.map { value -> (value: JSON5Value, identity: String?) in
      (value, (try? Element.read(value, named: "an entry"))?.formIdentity)
    }
    return .list(
      map { element in
        let identity = element.formIdentity
        guard identity != nil, let index = rest.firstIndex(where: { $0.identity == identity })
        else { return element.written(context.keeping(nil)) }
        return element.written(context.keeping(rest.remove(at: index).value))
      }
    )
  }
}

extension Bool: Formed {
  package static func read(_ reader: JSON5Reader) -> Bool? { reader.bool() }
  package func written(_ context: FormContext) -> FormValue { .boolean(self) }
}

extension String: Formed {
  package static func read(_ reader: JSON5Reader) -> String? {
    reader.faults.isStrict ? reader.nonEmptyString() : reader.string()
  }
  package func written(_ context: FormContext) -> FormValue { .text(self) }
}

/// A number that can have bounds.
package protocol FormedNumber: Formed {
  static func read(_ reader: JSON5Reader, in bounds: ClosedRange<Double>) -> Self?
}

extension Double: FormedNumber {
  package static func read(_ reader: JSON5Reader) -> Double? { reader.number() }
  package static func read(_ reader: JSON5Reader, in bounds: ClosedRange<Double>) -> Double? {
    reader.number(in: bounds)
  }
  package func written(_ context: FormContext) -> FormValue {
    // JSON has no infinity.
    guard isFinite else { return .null }
    return context.roundsFractions ? .hundredths(self) : .exact(self)
  }
}

extension TimeSpan: FormedNumber {
  package static func read(_ reader: JSON5Reader) -> TimeSpan? {
    reader.number().map { TimeSpan(seconds: $0) }
  }
  package static func read(_ reader: JSON5Reader, in bounds: ClosedRange<Double>) -> TimeSpan? {
    reader.number(in: bounds).map { TimeSpan(seconds: $0) }
  }
  package func written(_ context: FormContext) -> FormValue { .span(self) }
}

extension FormedNumber where Self: FixedWidthInteger {
  package static func read(_ reader: JSON5Reader) -> Self? {
    let bounds = Int(clamping: Self.min)...Int(clamping: Self.max)
    return reader.integer(in: bounds).flatMap { Self(exactly: $0) }
  }
  package static func read(_ reader: JSON5Reader, in bounds: ClosedRange<Double>) -> Self? {
    let bounds = Int(bounds.lowerBound)...Int(bounds.upperBound)
    return reader.integer(in: bounds).flatMap { Self(exactly: $0) }
  }
  package func written(_ context: FormContext) -> FormValue { .integer(Int(clamping: self)) }
}

extension Int: FormedNumber {}
extension Int8: FormedNumber {}
extension UInt8: FormedNumber {}
extension UInt16: FormedNumber {}
extension UInt32: FormedNumber {}
extension UInt64: FormedNumber {}

extension Timestamp: Formed {
  package static func read(_ reader: JSON5Reader) -> Timestamp? { reader.timestamp() }
  package func written(_ context: FormContext) -> FormValue { .time(self) }
}

extension IdentityConstraint: Formed {
  package static func read(_ reader: JSON5Reader) -> IdentityConstraint? { reader.constraint() }
  package func written(_ context: FormContext) -> FormValue { .text(description) }
}

extension BeaconIdentity: Formed {
  package static func read(_ reader: JSON5Reader) -> BeaconIdentity? {
    guard let constraint = reader.constraint() else { return nil }
    if case .minor(let identity) = constraint { return identity }
    reader.addFault("\(reader.name) must be UUID/MAJOR/MINOR")
    return nil
  }
  package func written(_ context: FormContext) -> FormValue { .text(description) }
}

extension RegionIdentifier: Formed {
  package static func read(_ reader: JSON5Reader) -> RegionIdentifier? {
    String.read(reader).map { RegionIdentifier($0) }
  }
  package func written(_ context: FormContext) -> FormValue { .text(rawValue) }
}

/// A type whose values are names.
package protocol FormedName: Formed, CaseIterable {
  /// The name in files.
  var formName: String { get }
}

extension FormedName {
  package static func read(_ reader: JSON5Reader) -> Self? {
    guard let name = reader.choice(allCases.map(\.formName)) else { return nil }
    return allCases.first { $0.formName == name }
  }
  package func written(_ context: FormContext) -> FormValue { .text(formName) }
}

extension FormedName where Self: RawRepresentable<String> {
  package var formName: String { rawValue }
}

extension RegionState: FormedName { package var formName: String { description } }
extension AccuracyAuthorization: FormedName { package var formName: String { name } }
extension RegionStateOrigin: FormedName {}
extension RegionStateReason: FormedName {}
extension Explanation.Rule: FormedName {}
extension SavedAuthorization.Grant: FormedName {}
extension ServiceSession.Goal: FormedName {}
extension PromptChoice: FormedName {}
extension SettingsValue: FormedName {}
extension AuthorizationStatus: FormedName { package var formName: String { name } }
extension Proximity: FormedName { package var formName: String { name } }
extension DropReason: FormedName { package var formName: String { name } }
extension Prompt.Kind: FormedName {}
extension ServiceSession.Diagnostic: FormedName {}
extension UsageIndicator.Style: FormedName {}

extension LocationErrorCode: Formed {
  package static func read(_ reader: JSON5Reader) -> LocationErrorCode? {
    guard let number = reader.integer() else { return nil }
    if let code = LocationErrorCode(rawValue: number) { return code }
    reader.addFault("\(reader.name) \(number) is not known")
    return nil
  }
  package func written(_ context: FormContext) -> FormValue { .integer(rawValue) }
}
