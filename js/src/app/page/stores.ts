// What file-conversations.ts and sqlite-conversations.ts are in a page: it has no files.
import { SluiceError } from '../../engine/core/errors.js'
import type { Conversations } from '../conversations/conversation-types.js'

const none = (what: string): never => {
  throw new SluiceError({
    code: 'unsupported',
    detail: `found ${what}, and a page has no files`,
    hint: 'use memoryConversations(), or a store of your own',
  })
}

export const fileConversations = (_folder: string): Conversations => none('fileConversations()')
export const sqliteConversations = (_database: unknown): Conversations => none('sqliteConversations()')
