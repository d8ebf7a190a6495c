// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import DBus
import Testing
import BeaconFormats

/// What a failed call means, and what the user reads of it.
struct BlueZFailureTests {
  private static func bus(_ name: String, _ text: String = "") -> BlueZFailure {
    .error(name: "org.freedesktop.DBus.Error.\(name)", text: text)
  }

  @Test(
    arguments: [
      (.bluez("InProgress"), .inProgress, false), (.bluez("Failed"), .transient, false),
      (.bluez("NotReady"), .transient, false), (.bluez("Busy"), .transient, false),
      (.bluez("Blocked"), .blocked, false), (.bluez("NotAuthorized"), .notPermitted, true),
      (bus("AccessDenied"), .notPermitted, true), (.bluez("NotSupported"), .notSupported, true),
      (bus("UnknownObject"), .transient, false), (.noAnswer, .transient, false),
      (.unexpectedAnswer, .transient, false), (.notDiscovering, .transient, false),
    ] as [(BlueZFailure, BlueZFailure.Kind, Bool)]
  )
  func `only permission and ability are final`(
    failure: BlueZFailure,
    kind: BlueZFailure.Kind,
    isFinal: Bool
  ) {
    #expect(failure.kind == kind)
    #expect(failure.isFinal == isFinal)
  }

  @Test(
    arguments: [
      (
        .bluez("Failed", "Operation already in progress"),
        #"BlueZ answers Failed ("Operation already in progress")"#
      ),
      (
        .bluez("InProgress", "Operation already in progress"),
        #"BlueZ answers InProgress ("Operation already in progress"): another program may be scanning"#
      ),
      (.bluez("NotReady"), "BlueZ answers NotReady: the adapter is being switched on or off"),
      (
        bus("UnknownObject", "Method \"x\" doesn't exist"),
        #"BlueZ answers UnknownObject ("Method 'x' doesn't exist")"#
      ),
      (.error(name: "a.b.Error", text: ""), "BlueZ answers a.b.Error"),
      // The bus adds this program's command line.
      (
        bus(
          "AccessDenied",
          #"Rejected send message, 1 matched rules; comm="beaconctl /home/anna""#
        ),
        #"the bus answers AccessDenied ("Rejected send message, 1 matched rules")"#
      ),
      (.noAnswer, "BlueZ does not answer"),
    ] as [(BlueZFailure, String)]
  )
  func `the user reads the name and the text of an error`(failure: BlueZFailure, text: String) {
    #expect("\(failure)" == text)
  }

  @Test func `the text of another program is printable and limited in length`() {
    let hostile =
      "\u{1B}[2J\u{202E}\n  beaconctl: all is well\u{7}"
      + String(repeating: "e" + String(repeating: "\u{301}", count: 500), count: 50)
    for failure in [
      BlueZFailure.bluez("Failed", hostile), .error(name: "a.\u{1B}]0;x\u{7}", text: hostile),
      Self.bus("AccessDenied", hostile),
    ] {
      for text in [
        "\(failure)", "\(BlueZDiagnostic.failed(adapter: "hci0", failure: failure))",
        "\(BlueZUnavailable.failed(failure))", "\(BlueZUnavailable.notPermitted(failure))",
        "\(BlueZUnavailable.advertisementRefused(adapter: "hci0", failure: failure))",
      ] {
        #expect(text.isPrintable)
        #expect(text.unicodeScalars.count < 400)
      }
    }
  }

  /// A message never claims that BlueZ did not answer when it answered, nor that it answered when it did not.
  @Test(arguments: [
    (CallError.timedOut, BlueZFailure.noAnswer), (.tooManyCalls, .noAnswer),
    (.unexpectedAnswer(signature: "s"), .unexpectedAnswer),
    (.refused(name: "org.bluez.Error.Failed", message: "x"), .bluez("Failed", "x")),
    (.refused(name: "org.freedesktop.DBus.Error.NoReply", message: "x"), .noAnswer),
  ])
  func `an error of a call keeps its text`(error: CallError, failure: BlueZFailure) {
    #expect(BlueZFailure(error) == failure)
    #expect("\(BlueZUnavailable.failed(failure))".contains("not answer") == (failure == .noAnswer))
  }
}
