// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import Lobby

try await watchLobby(CaptureSource(path: CommandLine.arguments[1])) { print($0) }
