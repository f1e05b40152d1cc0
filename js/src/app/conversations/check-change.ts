// What a store checks before it saves: ids, titles, entries, changes.
import { SluiceError } from '../../engine/core/errors.js'
import { array, encode, flag, is, members, record, text, whole, wrong, type Check } from '../../engine/core/options.js'
import { isRef } from './blobs.js'
import type { ConversationChange, ConversationEntry } from './conversation-types.js'
import { checkApp, ownChecks, ownIn, type OwnChange } from './own-members.js'

const MAX_ID = 200
const MAX_TITLE = 200

const id = is(
  `an id of 1 to ${MAX_ID} characters, no control characters`,
  (value) => typeof value === 'string' && value !== '' && value.length <= MAX_ID && !/\p{Cc}/u.test(value),
)
const entryShape: { [member in keyof Required<ConversationEntry>]: Check } = {
  id,
  parent: is('the id of an entry, or null', (value) => value === null || typeof value === 'string'),
  at: whole(0),
  role: is("'user' or 'assistant'", (value) => value === 'user' || value === 'assistant'),
  text,
  parts: array,
  message: record,
  history: array,
  state: text,
  heard: record,
  first: flag,
  app: checkApp,
}
const needs = ['id', 'parent', 'at', 'role']
const checkPlain = members({ members: entryShape, needs })
const checkStored = members({ members: { ...entryShape, encrypted: text }, needs })
const checkBlobs: Check = (value, path) => {
  array(value, path)
  for (const [index, blob] of (value as unknown[]).entries()) {
    members({
      members: {
        ref: is('a ref such as pictureBlob() makes', isRef),
        bytes: is('a Uint8Array', (bytes) => bytes instanceof Uint8Array),
      },
      needs: ['ref', 'bytes'],
    })(blob, `${path}[${index}]`)
  }
}
/** Throws SluiceError `option` if this is no change, whatever its entries are. */
export const checkChangeShape = members({ members: { entries: array, head: id, blobs: checkBlobs, ...ownChecks } })
/** The same of a change whose `app` is encrypted, and longer than it was. */
const checkEncryptedShape = members({
  members: { entries: array, head: id, blobs: checkBlobs, ...ownChecks, app: record, configuration: record },
})

export const checkId = (value: unknown): void => id(value, 'id')

export function checkTitle(title: unknown): void {
  text(title, 'title')
  if ((title as string).length > MAX_TITLE)
    throw new SluiceError({
      code: 'option',
      path: 'title',
      detail: `found ${(title as string).length} characters, expected at most ${MAX_TITLE}`,
    })
}

/** Checks the id of an entry to delete; undefined deletes the whole conversation. */
export const checkEntryId: Check = (value) => value === undefined || id(value, 'entry')

/** Throws SluiceError `option` if this is not an entry. */
export const checkEntry: Check = (value, path) => {
  const unknown = (at: string | undefined): SluiceError =>
    new SluiceError({
      code: 'option',
      detail: 'unknown member',
      path: at,
      hint: 'did you mean app? What is your own has its place there',
    })
  try {
    checkPlain(value, path)
  } catch (error) {
    if (!SluiceError.is(error) || error.detail !== 'unknown member' || error.hint !== undefined) throw error
    throw unknown(error.path)
  }
  // Options take `x-…` of anybody. An entry does not: it is kept, and what is kept of an app has a place and a limit.
  const own = Object.keys(value as ConversationEntry).find((name) => name.startsWith('x-'))
  if (own !== undefined) throw unknown(`${path}.${own}`)
}

/** The same of an entry that a store reads, or is given encrypted. */
export const checkStoredEntry: Check = checkStored

/** A checked change. */
export interface Checked {
  entries: ConversationEntry[]
  /** The entries as JSON. */
  bodies: string[]
  /** The new end of the shown branch; undefined keeps it. */
  head: string | undefined
  /** What of the app's own members changes; undefined: nothing. */
  own: OwnChange | undefined
  /** Nothing else changes: the conversation keeps its place in a list. */
  isOwnAlone: boolean
}

/**
 * Checks a change. Throws SluiceError `option` if it does not fit the entries that are there. `parentOf` gives the
 * parent of a known entry (an id or null), and undefined for an unknown one. `encrypted`: texts in it are encrypted.
 */
export function checkChange(
  change: ConversationChange,
  parentOf: (id: string) => string | null | undefined,
  encrypted = false,
): Checked {
  if (encrypted) checkEncryptedShape(change, 'change')
  else checkChangeShape(change, 'change')
  const { entries = [] } = change
  const fresh = new Map<string, string | null>()
  const known = (one: string): string | null | undefined => (fresh.has(one) ? fresh.get(one) : parentOf(one))
  let last: string | undefined
  const bodies = entries.map((entry, index) => {
    const path = `change.entries[${index}]`
    if (encrypted) checkStoredEntry(entry, path)
    else checkEntry(entry, path)
    const before = known(entry.id)
    if (before !== undefined && before !== entry.parent)
      throw wrong(`${path}.parent`, entry.parent, `${JSON.stringify(before)}, which it has`)
    if (before === undefined) {
      if (entry.parent !== null && known(entry.parent) === undefined)
        throw wrong(`${path}.parent`, entry.parent, 'null, or an entry that is there')
      fresh.set(entry.id, entry.parent)
      last = entry.id
    }
    return encode(entry, path)
  })
  const head = change.head ?? last
  if (head !== undefined && known(head) === undefined) throw wrong('change.head', head, 'an entry that is there')
  const own = ownIn(change)
  return { entries, bodies, head, own, isOwnAlone: own !== undefined && entries.length === 0 && head === undefined }
}
