// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import BeaconFormats
internal import Beacons

/// The client on whose behalf a run asks, as the user described it.
package struct RunClient: Sendable {
  /// The operator's name, who needs no grant.
  package static let operatorName = "operator"

  /// Its name.
  package var name: String
  /// Its manifest.
  package var manifest = Manifest()
  /// Users' actions in the run; `nil` if it is asked of whoever sits at the terminal.
  package var answers: [AnswersReader.Entry]?
  /// Its request; `nil` for the least that its run needs.
  package var request: AuthorizationRequest?

  package init(name: String, manifest: Manifest, answers: [AnswersReader.Entry]? = nil) {
    self.name = name
    self.manifest = manifest
    self.answers = answers
  }

  /// Reads the client that a command line names; `nil` is the operator.
  ///
  /// - Throws: ``UsageError``, and ``CommandFailure`` for a file that cannot be read or is wrong.
  package init?(_ arguments: ParsedArguments) throws {
    guard let name = arguments[Options.client], name != Self.operatorName else {
      for option in [Options.manifest, Options.answers, Options.ask] as [any DeclaredOption]
      where arguments.has(named: option.declaration.name) {
        throw UsageError(
          "--\(option.declaration.name) needs --client ID: the operator has no grants",
          argument: arguments.place(of: option)
        )
      }
      return nil
    }
    try Self.check(name, arguments)
    self.name = name
    request = arguments[Options.ask].map { $0 == .always ? .always : .whenInUse }
    if let path = arguments[Options.manifest] {
      manifest = try ParsedFile.read(path) { bytes throws(JSON5Faults) in
        try Manifest.read(bytes, named: "a manifest")
      }
    }
    if let path = arguments[Options.answers] {
      answers = try ParsedFile.read(path) { bytes throws(JSON5Faults) in
        try AnswersReader.read(bytes, about: name)
      }
    }
  }

  /// Reads the client that a command is by itself, under its own name unless the line names another.
  ///
  /// - Parameters:
  ///   - arguments: The command line; its manifest, if it names one, goes before the command's own.
  ///   - name: The command's own name as a client.
  ///   - manifest: Its manifest.
  /// - Throws: ``UsageError``, and ``CommandFailure`` for a file that cannot be read or is wrong.
  package init(_ arguments: ParsedArguments, as name: String, _ manifest: Manifest) throws {
    let name = arguments[Options.client] ?? name
    try Self.check(name, arguments)
    self.init(name: name, manifest: manifest)
    if let path = arguments[Options.manifest] {
      self.manifest = try ParsedFile.read(path) { bytes throws(JSON5Faults) in
        try Manifest.read(bytes, named: "a manifest")
      }
    }
    if let path = arguments[Options.answers] {
      answers = try ParsedFile.read(path) { bytes throws(JSON5Faults) in
        try AnswersReader.read(bytes, about: name)
      }
    }
  }

  /// The longest name: with its ending it must be a file's name even where each letter takes three characters.
  private static let longestName = 80

  /// Refuses a name that no file can have.
  static func check(_ name: String, _ arguments: ParsedArguments) throws(UsageError) {
    guard !name.isEmpty, name.utf8.count <= longestName else {
      throw UsageError(
        "a client's name has 1 to \(longestName) bytes",
        argument: arguments.place(of: Options.client)
      )
    }
  }
}

extension ParsedArguments {
  /// Whether a client asks and not the operator.
  var isClients: Bool { self[Options.client].map { $0 != RunClient.operatorName } ?? false }
}
