// What an app gives a host, checked when it gives it.
import {
  flag,
  func,
  is,
  members,
  milliseconds,
  oneOf,
  orNull,
  record,
  text,
  whole,
  withMethods,
  wrong,
  type Check,
} from '../../engine/core/options.js'
import { checkApp, checkTags } from '../conversations/own-members.js'
import type { TurnOptions } from './host-types.js'

/** The options of every host, for those that take more. */
export const hostMembers = {
  run: func('that gives { model, … }'),
  system: is('a text, or a function (about) => text', (value) => ['string', 'function'].includes(typeof value)),
  prepareMs: milliseconds,
  begin: func('({ conversation, text }) => { title, tags, app }'),
  appView: func('(app, entry) => app'),
  goOn: text,
  contextTokens: whole(1),
  openExternal: func('(url) => void'),
  conversations: withMethods(
    'a store of conversations such as fileConversations(folder)',
    'list',
    'load',
    'save',
    'rename',
    'delete',
    'search',
    'export',
    'bytes',
  ),
  server: withMethods('{ current, use }', 'current', 'use'),
  titles: func('(turn) => string'),
  onTurn: func('(turn) => void'),
  onUnsaved: func('({ conversation, error }) => void'),
  configuration: record,
  onConfigure: func('(configuration) => void'),
  onEvent: func('(message, event) => void'),
  onPet: func('(capabilities) => void'),
  onPetFailure: func('(failure) => void'),
  cues: oneOf('now', 'spoken'),
  heard: oneOf('note', 'trim'),
  proactive: orNull(members({ members: { perDay: whole(0), date: func('() => Date') } })),
  speech: func('(text, signal) => AsyncIterable<Uint8Array>'),
  frameMs: milliseconds,
  approvalGraceMs: milliseconds,
  petReplyMs: milliseconds,
  maxTextLength: whole(0),
  keepMessages: whole(0),
  attachments: members({
    members: {
      types: is(
        'media types such as image/png or text/*',
        (value) => Array.isArray(value) && value.every((one) => /^[\w.+*-]+\/[\w.+*-]+$/.test(String(one))),
      ),
      maxBytes: whole(0),
      maxParts: whole(0),
      toModel: func("(file) => 'bytes', 'text' or 'name'"),
    },
  }),
  maxRunning: whole(0),
} satisfies { [member: string]: Check }

/** An Engine of either build of the package. */
export const checkEngine = withMethods('an Engine', 'run', 'describe', 'close')

export const checkOptions = members({ members: hostMembers, needs: ['run'] })

export const checkRights = members({
  members: { read: flag, chat: flag, approve: flag, configure: flag, server: flag, pet: flag },
})

/** What `mark` takes. */
export const checkMark = orNull(checkApp)

export const checkDescription = members({ members: { title: text, tags: checkTags, app: orNull(checkApp) } })

/** Checks what `run` gave. Its members are checked when the turn begins. */
export function checkTurn(turn: unknown): asserts turn is TurnOptions {
  if (typeof turn !== 'object' || turn === null) throw wrong('run()', turn, '{ model, … }')
}
