// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The fixed texts of the report in one language; its English phrases show what each is for.
package struct ReportPhrases: Phrases {
  /// The language's tag.
  package let language: String
  /// The English text: To the report.
  package let skip: String
  /// The English text: The recordings hold no visit.
  package let noVisits: String
  /// The English text: A visit: {0}.
  package let oneTitle: String
  /// The English text: Visits: {0}.
  package let manyTitle: String
  /// The English text: Parts of the report.
  package let parts: String
  /// The English text: Where the time went.
  package let timeWent: String
  /// The English text: By the clock.
  package let byClock: String
  /// The English text: The day.
  package let theDay: String
  /// The English text: Scarf.
  package let scarf: String
  /// The English text: Room to room.
  package let roomToRoom: String
  /// The English text: Not reached, not known.
  package let notReached: String
  /// The English text: No visit.
  package let noVisit: String
  /// The English text: 1 visit.
  package let oneVisit: String
  /// The English text: {0} visits.
  package let manyVisits: String
  /// The English text: {0} to {1}.
  package let range: String
  /// The English text: Length of the visit.
  package let length: String
  /// The English text: Exhibits visited.
  package let seen: String
  /// The English text: {0} of {1}.
  package let ofAll: String
  /// The English text: Time in front of exhibits.
  package let before: String
  /// The English text: Rooms seen.
  package let roomsSeen: String
  /// The English text: Visits.
  package let visits: String
  /// The English text: Median length.
  package let medianLength: String
  /// The English text: Exhibits visited, median.
  package let medianSeen: String
  /// The English text: Saw more than half.
  package let diligent: String
  /// The English text: Most at one moment.
  package let atOnce: String
  /// The English text: What the words mean.
  package let words: String
  /// The English text: Visit to an exhibit.
  package let wordVisit: String
  /// The English text starts: The visitor stood in front of it for at least 5 s ….
  package let meansVisit: String
  /// The English text: Attraction.
  package let attraction: String
  /// The English text starts: Visitors who stopped, of those who were in the exh ….
  package let meansAttraction: String
  /// The English text: Holding.
  package let holding: String
  /// The English text starts: Mean visit, as a share of the time that the curato ….
  package let meansHolding: String
  /// The English text: Again (re-attraction).
  package let wordAgain: String
  /// The English text: Visits after the first by the same visitor, for each first visit.
  package let meansAgain: String
  /// The English text: Proximity.
  package let proximity: String
  /// The English text starts: Immediate is within about half a meter, near withi ….
  package let meansProximity: String
  /// The English text starts: Visitors who stopped at more than half of the exhi ….
  package let meansDiligent: String
  /// The English text: Few.
  package let wordFew: String
  /// The English text starts: Figures about one to four visitors are withheld, s ….
  package let meansFew: String
  /// What made the page, and that it is self-contained.
  package let made: String
  /// The English text: No entries.
  package let noEntries: String
  /// The English text: about fewer than 5 visitors: withheld.
  package let fewHelp: String
  /// The English text: few.
  package let few: String
  /// The English text: nobody.
  package let nobody: String
  /// The English text: The visit by the clock.
  package let clockTitle: String
  /// The English text: Times of day are in {0}.
  package let zone: String
  /// The English text: Rooms, exhibits and proximity over the visit.
  package let clockChart: String
  /// The English text: Room.
  package let room: String
  /// The English text: Exhibit.
  package let exhibit: String
  /// The English text: Every stay, in order.
  package let stays: String
  /// The English text: From.
  package let from: String
  /// The English text: time of day.
  package let fromHelp: String
  /// The English text: No.
  package let number: String
  /// The English text: Time.
  package let time: String
  /// The English text: minutes and seconds.
  package let timeHelp: String
  /// The English text: Mostly.
  package let mostly: String
  /// The English text: the proximity of most of the time.
  package let mostlyHelp: String
  /// The English text: No stay in front of an exhibit was recognized.
  package let noStay: String
  /// The English text starts: A disc’s area is the time spent in front of the ex ….
  package let planOne: String
  /// The English text starts: A disc’s area is the time that all visitors togeth ….
  package let planMany: String
  /// The English text: The plan draws no rooms.
  package let noDrawing: String
  /// The English text: Level {0}.
  package let level: String
  /// The English text: {0}: time in front of each exhibit.
  package let planChart: String
  /// The caption of a drawing; {0} is its floor.
  package let planNumbers: String
  /// The English text: withheld.
  package let withheld: String
  /// The English text: Time in front of each exhibit.
  package let planTableOne: String
  /// The English text: Time in front of each exhibit, all visitors together.
  package let planTableMany: String
  /// The English text: Every exhibit was visited.
  package let allVisited: String
  /// The English text: Visited by nobody: {0}.
  package let byNobody: String
  /// The English text: Rooms.
  package let rooms: String
  /// The English text: Visitors.
  package let visitors: String
  /// The English text: Never there.
  package let neverThere: String
  /// The English text: share of the visits that never reached it.
  package let neverHelp: String
  /// The English text: Median time.
  package let medianTime: String
  /// The English text: of those who were there.
  package let medianTimeHelp: String
  /// The English text starts: Beacons that are not in the plan: {0}, the most fr ….
  package let strangersMany: String
  /// The English text: Beacons that are not in the plan: {0}.
  package let strangers: String
  /// The English text: Beacon.
  package let beacon: String
  /// The English text: Reports.
  package let reports: String
  /// The English text: Every received beacon is in the plan.
  package let noStrangers: String
  /// The English text: The visit as a scarf.
  package let scarfOne: String
  /// The English text: Visits as scarves.
  package let scarfMany: String
  /// The English text starts: From entrance to exit: pale in a room, strong in f ….
  package let scarfOneText: String
  /// The English text starts: Each row is a visit from its own start, the longes ….
  package let scarfManyText: String
  /// The English text starts: Rows of single visits would show what the tables w ….
  package let scarfWithheld: String
  /// The English text: Scarf plot of {0}.
  package let scarfChart: String
  /// The English text: {0} min.
  package let minutes: String
  /// The English text: Visitors in each room, by minutes since they came.
  package let roomsByMinute: String
  /// The English text: Minute.
  package let minute: String
  /// The English text: still there; in a room: for any part of the time until the next row.
  package let stillThere: String
  /// The English text: The days.
  package let theDays: String
  /// The English text: The day, by quarter of an hour.
  package let dayQuarters: String
  /// The English text starts: The visits span more than a week, so they are show ….
  package let longSpan: String
  /// The English text starts: Above, visitors who were there in each {0}, with t ….
  package let dayText: String
  /// The English text: quarter of an hour.
  package let quarter: String
  /// The English text: day.
  package let day: String
  /// The English text: {0} days.
  package let days: String
  /// The English text: Visitors by {0}, in all and in each room.
  package let dayChart: String
  /// The key of the chart of the day.
  package let dayKey: String
  /// The English text: Visitors by {0}.
  package let dayTable: String
  /// The English text: there for any part of it.
  package let dayHelp: String
  /// The English text: Most.
  package let most: String
  /// The English text: at the same time.
  package let mostHelp: String
  /// The English text: Exhibits.
  package let exhibits: String
  /// The English text: Which exhibits attracted and held visitors.
  package let exhibitTitle: String
  /// The English text starts: Each bar shows the middle half of the visits, from ….
  package let exhibitText: String
  /// The English text: Dwell quartiles and proximity of each exhibit.
  package let exhibitChart: String
  /// The English text: Minutes and seconds; numbers and names as in the table.
  package let exhibitKey: String
  /// The English text: Every exhibit.
  package let everyExhibit: String
  /// The English text: visitors who stood in front of it for at least 5 s.
  package let visitorsHelp: String
  /// The English text: visitors who stopped, of those who were in its room.
  package let attractionHelp: String
  /// The English text: stays of at least 5 s in front of it.
  package let visitsHelp: String
  /// The English text: Median.
  package let median: String
  /// The English text: half of the visits were shorter.
  package let medianHelp: String
  /// The English text: Quartiles.
  package let quartiles: String
  /// The English text: a quarter was shorter, a quarter longer.
  package let quartilesHelp: String
  /// The English text: 90 %.
  package let ninety: String
  /// The English text: nine in ten were shorter.
  package let ninetyHelp: String
  /// The English text: mean visit, as a share of the time that the plan gives for it.
  package let holdingHelp: String
  /// The English text: Again.
  package let again: String
  /// The English text: re-attraction: visits after the first, for each first visit.
  package let againHelp: String
  /// The English text: Imm.
  package let immediate: String
  /// The English text: share of the time at immediate proximity.
  package let immediateHelp: String
  /// The English text: Near.
  package let near: String
  /// The English text: share of the time at near proximity.
  package let nearHelp: String
  /// The English text: Far.
  package let far: String
  /// The English text: share of the time at far proximity.
  package let farHelp: String
  /// The English text: From room to room.
  package let flowTitle: String
  /// The English text starts: The wider an arrow, the more often visitors went t ….
  package let flowText: String
  /// The English text: Transitions between rooms.
  package let flowChart: String
  /// The English text: To.
  package let to: String
  /// The English text: Steps.
  package let steps: String
  /// The English text: The most frequent transitions between exhibits.
  package let flowExhibits: String
  /// The English text: The most frequent ways through the rooms.
  package let ways: String
  /// The English text: Way.
  package let way: String
  /// The English text: no room.
  package let noRoom: String
  /// The English text: other ways.
  package let otherWays: String
  /// The English text: Ways of fewer than 5 visitors are not listed.
  package let hiddenSteps: String
}
