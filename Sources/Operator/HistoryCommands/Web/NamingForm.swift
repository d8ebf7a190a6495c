// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Synchronization
internal import WebServer

/// Takes the names that a page gives to beacons, if the page sends the code that the command has printed.
///
/// The server's thread receives a form, and the run's thread writes the name.
final class NamingForm: Sendable {
  /// A name that a beacon gets, or loses.
  struct Wish: Equatable {
    let identity: BeaconIdentity
    /// The name; `nil` to remove it.
    let name: String?
  }

  /// The path to which the page sends a name.
  static let path = "/name"
  /// The most names that wait to be written.
  private static let mostWaiting = 16

  /// Reads the form.
  let forms: PageForms
  private let wishes = Mutex<[Wish]>([])

  init(_ forms: PageForms) { self.forms = forms }

  /// Returns the names that were sent since the last call.
  func drain() -> [Wish] {
    wishes.withLock { wishes in
      defer { wishes = [] }
      return wishes
    }
  }

  /// Answers the form, on the server's thread.
  func answer(_ request: WebRequest) -> WebResponse {
    forms.answer(request) { form in
      guard let wish = Self.wish(form) else { return PageForms.malformed }
      if let name = wish.name, let fault = NameBook.fault(of: name) {
        return .refused(.malformed, "No name was kept: \(fault).")
      }
      return wishes.withLock { wishes in
        guard wishes.count < Self.mostWaiting else {
          return .refused(.conflict, "Too many names wait; try again.")
        }
        wishes.append(wish)
        return .content(Array("{}".utf8), type: "application/json")
      }
    }
  }

  private static func wish(_ form: JSON5Value) -> Wish? {
    guard case .string(let beacon) = form["beacon"]?.content,
      case .minor(let identity)? = try? IdentityConstraint(parsing: beacon)
    else { return nil }
    if case .bool(true)? = form["remove"]?.content { return Wish(identity: identity, name: nil) }
    guard case .string(let name) = form["name"]?.content else { return nil }
    return Wish(identity: identity, name: name)
  }
}
