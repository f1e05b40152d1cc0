// What conversations/files.ts and conversations/sqlite.ts are in a page: it has no files.
import { SluiceError } from '../../engine/core/errors.js'
import type { Conversations } from '../conversations/conversation-types.js'

const none = (what: string): never => {
  throw new SluiceError({ code: 'unsupported', detail: `found ${what}, and a page has no files`, hint: 'use memory(), or a store of your own' })
}

export const files = (_folder: string): Conversations => none('files()')
export const sqlite = (_database: unknown): Conversations => none('sqlite()')
