// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconPlots
internal import Pages

/// The page with the picture of a region's or a beacon's signal, as `plot` draws it.
struct SignalsPage {
  /// The path of the page.
  static let path = "/signals"
  /// The argument of a request that chooses a region or a beacon.
  static let key = "of"

  /// The regions and beacons to choose from, with their names.
  let choices: [(region: RegionIdentifier, name: String)]
  /// The one that is shown.
  let chosen: RegionIdentifier?
  /// Its plot; `nil` for none.
  let plot: SignalPlot?
  /// The title of the picture.
  let title: String
  /// The zone of the clock.
  let zone: LocalZone
  /// What surrounds the picture, with the minute of the history that it is around.
  var surroundings = StatusPage.Surroundings()
  /// The present of the source.
  var now = Timestamp.earliest
  /// How many more regions and beacons there are, without a picture.
  var further = 0
  /// Whether the picture is for a narrow screen.
  var isNarrow = false
  /// The argument of a request for a narrow picture.
  static let narrowKey = "narrow"

  /// The page.
  var html: String {
    var page = LivePage()
    page.tabs = StatusPage.tabs(surroundings.past, surroundings.tabs)
    page.current = page.tabs[1].path
    page.controls = surroundings.timeControls
    page.attributes = surroundings.attributes(now)
    if let fault = surroundings.fault {
      page.view.element("p", [("role", "status")], fault.printable)
    }
    if choices.isEmpty {
      page.view.element(
        "p",
        [("class", "empty")],
        surroundings.past == nil
          ? "Nothing was received yet." : "The history has no beacon around this minute."
      )
    }
    page.view.open("ul", [("class", "choices"), ("aria-label", "Regions and beacons")])
    for choice in choices {
      let isChosen = choice.region == chosen
      page.view.open("li")
      page.view.element(
        "a",
        [("href", address(of: choice.region))] + (isChosen ? [("aria-current", "true")] : []),
        choice.name.printable
      )
      page.view.close("li")
    }
    page.view.close("ul")
    page.view.line()
    if further > 0 {
      page.view.element(
        "p",
        [("class", "soft")],
        "\(further) more are received or monitored, and have no picture: the nearest beacons have one."
      )
    }
    if let plot {
      page.view.markup(SignalPicture(of: plot, titled: title, zone, isNarrow: isNarrow).section)
    } else if !choices.isEmpty {
      page.view.element(
        "p",
        [("class", "empty")],
        "Nothing is known of this beacon or region: it was not received lately, or others are nearer."
      )
    }
    return page.html
  }

  /// The address of a region's page.
  private func address(of region: RegionIdentifier) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let minute = surroundings.past.map { "\(StatusPage.minuteKey)=\($0)&" } ?? ""
    var path = Array("\(Self.path)?\(minute)\(Self.key)=".utf8)
    for byte in region.rawValue.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F: path.append(byte)
      default: path += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: path, as: UTF8.self)
  }
}
