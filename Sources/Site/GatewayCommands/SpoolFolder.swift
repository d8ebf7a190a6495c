// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconGateway
internal import Beacons
internal import BrokerClient
internal import SystemKit

/// The folder in which a gateway keeps messages, unless the user names another one.
struct SpoolFolder {
  /// The folder.
  let path: String
  /// Where earlier versions had it; a gateway `c` of a site `a-b` and a gateway `b-c` of a site `a` had the same.
  private let earlier: String
  private let topics: SiteTopics

  /// Chooses the folder: one of the service's state, else one beside what the account keeps.
  init(_ topics: SiteTopics, _ environment: [String: String]) {
    let state = environment["STATE_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    let parent = state ?? ClientStore(environment: environment).directory
    // A name of a site or of a gateway has no such sign.
    path = "\(parent)/gateway-\(topics.gateway)@\(topics.site)"
    earlier = "\(parent)/gateway-\(topics.site)-\(topics.gateway)"
    self.topics = topics
  }

  /// Goes on with the folder of an earlier version, if it is this gateway's and no other process uses it.
  func carryOver() {
    guard FileStatus(path) == nil, FileStatus(earlier)?.isFolder ?? false, isOurs else { return }
    guard let lock = FileLock(earlier + "/lock") else { return }
    defer { withExtendedLifetime(lock) {} }
    do throws(SystemError) {
      try FileDescriptor.rename(earlier, to: path)
    } catch {
      return
    }
    // Another gateway may have used the folder, too: what it retains is not to be deleted.
    let kept = retained(in: path).filter { !isOfAnotherGateway($0) }
    _ = Spool.replace(path + "/topics", with: RetainedStates.bytes(of: kept))
  }

  private func retained(in folder: String) -> [String] {
    RetainedStates.topics(in: (try? WholeFile.read(folder + "/topics")) ?? [])
  }

  /// Whether this gateway used the earlier folder: it retained its status, or no other one can have had the folder.
  private var isOurs: Bool {
    retained(in: earlier).contains(topics.status)
      || !(topics.site.text + topics.gateway.text).contains("-")
  }

  private func isOfAnotherGateway(_ topic: String) -> Bool {
    topic.hasPrefix("beacons/\(SiteTopics.version)/")
      && !topic.hasPrefix(topics.ownPrefix)
      && !topic.hasPrefix(SiteTopics.prefix(topics.site) + "place/")
  }
}
