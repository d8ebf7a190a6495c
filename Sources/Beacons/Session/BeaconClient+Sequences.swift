// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconClient {
  /// Ranges beacons: a tick on each whole second of the timeline, the first on the first whole second after it begins.
  ///
  /// Ranging begins when the first tick is waited for and stops when the iteration is dropped: after the `break` no
  /// further tick is told (row R18). Why there are no ticks is told by ``diagnostics``.
  ///
  /// - Parameters:
  ///   - constraint: The beacons.
  ///   - region: A monitored region that must be inside for ranging to go on; of several sequences of one constraint
  ///     the last that begins decides.
  /// - Returns: The ticks, with the constraint's beacons.
  public func ranging(
    satisfying constraint: IdentityConstraint,
    whileInside region: RegionIdentifier? = nil
  ) -> ClientSequence<RangingTick> {
    let (session, id, listeners) = (session, id, listeners)
    return sequence(
      begin: { await session.startRanging(constraint, whileInside: region, for: id) },
      end: { hasBegun in
        if hasBegun { listeners.leave(.stopRanging(constraint, of: id)) }
      },
      pick: { message in
        guard case .delivery(let delivery, _) = message, case .ranged(let entries) = delivery.event,
          let entry = entries.first(where: { $0.constraint == constraint })
        else { return nil }
        return RangingTick(time: delivery.time, beacons: entry.beacons)
      }
    )
  }

  /// What becomes of the regions it monitors: crossings, and states.
  public var regionEvents: ClientSequence<RegionEvent> {
    sequence { message in
      guard case .delivery(let delivery, _) = message else { return nil }
      return RegionEvent(delivery)
    }
  }

  /// Changes of its status or accuracy.
  public var authorizationChanges: ClientSequence<AuthorizationChange> {
    sequence { message in
      guard case .delivery(let delivery, _) = message,
        case .authorization(let status, let accuracy) = delivery.event
      else { return nil }
      return AuthorizationChange(time: delivery.time, status: status, accuracy: accuracy)
    }
  }

  /// The prompts that show and are withdrawn, for who answers them by ``answer(_:precise:)``.
  public var prompts: ClientSequence<PromptChange> {
    sequence(forPrompts: true) { message in
      guard case .delivery(let delivery, _) = message else { return nil }
      switch delivery.event {
      case .prompt(let prompt): return .shown(prompt, at: delivery.time)
      case .promptWithdrawn: return .withdrawn(at: delivery.time)
      default: return nil
      }
    }
  }

  /// Why something does not happen: conditions of the source, of requests, of the session.
  ///
  /// What the session itself found before anybody listened is told first.
  public var diagnostics: ClientSequence<ClientDiagnostic> {
    sequence(forNotices: true, supersedes: { $1.supersedes($0) }) { message in
      switch message {
      case .notice(let notice): return notice
      case .delivery(let delivery, _):
        switch delivery.event {
        case .diagnostic(let diagnostic): return .engine(diagnostic, at: delivery.time)
        case .failure(let code, let subject): return .failure(code, subject, at: delivery.time)
        default: return nil
        }
      }
    }
  }

  /// Everything it is told, as the engine's gate let it through.
  public var deliveries: ClientSequence<Delivery> {
    sequence { message in
      guard case .delivery(let delivery, _) = message else { return nil }
      return delivery
    }
  }

  /// Makes a sequence of what is picked from the client's messages.
  func sequence<Element: Sendable>(
    forPrompts: Bool = false,
    forNotices: Bool = false,
    isDetached: Bool = false,
    begin: @escaping @Sendable () async -> Void = {},
    end: @escaping @Sendable (Bool) -> Void = { _ in },
    supersedes: @escaping @Sendable (Element, Element) -> Bool = { _, _ in false },
    pick: @escaping @Sendable (ClientMessage) -> Element?
  ) -> ClientSequence<Element> {
    let (id, listeners) = (id, listeners)
    return ClientSequence {
      let listener = BufferListener(
        listeners.makeBuffer(isDetached: isDetached),
        supersedes: supersedes,
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
