// The methods that a window may call: the right each needs, the check of its input, and what it does.
import type { ConversationItem, WindowDecision, Method, Methods, Picture, SendInput } from '../bridge/messages.js'
import { blobMediaType, blobRef } from '../conversations/blobs.js'
import { toBase64 } from '../../engine/core/base64.js'
import { attachmentLimits, attachmentsOf } from './host-attachments.js'
import {
  flag,
  isPlain,
  jsonObject,
  list,
  members,
  name,
  nothing,
  nullable,
  oneOf,
  optional,
  read,
  refuse,
  text,
  whole,
  type Check,
} from './checks.js'
import type { Configuration } from './configuration.js'
import type { HostConversations } from './host-conversations.js'
import { checkDropped, type Drops } from './drops.js'
import type { First } from './first.js'
import type { Links } from './links.js'
import { checkCapabilities, type Pet } from './pet.js'
import { TOKEN_LENGTH } from './host-questions.js'
import { checkServerInput, type ServerPage } from './host-server.js'
import type { Speech } from './speech.js'
import { DEFAULT_CONVERSATION, ownSettings, type Turns } from './turns.js'
import type { HostOptions, WindowRights } from './host-types.js'
import type { Voices } from './host-voices.js'
import { approve, deny, takeResult } from './window-answers.js'
import type { HostWindow } from './window.js'

/** The parts of a host that its methods use. */
export interface MethodParts {
  readonly options: HostOptions
  readonly conversations: HostConversations
  readonly turns: Turns
  readonly configuration: Configuration
  readonly pet: Pet
  readonly server: ServerPage
  readonly speech: Speech
  readonly links: Links
  readonly first: First
  readonly voices: Voices
  readonly drops: Drops
}

export interface MethodEntry {
  right: keyof WindowRights
  run: (window: HostWindow, input: unknown) => unknown
}

type Input<M extends Method> = Parameters<Methods[M]> extends [(infer I)?, ...unknown[]] ? I : undefined
type Output<M extends Method> = ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>
type Run<M extends Method> = (window: HostWindow, input: Input<M>) => Output<M>

const MAX_CALL = 2 ** 31 - 1
const MAX_DIGEST = 64
const MAX_URL = 8000

export const checkId = name(200)
export const checkText = ({ maxTextLength = 1_000_000 }: HostOptions): Check<string> => text(maxTextLength)

const token = text(TOKEN_LENGTH, TOKEN_LENGTH)
const call = whole(1, MAX_CALL)
const order = whole(1, Number.MAX_SAFE_INTEGER)
const reason = text(10_000, 0)
const limit = optional(whole(0, 1000))
const entryInput = members({ entry: checkId })
const messageInput = members({ message: checkId })
const decision = { message: checkId, token, digest: optional(text(MAX_DIGEST)) }

const orEmpty =
  <T extends object>(check: Check<T>): Check<T> =>
  (input, path) =>
    check(input ?? {}, path)
/** Passes the input on unchecked: the method checks it itself. */
const unchecked: Check<never> = (input) => input as never

const openInput: Check<Input<'open'>> = orEmpty(members<Input<'open'>>({ conversation: optional(checkId) }))
const listInput = orEmpty(
  members({
    query: optional(text(1000, 0)),
    tags: optional(list(text(64), 16)),
    skip: optional(whole(0, MAX_CALL)),
    limit,
  }),
)
const approveInput = members<WindowDecision>({
  ...decision,
  remember: optional(oneOf('once', 'turn', 'session', 'always')),
  exact: optional(flag),
  arguments: optional(jsonObject({ characters: 1_000_000, values: 100_000, depth: 64 })),
})
/** For which conversation, and the patch, which the configuration checks itself. */
const configureInput = (input: unknown) => {
  if (!isPlain(input) || input['conversation'] === undefined) return { patch: input } as never
  const { conversation, ...patch } = input
  return { conversation: checkId(conversation, 'conversation'), patch } as never
}
const useServerInput = members({
  server: nullable(checkServerInput),
  mode: optional(oneOf('native', 'text', 'auto')),
})

function sendInput(options: HostOptions): Check<SendInput> {
  const { maxTextLength = 1_000_000 } = options
  const checkAlone = checkText(options)
  const check = members<SendInput>({
    text: text(maxTextLength, 0),
    conversation: optional(checkId),
    parts: optional(attachmentsOf(attachmentLimits(options))),
    replyTo: optional(checkId),
  })
  return (input, path) => {
    const given = check(input, path)
    if (!given.parts?.length) checkAlone(given.text, 'text')
    return given
  }
}

function method<M extends Method>(right: keyof WindowRights, check: Check<Input<M>>, run: Run<M>): MethodEntry {
  return { right, run: (window, input) => run(window, read(check, input)) }
}

/** By name. */
export function methodsOf(parts: MethodParts): Map<unknown, MethodEntry> {
  const { options, conversations, turns, configuration, pet, server, speech, links, first, voices, drops } = parts
  const table: { [M in Method]: MethodEntry } = {
    send: method<'send'>(
      'chat',
      sendInput(options),
      (window, { text, conversation = DEFAULT_CONVERSATION, parts, replyTo }) =>
        turns.ask(window, conversation, 'send', (one) => one.ask(text, parts, replyTo)),
    ),
    regenerate: method<'regenerate'>('chat', entryInput, (window, { entry }) =>
      turns.ask(window, conversations.ownerOf(entry).id, 'regenerate', (one) => one.questionOf(entry)),
    ),
    edit: method<'edit'>('chat', members({ entry: checkId, text: checkText(options) }), (window, { entry, text }) =>
      turns.ask(window, conversations.ownerOf(entry).id, 'edit', (one) => one.editOf(entry, text)),
    ),
    goOn: method<'goOn'>('chat', entryInput, (window, { entry }) => turns.goOn(window, entry)),
    choose: method<'choose'>('chat', members({ entry: checkId, index: whole(0, MAX_CALL) }), (_, { entry, index }) =>
      conversations.choose(entry, index),
    ),
    conversations: method<'conversations'>('read', listInput, (window, input) =>
      window.read(async () => (await conversations.list(input)).map(forWindows), 'search'),
    ),
    watchConversations: method<'watchConversations'>('read', nothing, (window) => {
      window.watchesList = true
    }),
    search: method<'search'>('read', members({ query: text(1000), limit }), (window, { query, limit }) =>
      window.read(() => conversations.search(query, limit), 'search'),
    ),
    rename: method<'rename'>(
      'chat',
      members({ conversation: checkId, title: text(200, 0) }),
      (window, { conversation, title }) => window.read(() => conversations.rename(conversation, title)),
    ),
    delete: method<'delete'>(
      'chat',
      members({ conversation: optional(checkId), entry: optional(checkId) }),
      (window, { conversation, entry }) => {
        if (conversation === undefined && entry === undefined)
          throw refuse('argument', 'expected a conversation, an entry, or both')
        return window.read(async () =>
          conversations.delete(conversation ?? conversations.ownerOf(entry as string).id, entry),
        )
      },
    ),
    export: method<'export'>(
      'read',
      members({ conversation: checkId, as: oneOf('json', 'markdown') }),
      (window, { conversation, as }) => window.read(() => conversations.export(conversation, as), 'search'),
    ),
    openLink: method<'openLink'>(
      'chat',
      members({ url: text(MAX_URL), agreed: optional(flag) }),
      (_, { url, agreed }) => links.open(url, agreed),
    ),
    openKnownLink: method<'openKnownLink'>('chat', members({ url: text(MAX_URL) }), (_, { url }) =>
      links.openKnown(url),
    ),
    picture: method<'picture'>(
      'read',
      members({ conversation: checkId, url: text(200) }),
      (window, { conversation, url }) => window.read(() => pictureOf(conversations, conversation, url)),
    ),
    file: method<'file'>('read', members({ conversation: checkId, url: text(200) }), (window, { conversation, url }) =>
      window.read(() => bytesOf(conversations, conversation, url)),
    ),
    attachments: method<'attachments'>('chat', nothing, () => attachmentLimits(options)),
    cancel: method<'cancel'>('chat', members({ message: checkId, call: optional(call) }), (_, input) =>
      cancel(conversations, input.message, input.call),
    ),
    approve: method<'approve'>('approve', approveInput, approve),
    deny: method<'deny'>('approve', members({ ...decision, reason: optional(reason) }), deny),
    subscribe: method<'subscribe'>('read', messageInput, (window, { message }) => {
      const live = conversations.live(message)
      if (live) return window.watch(live)
      return window.read(async () => window.copied(await conversations.message(message)))
    }),
    unsubscribe: method<'unsubscribe'>('read', messageInput, (window, { message }) => {
      const live = conversations.live(message)
      if (live) window.unwatch(live)
    }),
    open: method<'open'>('read', openInput, (window, { conversation = DEFAULT_CONVERSATION }) => {
      window.open(conversation)
      return window.read(() => conversations.open(conversation))
    }),
    earlier: method<'earlier'>('read', members({ entry: checkId, limit }), (window, { entry, limit = 100 }) =>
      window.read(() => conversations.earlier(entry, limit)),
    ),
    configuration: method<'configuration'>('configure', openInput, (window, { conversation }) =>
      conversation === undefined
        ? configuration.view
        : window.read(async () => configuration.viewWith(ownSettings(await conversations.loaded(conversation)))),
    ),
    configure: method<'configure'>('configure', configureInput, (window, input: unknown) => {
      const { conversation, patch } = input as { conversation?: string; patch: unknown }
      return conversation === undefined
        ? configuration.configure(patch)
        : window.read(() => turns.configure(patch, conversation))
    }),
    server: method<'server'>('server', nothing, () => server.view),
    localServers: method<'localServers'>('server', nothing, () => server.local()),
    serverModels: method<'serverModels'>('server', checkServerInput, (window, input) => server.models(window, input)),
    checkServer: method<'checkServer'>('server', checkServerInput, (window, input) => server.check(window, input)),
    checkStep: method<'checkStep'>(
      'server',
      members({ check: whole(0, MAX_CALL), stop: optional(flag) }),
      (window, { check, stop }) => server.step(window, check, stop),
    ),
    useServer: method<'useServer'>('server', useServerInput, (_, { server: chosen, mode }) => server.use(chosen, mode)),
    result: method<'result'>(
      'chat',
      members({ message: checkId, call, token, value: unchecked, error: unchecked }),
      takeResult,
    ),
    synthesize: method<'synthesize'>('read', members({ text: text(2000) }), (window, { text }) =>
      speech.of(window, text),
    ),
    heard: method<'heard'>(
      'read',
      members({ message: checkId, block: whole(0, MAX_CALL), to: whole(0, MAX_CALL) }),
      (window, { message, ...place }) => {
        if (!window.rights.chat && !window.rights.pet)
          throw refuse('forbidden', 'this window lacks the right chat or pet')
        return window.read(() => conversations.heard(message, place))
      },
    ),
    petFirst: method<'petFirst'>(
      'pet',
      members({ conversation: optional(checkId), prompt: optional(text(2000)) }),
      (window, input) => turns.speakFirst(window, input),
    ),
    petVoice: method<'petVoice'>(
      'pet',
      members({ state: oneOf('off', 'idle', 'speaking'), turn: whole(0, MAX_CALL) }),
      (window, voice) => voices.tell(window, voice),
    ),
    voice: method<'voice'>('chat', nothing, (window) => {
      window.watchesVoice = true
      return voices.state
    }),
    endVoice: method<'endVoice'>('chat', nothing, () => voices.end()),
    takeDrops: method<'takeDrops'>('chat', members({ on: flag }), (window, { on }) => drops.take(window, on)),
    petDrop: method<'petDrop'>('pet', members({ files: checkDropped }), (_, { files }) => drops.give(files)),
    petNotToday: method<'petNotToday'>('read', nothing, () => first.notToday()),
    petReady: method<'petReady'>('pet', nullable(checkCapabilities), (window, capabilities) =>
      pet.ready(window, capabilities),
    ),
    petReply: method<'petReply'>('pet', members({ id: order, ok: flag, reason: optional(reason) }), (window, input) =>
      pet.reply(window, input.id, input.ok ? undefined : input.reason || 'the pet could not'),
    ),
    petHold: method<'petHold'>('pet', members({ id: order, held: flag }), (window, input) =>
      pet.hold(window, input.id, input.held),
    ),
  }
  return new Map(Object.entries(table))
}

/** Replaces text that names paths on the disk. */
const forWindows = ({ damaged, ...item }: ConversationItem): ConversationItem =>
  damaged === undefined ? item : { ...item, damaged: 'it cannot be read; the log of the app says why' }

async function pictureOf(conversations: HostConversations, conversation: string, url: string): Promise<Picture> {
  const data = await bytesOf(conversations, conversation, url, 'picture')
  return { type: 'image', mediaType: blobMediaType(blobRef(url) as string), data }
}

async function bytesOf(
  conversations: HostConversations,
  conversation: string,
  url: string,
  what = 'file',
): Promise<string> {
  const ref = blobRef(url)
  const bytes = ref === undefined ? null : await conversations.bytes(conversation, ref)
  if (!bytes) throw refuse('not_found', `there is no such ${what}`, { path: 'url' })
  return toBase64(bytes)
}

function cancel(conversations: HostConversations, id: string, call: number | undefined): void {
  const message = conversations.live(id)
  if (!message && !conversations.knows(id)) throw refuse('not_found', 'there is no such message; it may be too old')
  if (!message) return // it has ended
  if (call === undefined)
    void message.cancel() // not awaited: it may take long until every tool returned
  else message.cancelCall(call)
}
