// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The constants by which exit times are learned, except their target and bounds.
///
/// The configuration schema (`region.learning…`) lists them with their ranges and reasons.
package struct IntervalModel: Sendable, Hashable {
  /// How many of a period's longest gaps count: 24.
  ///
  /// In twelve hours two or three gaps may be longer than the exit time. A prediction from ten times as many varies by
  /// a third of the mean excess; one from more would predict long gaps from such as are not yet typical of them.
  package var longestKept = 24
  /// The smallest number of gaps from which a longer one is predicted: 4; a prediction from fewer is random.
  package var fewestGaps = 4
  /// The shortest time that counts as a gap: 20 ms, the shortest advertising interval (Core 5.3, Vol 6, Part B,
  /// 4.4.2.2).
  package var shortestGap = TimeSpan.milliseconds(20)
  /// The number of gaps from which the advertising interval is estimated: 8.
  ///
  /// At least one of them is a single interval, even when seven of ten packets are lost (in 94 of 100 cases).
  package var firstGaps = 8
  /// How many gaps in succession must be longer than the interval until it is estimated again: 24.
  ///
  /// At a loss of one half that happens by chance once in ten million gaps.
  package var longerGaps = 24
  /// How many gaps of the interval outweigh one that is too short for it: 16; if more are too short, the estimate was
  /// two intervals.
  package var shorterWeight = 16
  /// The weight of gaps that are too short at which the interval is estimated again: 128, eight such gaps.
  package var shorterLimit = 128
  /// How many times a learned interval is a new one, outside of the statistics: 1.25.
  package var slower = 1.25
  /// By how much a new interval is longer at least: 150 ms.
  ///
  /// Packets that are delivered up to 100 ms late make the interval of a fast beacon seem longer by that much.
  package var slowerBy = TimeSpan.milliseconds(150)
  /// The presence between two fits: 60 s; a fit takes about 1 µs, and the result changes over minutes.
  package var refresh = TimeSpan.seconds(60)
  /// The presence in a period: 16 h.
  ///
  /// Two periods span a day, so a beacon that sends slowly at night is still known to do so in the next evening.
  package var memory = TimeSpan.seconds(16 * 3600)
  /// The share of the target rate that the fit aims for: 0.8.
  ///
  /// Gaps vary, and a time that is too short causes more additional false exits than one that is too long avoids.
  package var aim = 0.8
  /// How fast gaps are assumed to thin out beyond the longest one until the presence is long enough: 1 s to one e-th.
  package var assumedRun = TimeSpan.seconds(1)
  /// The part of an interval by which the exit time ends after a packet is due: a quarter.
  ///
  /// It covers the advertising delay of several intervals, drift, and packets that are delivered late.
  package var marginPart = 0.25
  /// The longest such part: 1 s, ten times as late as a busy host delivers.
  package var longestMargin = TimeSpan.seconds(1)
  /// The addition to it: 50 ms, the delay of a busy host.
  package var shortestMargin = TimeSpan.milliseconds(50)
  /// From which share of the cap on the exit time is the cap: 0.8.
  ///
  /// So close to the cap gaps beyond it were not learned, so the prediction is too short.
  package var capShare = 0.8
  /// How many times longer the silences of several beacons are observed before they are used: 3.
  ///
  /// The beacons' phases drift, so such silences vary more than one beacon's; until then each beacon's own time holds.
  package var commonHold = 3.0
  /// How many times the wanted rate the rate expected at the cap must be before a longer cap counts as needed: 2.
  package var needFactor = 2.0
  /// How many gaps beyond the cap must be expected before their absence shows that no longer cap is needed: 3.
  package var expectedBeyond = 3.0

  /// How many silences beyond the cap must fit until they count as rests: 8.
  ///
  /// Of absences of random lengths at most one in five is about as long as another, so eight in excess of the others are
  /// rarer than once in 10,000 absences.
  package var rests = 8
  /// The longest silence that can be a rest after any presence: a minute.
  package var shortRest = TimeSpan.seconds(60)
  /// The longest silence that can be a rest: half an hour, three times the slowest bursts of beacons that save energy.
  package var longestRest = TimeSpan.seconds(1800)
  /// The longest silence that can be a rest although no other one is alike: four minutes, if the presence before it was
  /// shorter.
  package var unevenRest = TimeSpan.seconds(240)
  /// How many times longer than another a rest may be and be as usual: 1.1; a clock keeps its time, and a lost packet
  /// makes a rest longer by a second or two.
  package var restSpread = 1.1

  package init() {}
}
