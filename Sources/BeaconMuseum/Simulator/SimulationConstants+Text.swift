// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension SimulationConstants {
  /// The constants as they come with the module: JSON5, so that it stays free of resources.
  ///
  /// A source that begins with "assumed" is a number nobody measured for us; the credibility table of
  /// `tools/bench simulator` says what follows from all of them together.
  static let text = """
    {
      link: {
        powerAtOneMeter: { value: -59, unit: "dBm", source: "Blue Charm, table of transmit power against RSSI at 1 m, row 0 dBm" },
        exponent: { value: 2.4, source: "Marolf 2.415 +- 0.128 in a living room; between Strzoda's open indoor 2.03 (our fit) and ESPresense's 2.7" },
        nearestDistance: { value: 0.3, unit: "m", source: "assumed: the far field's law does not hold nearer" },
        beaconDeviation: { value: 2, unit: "dB", source: "assumed: spread of transmit power among beacons of a batch" },
        receiverDeviation: { value: 3, unit: "dB", source: "ESPresense, receiver adjustments of boards" },
        wallLoss: { value: 6.9, unit: "dB", source: "COST-231 multi-wall model, heavy wall" },
        shadowDeviation: { value: 4, unit: "dB", source: "Oestges 2010, indoor 2.4 GHz, 3 to 4 dB" },
        shadowDistance: { value: 2, unit: "m", source: "assumed within 1 to 3 m; the exponential form with a floor is Jeon 2010" },
        shadowFloor: { value: 0.1, source: "Jeon 2010: the correlation does not fall to nothing; the value is assumed" },
        lineOfSightFactor: { value: 6, unit: "dB", source: "assumed: Rician K with line of sight" },
        obstructedFactor: { value: 0, unit: "dB", source: "assumed: Rician K behind a wall or the own body" },
        fadingMean: { value: 0.96, unit: "dB", source: "-(10 / ln 10) (ln(K / (K + 1)) + E1(K)) for K 6 dB: what fading takes from a mean of dB in line of sight, which the power at 1 m was measured with" },
        fadingDistance: { value: 0.031, unit: "m", source: "a quarter of the wave length at 2.44 GHz: fades repeat each half of it, 6.1 cm" },
        swaySpeed: { value: 0.02, unit: "m/s", source: "assumed: how much a person who stands moves the receiver and is moved around" },
        readingDeviation: { value: 1, unit: "dB", source: "assumed: noise of the reading itself, before it is rounded to 1 dB" },
        bodyLossLeast: { value: 5, unit: "dB", source: "assumed: own body, facing away, lower bound over visitors" },
        bodyLossMost: { value: 10, unit: "dB", source: "assumed: own body, facing away, upper bound over visitors" },
        personLoss: { value: 4, unit: "dB", source: "assumed: another person in the line of sight" },
        crowdLossMost: { value: 16.5, unit: "dB", source: "Al-Madinah mosque measurements: the most that a crowd took" },
        personRadius: { value: 0.3, unit: "m", source: "assumed: half a person's breadth with arms" },
      },
      reception: {
        sensitivity: { value: -97, unit: "dBm", source: "half of the packets are decoded; assumed so low that Strzoda's mean of -90.8 dBm at 16 m can be: at -93 the heard ones are stronger" },
        slope: { value: 1.5, unit: "dB", source: "assumed: steepness of the logistic around the sensitivity" },
        delivered: { value: 0.77, source: "RE.S.I.STO, Sensors 2021, 21, 7089: 77 % of the packets collected" },
        goodRun: { value: 0.9, source: "assumed: share delivered outside loss bursts (Gilbert-Elliott)" },
        badRun: { value: 0.1, source: "assumed: share delivered within loss bursts (Gilbert-Elliott)" },
        badRunLength: { value: 3, unit: "s", source: "assumed: mean length of a loss burst" },
        packetTime: { value: 0.000368, unit: "s", source: "46 bytes at 1 Mbit/s: an iBeacon with preamble, address, header and checksum" },
        scanInterval: { value: 0.1, unit: "s", source: "assumed: how long the receiver stays on each of the three channels" },
      },
      timing: {
        interval: { value: 0.35, unit: "s", source: "the museum's beacons" },
        delay: { value: 0.01, unit: "s", source: "Core 5.3, Vol 6, Part B, 4.4.2.2.1: advDelay, 0 to 10 ms" },
        staleStep: { value: 8, unit: "dB", source: "BlueZ src/device.c RSSI_THRESHOLD: smaller changes are not told without RSSI in the filter" },
      },
      visitors: {
        stopLogMean: { value: 2.833, source: "ln 17: median viewing time 17 s, Smith and Smith 2001" },
        stopLogDeviation: { value: 0.970, source: "sqrt(2 ln(27.2 / 17)): mean 27.2 s, Smith and Smith 2001" },
        pairs: { value: 0.193, source: "share in company of one other, Smith and Smith 2001 as cited" },
        threes: { value: 0.033, source: "share in company of two others, Smith and Smith 2001 as cited" },
        slowest: { value: 0.5, unit: "m/s", source: "assumed: walking between exhibits" },
        fastest: { value: 1.0, unit: "m/s", source: "assumed: walking between exhibits" },
        standNearest: { value: 0.8, unit: "m", source: "assumed: how near one stands to look" },
        standFarthest: { value: 1.6, unit: "m", source: "assumed: how far off one stands to look" },
        restLogMean: { value: 5.9, source: "assumed: median stay of 6 min in a room without exhibits" },
        restLogDeviation: { value: 0.5, source: "assumed" },
        rests: { value: 0.3, source: "assumed: share who sit down in a room without exhibits" },
        ants: { value: 0.3, source: "Veron and Levasseur 1983, the four kinds; the shares are assumed" },
        butterflies: { value: 0.3, source: "as above" },
        fish: { value: 0.2, source: "as above" },
        openHours: { value: 7, unit: "h", source: "assumed: arrivals from 10:00 to 17:00, most in the middle" },
      },
    }
    """
}
