// What an app keeps with a conversation, beside what was said: how it is checked, changed, and written down.
import { SluiceError } from '../../engine/core/errors.js'
import { encode, flag, is, isObject, orNull, wrong, type Check } from '../../engine/core/options.js'
import type { ConversationChange, OwnMembers } from './conversation-types.js'

const MAX_BYTES = 64 * 1024
const MAX_TAGS = 16
const MAX_TAG = 64

const characters = (text: string): number => [...text].length
const isTag = (tag: unknown): boolean =>
  typeof tag === 'string' && tag !== '' && characters(tag) <= MAX_TAG && !/\p{Cc}/u.test(tag)

export const checkTags: Check = is(
  `an array of at most ${MAX_TAGS} tags of 1 to ${MAX_TAG} characters, no control characters`,
  (value) => Array.isArray(value) && value.length <= MAX_TAGS && value.every(isTag),
)

/** An object of JSON, of at most 64 KiB. */
export const checkApp: Check = (value, path) => {
  if (!isObject(value)) throw wrong(path, value, 'an object of JSON')
  const bytes = new TextEncoder().encode(encode(value, path)).length // a page has no Buffer
  if (bytes > MAX_BYTES)
    throw new SluiceError({
      code: 'limit',
      path,
      detail: `found ${bytes} bytes of JSON, expected at most ${MAX_BYTES}`,
    })
}

export const ownChecks = {
  app: orNull(checkApp),
  tags: checkTags,
  configuration: orNull(checkApp),
  seen: flag,
} satisfies { [member in keyof Required<OwnMembers>]: Check }

const names = Object.keys(ownChecks) as (keyof OwnMembers)[]

/** What of a change is the app's own, as a copy; undefined where nothing is. */
export function ownIn(change: ConversationChange): OwnChange | undefined {
  const given = Object.fromEntries(names.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])))
  return Object.keys(given).length > 0 ? (JSON.parse(JSON.stringify(given)) as OwnChange) : undefined
}

export type OwnChange = Pick<ConversationChange, keyof OwnMembers>

/** The members behind a change. What is null, empty or as by default is absent. */
export function withOwn(own: OwnMembers, change: OwnChange): OwnMembers {
  const all = { ...own, ...change }
  return {
    ...(all.app ? { app: all.app } : {}),
    ...(all.tags?.length ? { tags: [...new Set(all.tags)] } : {}),
    ...(all.configuration ? { configuration: all.configuration } : {}),
    ...(all.seen === false ? { seen: false } : {}),
  }
}

/** Whether a conversation with these tags has all of the others. */
export const hasTags = (tags: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  wanted.every((tag) => tags.includes(tag))

/** Reads what a store wrote: the members alone, or a whole conversation. */
export function readOwn(value: unknown): OwnMembers | undefined {
  return isObject(value) ? withOwn({}, value as OwnChange) : undefined
}
