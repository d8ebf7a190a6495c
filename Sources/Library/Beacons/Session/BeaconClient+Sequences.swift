// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconClient {
  /// Ranges beacons: a tick on each whole second of the timeline, beginning with the first whole second after ranging
  /// starts.
  ///
  /// Ranging starts when the iteration waits for its first tick and stops when the iterator is released: after a
  /// `break` no further tick is delivered (row R18). Without ticks, ``diagnostics`` has the reason.
  ///
  /// - Parameters:
  ///   - constraint: The beacons to range.
  ///   - region: A monitored region. Ranging continues only while the client is inside it. If several sequences range
  ///     one constraint, the sequence that started last decides.
  /// - Returns: The ticks, each with the constraint's beacons.
  public func ranging(
    satisfying constraint: IdentityConstraint,
    whileInside region: RegionIdentifier? = nil
  ) -> ClientSequence<RangingTick> {
    let (session, id, listeners) = (session, id, listeners)
    return sequence(
      "ranging",
      begin: { await session.startRanging(constraint, whileInside: region, for: id) },
      end: { hasBegun in
        if hasBegun { listeners.leave(.stopRanging(constraint, of: id)) }
      },
      isTick: { _ in true },
      pick: { message in
        guard case .delivery(let delivery, _) = message, case .ranged(let entries) = delivery.event,
          let entry = entries.first(where: { $0.constraint == constraint })
        else { return nil }
        return RangingTick(time: delivery.time, constraint: constraint, beacons: entry.beacons)
      }
    )
  }

  /// Events of the client's regions: crossings and states.
  public var regionEvents: ClientSequence<RegionEvent> {
    sequence("regionEvents") { message in
      guard case .delivery(let delivery, _) = message else { return nil }
      return RegionEvent(delivery)
    }
  }

  /// Changes of the client's authorization status or accuracy.
  public var authorizationChanges: ClientSequence<AuthorizationChange> {
    sequence("authorizationChanges") { message in
      guard case .delivery(let delivery, _) = message,
        case .authorization(let status, let accuracy) = delivery.event
      else { return nil }
      return AuthorizationChange(time: delivery.time, status: status, accuracy: accuracy)
    }
  }

  /// The prompts that are shown and withdrawn, for programs that answer them with ``answer(_:precise:)``.
  public var prompts: ClientSequence<PromptChange> {
    sequence("prompts", forPrompts: true) { message in
      guard case .delivery(let delivery, _) = message else { return nil }
      switch delivery.event {
      case .prompt(let prompt): return .shown(prompt, at: delivery.time)
      case .promptWithdrawn: return .withdrawn(at: delivery.time)
      default: return nil
      }
    }
  }

  /// Explanations of why something does not happen: conditions of the source, the requests or the session.
  ///
  /// Among them is everything that `beaconctl` writes to standard error about a client's files: files that were damaged and set
  /// aside, grants that became narrower, a newer version's file, a switch that cannot be read, a disk that is full.
  /// Notices that the session made before anyone listened are delivered first.
  public var diagnostics: ClientSequence<ClientDiagnostic> {
    sequence("diagnostics", forNotices: true, supersedes: { $1.supersedes($0) }) { message in
      switch message {
      case .notice(let notice): return notice
      case .tapped: return nil
      case .delivery(let delivery, _):
        switch delivery.event {
        case .diagnostic(let diagnostic): return .engine(diagnostic, at: delivery.time)
        case .failure(let code, let subject): return .failure(code, subject, at: delivery.time)
        default: return nil
        }
      }
    }
  }

  /// The notifications that the machine shows for the client, and those that the user taps.
  ///
  /// A program on a phone learns nothing of a notification before it is tapped; here the program shows it. With the
  /// engine of a service, the service's agent shows it, and only taps come: also the one that opened the program.
  public var notificationChanges: ClientSequence<NotificationChange> {
    sequence(
      "notificationChanges",
      begin: { [session, id] in if session.isRemote { await session.followTaps(of: id) } },
      pick: { message in
        switch message {
        case .delivery(let delivery, _):
          guard case .notification(let region) = delivery.event else { return nil }
          return .shown(region, at: delivery.time)
        case .tapped(let region, let time): return .tapped(region, at: time)
        case .notice: return nil
        }
      }
    )
  }

  /// Every delivery that the engine's gate lets through to the client.
  public var deliveries: ClientSequence<Delivery> {
    sequence(
      "deliveries",
      isTick: { delivery in
        if case .ranged = delivery.event { true } else { false }
      },
      pick: { message in
        guard case .delivery(let delivery, _) = message else { return nil }
        return delivery
      }
    )
  }

  /// Makes a sequence of the elements that a closure picks from the client's messages.
  func sequence<Element: Sendable>(
    _ name: String,
    forPrompts: Bool = false,
    forNotices: Bool = false,
    begin: @escaping @Sendable () async -> Void = {},
    end: @escaping @Sendable (Bool) -> Void = { _ in },
    supersedes: @escaping @Sendable (Element, Element) -> Bool = { _, _ in false },
    isTick: @escaping @Sendable (Element) -> Bool = { _ in false },
    pick: @escaping @Sendable (ClientMessage) -> Element?
  ) -> ClientSequence<Element> {
    let (id, listeners) = (id, listeners)
    return ClientSequence {
      let listener = BufferListener(
        listeners.makeBuffer(for: id, name),
        supersedes: supersedes,
        isTick: isTick,
        pick: pick
      )
      let line = listeners.connect(
        listener,
        to: id,
        forPrompts: forPrompts,
        forNotices: forNotices
      )
      return Iteration(listener.buffer, begin: begin) { hasBegun in
        listeners.cut(line)
        end(hasBegun)
      }
    }
  }
}
