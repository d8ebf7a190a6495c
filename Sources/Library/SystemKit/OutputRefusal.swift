// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why a run may not write a file.
package enum OutputRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// The run reads the file.
  case isInput(path: String, input: String)
  /// Another output of the run goes to the file.
  case isOutput(path: String, other: String)
  /// Another output of the run needs the name until it is complete.
  case isBeside(path: String, other: String)
  /// The file exists and has content.
  case exists(path: String)
  /// Another output of the run goes to the same stream of the process.
  case isStream(path: String, other: String)
  /// A recording should continue in the file, or rename it, but the file is not a recording. The latter is never replaced.
  case isNoRecording(path: String, canReplace: Bool = true)
  /// Another process records to the file.
  case isRecorded(path: String)
  /// A file is wanted, but there is a folder.
  case isFolder(path: String)
  /// A file is wanted, but there is a disk, whose content would be lost.
  case isDisk(path: String)
  /// Another account owns the file, or the link that has its name: it could read the output. Some can be replaced.
  case isForeign(path: String, owner: UInt32, canReplace: Bool = false)
  /// Another account owns a link on the way to the file.
  case leadsElsewhere(path: String, link: String, owner: UInt32)
  /// Another account owns the file that is to be changed.
  case isOfAnother(path: String, owner: UInt32)
  /// The program keeps a file under this name, and the file there is another one.
  case isNotOwn(path: String)
  /// A folder is wanted, but there is a file.
  case isNoFolder(path: String, file: String)
  /// The folder of the file does not exist.
  case noFolder(path: String, folder: String)
  /// The file that shows who uses others cannot be opened now.
  case cannotLock(SystemError)
  /// The run itself keeps the file, in a folder that the user named.
  case isInFolder(path: String, folder: String)

  package var description: String {
    switch self {
    case .isInput(let path, let input) where input == path:
      "'\(path)' cannot be both read and written; name another file for the output"
    case .isInput(let path, let input):
      "'\(path)' is '\(input)' and cannot be both read and written; name another file for the output"
    case .isOutput(let path, let other) where other == path:
      "'\(path)' is named for two outputs; give each a file of its own"
    case .isOutput(let path, let other):
      "'\(path)' is the file of another output, '\(other)'; give each a file of its own"
    case .isBeside(let path, let other):
      "'\(path)' is a name with which the output '\(other)' is written; name another file"
    case .isStream(let path, let other) where other == path:
      "'\(path)' is named for two outputs; name a file for one of them"
    case .isStream(let path, let other):
      "'\(path)' is \(other), to which another output goes; name a file for one of them"
    case .exists(let path):
      "'\(path)' exists and was left as it is; name another file, or replace it with --force"
    case .isNoRecording(let path, let canReplace):
      "'\(path)' exists, is no recording of this program, and was left as it is;"
        + " name another file" + (canReplace ? ", or replace it with --force" : "")
    case .isRecorded(let path):
      "another process records to '\(path)'; name another file"
    case .isFolder(let path): "'\(path)' is a folder; name a file in it"
    case .isDisk(let path): "'\(path)' is a disk and was left as it is; name a file"
    case .isForeign(let path, let owner, let canReplace):
      "'\(path)' belongs to another account (\(owner)), which could read the output;"
        + " name another file" + (canReplace ? ", or replace it with --force" : "")
    case .leadsElsewhere(let path, let link, let owner):
      "'\(path)' leads through '\(link)', a link of another account (\(owner)), and was left as it is;"
        + " name the place to which it leads, or another one"
    case .isOfAnother(let path, let owner):
      "'\(path)' belongs to another account (\(owner)) and was left as it is; change it as that account"
    case .isNotOwn(let path):
      "'\(path)' is not a file of this program and was left as it is; name another folder, or rename it"
    case .isNoFolder(let path, let file) where file == path:
      "'\(path)' is a file, and a folder is wanted; name a folder, which may not exist yet"
    case .isNoFolder(let path, let file):
      "'\(path)' cannot be a folder, since '\(file)' is a file; name another folder"
    case .noFolder(let path, let folder):
      "the folder '\(folder)' of '\(path)' does not exist; make it first, or name another one"
    case .cannotLock(let error): "\(error)"
    case .isInFolder(let path, let folder):
      "'\(path)' is a file that the run itself keeps in '\(folder)'; name another file"
    }
  }
}
