// Who answers, where people choose that: what windows see of it, and what they may have done. Keys come in and never go
// out: a kept one is sent to the server that it was given for, and to no other.
import type { LocalServer, PresetView, ServerInput, ServerView, StartedCheck } from '../bridge/server-messages.js'
import { SluiceError } from '../../engine/core/errors.js'
import { checkKey, checkModel, serverOf, type Model, type ServerAddress } from '../../engine/core/model.js'
import { listModels } from '../../engine/core/models.js'
import { serverPresets as usual, type ServerPreset } from '../../engine/core/presets.js'
import { addressOf, firstWire, providers, wireNames } from '../../engine/core/providers.js'
import { checkServer, type Endpoint } from '../../engine/core/server-check.js'
import type { ServerCheck } from '../../engine/core/server-step.js'
import { hidden, members, name, optional, refuse, text, toBridgeError, type Check } from './checks.js'
import type { ServerChoice } from './host-types.js'
import type { HostWindow } from './window.js'

/** How long a server of this machine has to answer: people wait for it. */
const LOCAL_MS = 800
/**
 * Lists of models that one window asks for at a time: the next one ends the first of them, since nobody looks at that
 * any more.
 */
const MOST_LISTS = 4
const MAX_NAMES = 2000

export const checkServerInput: Check<ServerInput> = members<ServerInput>({
  provider: optional(text(100)),
  baseURL: optional(text(2000)),
  wire: optional(text(100)),
  path: optional(text(2000, 0)),
  model: optional(name(200)),
  apiKey: optional(text(4000, 0)),
})

type Mode = NonNullable<ServerPreset['mode']>

interface OpenCheck {
  id: number
  steps: AsyncGenerator<ServerCheck, void, undefined>
  stop: AbortController
}

export class ServerPage {
  readonly #choice: ServerChoice | undefined
  readonly #opensLinks: boolean
  readonly #setMode: (mode: Mode) => unknown
  /** At most one for each window. */
  readonly #checks = new Map<HostWindow, OpenCheck>()
  readonly #lists = new Map<HostWindow, Set<AbortController>>()
  #looking: Promise<LocalServer[]> | undefined
  // -- of two windows that choose at the same time the mode of the later one counts, as its server does
  #turns = 0
  #chosen = 0
  #last = 0

  constructor(choice: ServerChoice | undefined, opensLinks: boolean, setMode: (mode: Mode) => unknown) {
    this.#choice = choice
    this.#opensLinks = opensLinks
    this.#setMode = setMode
  }

  get view(): ServerView {
    const choice = this.#need()
    const now = choice.current()
    return {
      ...(now ? { current: shown(now, Boolean(this.#keyFor(now))) } : {}),
      presets: (choice.presets ?? usual).map((preset) => this.#preset(preset)),
      opensLinks: this.#opensLinks,
      ...(choice.keysAreKept === undefined ? {} : { keysAreKept: choice.keysAreKept }),
    }
  }

  /** Servers of this machine at their usual addresses. Windows that ask at the same time get the same answer. */
  local(): Promise<LocalServer[]> {
    const local = this.view.presets.filter((preset) => preset.local)
    return (this.#looking ??= Promise.all(
      local.map(async ({ provider }) => {
        const names = await listModels({ provider } as ServerAddress, { timeoutMs: LOCAL_MS }).catch(() => undefined)
        return names ? [{ provider: provider as string, models: names.slice(0, MAX_NAMES) }] : []
      }),
    )
      .then((all) => all.flat())
      .finally(() => (this.#looking = undefined)))
  }

  async models(window: HostWindow, input: ServerInput): Promise<string[]> {
    const server = this.#read(input)
    const open = this.#lists.get(window) ?? new Set()
    const stop = new AbortController()
    this.#lists.set(window, open.add(stop))
    const [first] = open
    if (open.size > MOST_LISTS && first) {
      open.delete(first)
      first.abort(refuse('limit', `it was ended by another list: there are at most ${MOST_LISTS} at a time`))
    }
    try {
      return (await this.#people(() => listModels(withoutName(server), { signal: stop.signal }))).slice(0, MAX_NAMES)
    } finally {
      open.delete(stop)
      if (open.size === 0) this.#lists.delete(window)
    }
  }

  check(window: HostWindow, input: ServerInput): StartedCheck {
    const server = this.#read(input)
    this.#end(window)
    const stop = new AbortController()
    const id = ++this.#last
    this.#checks.set(window, { id, stop, steps: checkServer(server, { signal: stop.signal }) })
    return { check: id }
  }

  async step(window: HostWindow, id: number, stop = false): Promise<ServerCheck | null> {
    const check = this.#checks.get(window)
    if (!check || check.id !== id) return null // it has ended, or another one began
    if (stop) return this.#end(window)
    const { value } = await this.#people(() => check.steps.next()).catch((error: unknown) => {
      if (check.stop.signal.aborted) return { value: undefined }
      throw error
    })
    if (!value && this.#checks.get(window) === check) this.#end(window)
    return value ?? null
  }

  async use(input: ServerInput | null, mode: Mode | undefined): Promise<ServerView> {
    const choice = this.#need()
    const turn = ++this.#turns
    if (input === null) await this.#people(() => choice.use(null))
    else {
      const server = this.#read(input)
      if (server.name === undefined)
        throw refuse('argument', 'expected the name of a model, such as qwen3:8b', { path: 'model' })
      const model = server as Model
      await this.#people(() => checkKey(model, serverOf(model, model.name)))
      await this.#people(() => choice.use(model))
    }
    if (mode !== undefined && turn > this.#chosen) this.#setMode(mode)
    this.#chosen = Math.max(turn, this.#chosen)
    return this.view
  }

  leave(window: HostWindow): void {
    this.#end(window)
    for (const stop of this.#lists.get(window) ?? []) stop.abort()
  }

  close(): void {
    for (const window of [...this.#checks.keys(), ...this.#lists.keys()]) this.leave(window)
  }

  #end(window: HostWindow): null {
    const check = this.#checks.get(window)
    this.#checks.delete(window)
    check?.stop.abort()
    check?.steps.return().catch(() => {}) // where it stands between two steps nothing else closes its engine
    return null
  }

  #need(): ServerChoice {
    if (!this.#choice) throw refuse('unsupported', 'this app has no choice of servers: its host has no option `server`')
    return this.#choice
  }

  /** A server as a person described it, with what is known of it. Throws a refusal that names the member. */
  #read({ provider, baseURL, wire, path, model, apiKey }: ServerInput): Endpoint {
    const before = this.#need().current()
    const given = {
      ...(provider === undefined ? {} : { provider }),
      ...(baseURL === undefined ? {} : { baseURL }),
      ...(apiKey === undefined ? {} : { apiKey }),
    }
    const same = before !== undefined && before.provider === provider && before.baseURL === baseURL
    const [ownWire, ownPath] = [wire ?? (same ? before.wire : undefined), path ?? (same ? before.path : undefined)]
    const server = {
      ...given,
      ...(same && before.region !== undefined ? { region: before.region } : {}),
      ...(ownWire === undefined ? {} : { wire: ownWire }),
      ...(ownPath === undefined ? {} : { path: ownPath }),
      ...(model === undefined ? {} : { name: model.trim() }), // an empty name is refused below
    } as Endpoint
    try {
      checkModel({ needsName: false })(server, '')
    } catch (error) {
      throw refusalOf(error)
    }
    const sameOrigin = before !== undefined && isSameOrigin(before, server)
    const key = apiKey === undefined ? this.#keyFor(server) : apiKey
    const { apiKey: _, ...rest } = server
    return {
      ...rest,
      ...(sameOrigin && before.headers ? { headers: before.headers } : {}),
      ...(key ? { apiKey: key } : {}),
    } as Endpoint
  }

  /** The kept key, or the app's, for a server at this address. */
  #keyFor(server: ServerAddress): string | undefined {
    const choice = this.#need()
    const before = choice.current()
    if (before?.apiKey && isSameOrigin(before, server)) return before.apiKey
    return choice.keyFor?.(baseOf(server)) || undefined
  }

  #preset({ provider, title, places = [], mode = 'auto', models: first }: ServerPreset): PresetView {
    if (!provider)
      return { title, places: [], wires: [...wireNames], keyNames: [], mode, models: [...(first ?? [])], local: false }
    const { baseURLs, elsewhere = [], keys = [], example } = providers[provider]
    const bases = [baseURLs[firstWire(provider)] as string, ...elsewhere]
    return {
      provider,
      title,
      mode,
      models: [...(first ?? [example])],
      keyNames: [...keys],
      wires: Object.keys(baseURLs),
      local: bases.every((base) => /^https?:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(base)),
      places: bases.map((baseURL, at) => ({
        ...places[at],
        baseURL,
        hasKey: Boolean(this.#keyFor(at === 0 ? { provider } : { provider, baseURL })),
      })),
    }
  }

  /** Turns what a person has to read into a refusal; the app's own faults are for its log. */
  async #people<T>(what: () => T | Promise<T>): Promise<T> {
    try {
      return await what()
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

const baseOf = ({ provider, baseURL, wire, region }: ServerAddress & { provider?: Model['provider'] }): string =>
  baseURL ?? (provider ? addressOf(provider, wire ?? firstWire(provider), region) : undefined) ?? ''

/** Undefined where the app kept what is no address: a person may still choose another one. */
const originOf = (server: ServerAddress): string | undefined =>
  URL.canParse(baseOf(server)) ? new URL(baseOf(server)).origin : undefined

const isSameOrigin = (one: ServerAddress, other: ServerAddress): boolean =>
  originOf(one) !== undefined && originOf(one) === originOf(other)

function withoutName({ name: _, ...server }: Endpoint): ServerAddress {
  return server as ServerAddress
}

function shown(
  { provider, baseURL, wire, path, name: model }: Model,
  hasKey: boolean,
): NonNullable<ServerView['current']> {
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(baseURL === undefined ? {} : { baseURL: withoutUser(baseURL) }),
    ...(wire === undefined ? {} : { wire }),
    ...(path === undefined ? {} : { path: path.replace(/\?.*$/s, '') }),
    model,
    hasKey,
  }
}

/** A name and a password in an address are a key as well. */
function withoutUser(baseURL: string): string {
  if (!URL.canParse(baseURL)) return ''
  const url = new URL(baseURL)
  if (!url.username && !url.password && !url.search) return baseURL
  url.username = url.password = url.search = ''
  return url.href
}

/** Where the fault is, without the member that it stood under here. */
function refusalOf(error: unknown): unknown {
  if (!SluiceError.is(error)) return error
  const { code, detail, path, hint } = toBridgeError(error, hidden('a server'))
  const where = path?.replace(/^(?:model|server|endpoint|options)?\.?/, '').replace(/^name$/, 'model')
  return refuse(code, detail, { ...(where ? { path: where } : {}), ...(hint === undefined ? {} : { hint }) })
}
