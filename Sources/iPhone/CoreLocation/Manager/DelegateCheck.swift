// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds delegates that implement none of the methods that a program's requests call.
///
/// On an iPhone such a program would be found immediately; here code inside `#if os(iOS)` is left out without a word, and a
/// method with other parameter types than the protocol's is another method.
struct DelegateCheck {
  /// The methods about beacons.
  enum Method: String {
    case ranging = "locationManager(_:didRange:satisfying:)"
    case rangingOfRegion = "locationManager(_:didRangeBeacons:in:)"
    case entry = "locationManager(_:didEnterRegion:)"
    case exit = "locationManager(_:didExitRegion:)"
    case state = "locationManager(_:didDetermineState:for:)"
  }

  /// How many calls no method of the delegate received.
  private(set) var unreceived = 0
  private var missing: [String] = []
  private var hasReceived = false

  /// Notes that a callback was made.
  ///
  /// - Parameter count: The number of unreceived calls before it.
  mutating func made(after count: Int) { if unreceived == count { hasReceived = true } }

  /// Notes that a delegate does not implement a method.
  mutating func lacks(_ method: Method) {
    unreceived += 1
    if !missing.contains(method.rawValue) { missing.append(method.rawValue) }
  }

  /// What to warn of, if no call about beacons has reached the delegate so far.
  func warning(about delegate: String) -> String? {
    guard !hasReceived, !missing.isEmpty else { return nil }
    return "the delegate \(delegate) implements none of the methods called so far: "
      + missing.joined(separator: ", ")
      + "; code inside #if os(iOS) is left out on Linux, and parameters must have the protocol's types"
  }
}

extension CLLocationManager {
  /// Makes a callback about beacons.
  func call(_ callback: (any CLLocationManagerDelegate) -> Void) {
    guard let delegate else { return }
    let count = check.unreceived
    callback(delegate)
    check.made(after: count)
  }

  /// Notes that a delegate does not implement a method that was called.
  ///
  /// Without its method for ranging or leaving, a program that asked for either can expect nothing more.
  func finds(_ delegate: any CLLocationManagerDelegate, without method: DelegateCheck.Method) {
    check.lacks(method)
    guard [.ranging, .rangingOfRegion].contains(method) else { return }
    warnOfDelegate(delegate)
  }

  /// Warns if the delegate has received no callback about beacons.
  func warnOfDelegate(_ delegate: (any CLLocationManagerDelegate)?) {
    guard let delegate, let warning = check.warning(about: "\(type(of: delegate))") else { return }
    service.note(warning)
  }
}
