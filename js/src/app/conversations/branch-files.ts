// The files of a branch, each with the number by which models and tools know it.
import type { AttachedFile, EntryPart } from '../bridge/messages.js'
import { blobMediaType, blobRef } from './blobs.js'
import type { ConversationEntry } from './conversation-types.js'

/** At least so many digits of its SHA-256. */
const DIGITS = 6

/** A file that a person attached. A picture is one, too. */
export interface BranchFile extends Pick<AttachedFile, 'name' | 'mediaType' | 'bytes'> {
  /** By which models and tools name it: `file_3fa2c1`. */
  number: string
  /** Of its blob. */
  ref: string
}

/** By the SHA-256 of their bytes, in the order in which they were attached. */
export type BranchFiles = ReadonlyMap<string, BranchFile>

/**
 * Numbers the files of a branch: the shortest beginning of its SHA-256 that no file before it has. So a number stays
 * what it is, whatever is attached later.
 */
export function branchFiles(branch: readonly ConversationEntry[]): BranchFiles {
  const files = new Map<string, BranchFile>()
  const numbers = new Set<string>()
  for (const { parts = [] } of branch) {
    for (const part of parts) {
      const file = fileOf(part)
      const hash = file && hashOf(file.ref)
      if (hash === undefined || files.has(hash)) continue
      let digits = DIGITS
      while (numbers.has(hash.slice(0, digits))) digits++
      numbers.add(hash.slice(0, digits))
      files.set(hash, { ...(file as Omit<BranchFile, 'number'>), number: `file_${hash.slice(0, digits)}` })
    }
  }
  return files
}

/** The number of the file of a part. Undefined: it is not one that a person attached. */
export function fileOfPart(part: EntryPart, files: BranchFiles): BranchFile | undefined {
  const file = fileOf(part)
  const known = file && files.get(hashOf(file.ref))
  return known && { ...(file as Omit<BranchFile, 'number'>), number: known.number }
}

const hashOf = (ref: string): string => ref.slice(0, 64)

function fileOf(part: EntryPart): Omit<BranchFile, 'number'> | undefined {
  if ((part?.type !== 'image' && part?.type !== 'file') || !('url' in part)) return undefined
  const { url, name, bytes } = part as Partial<AttachedFile>
  const ref = blobRef(url)
  if (ref === undefined || bytes === undefined) return undefined
  const mediaType = part.type === 'file' ? part.mediaType : blobMediaType(ref)
  return { ref, mediaType, bytes, name: name ?? `picture.${ref.slice(65)}` }
}
