// What the configuration page knows: the host's view, over it what the person changed and the host has not confirmed yet.
import type { BridgeError, ConfigurationPatch, ConfigurationView, RuleView, ToolView } from '../../bridge/messages.js'
import type { Json, JsonObject } from '../../core/events.js'

/** As much of a client as the page needs. */
export interface ConfigurationClient {
  /** What is configured. */
  configuration(): Promise<ConfigurationView>
  /** Changes it; gives it as it then stands. */
  configure(patch: ConfigurationPatch): Promise<ConfigurationView>
}

/** `settings`, then the members of it; or `tools`, the tool's name, the member. */
export type Path = readonly ['settings' | 'tools', ...string[]]
export type Fault = Pick<BridgeError, 'detail'> & Partial<BridgeError>
export type Status = 'loading' | 'ready' | 'saving' | 'saved' | 'failed'

/** Changed together, saved together, taken back together. null: back to the default. */
interface Edit {
  entries: { path: Path; value: Json }[]
  /** A remembered decision that goes. */
  revoke?: string
}

export const keyOf = (path: Path): string => JSON.stringify(path)
export const settingPath = (id: string): Path => ['settings', ...id.split('.')]

export class ConfigurationStore {
  view: ConfigurationView | undefined
  status: Status = 'loading'
  /** The last that went wrong, until something goes right. */
  fault: Fault | undefined
  /** By the switch they belong to. */
  readonly faults = new Map<string, Fault>()

  readonly #client: ConfigurationClient
  readonly #changed: () => void
  readonly #unsaved = new Map<string, { edit: Edit; value: Json }>()
  readonly #queue: Edit[] = []
  readonly #revoked = new Set<string>()
  #later: { edit: Edit; timer: ReturnType<typeof setTimeout> } | undefined
  #busy = false

  constructor(client: ConfigurationClient, changed: () => void) {
    this.#client = client
    this.#changed = changed
  }

  /** Reads what is configured: at first, and again where somebody else may have changed it. */
  async load(): Promise<void> {
    if (this.#busy) return // what is being saved brings the view as well
    this.#busy = true
    try {
      this.view = await this.#client.configuration()
      this.status = 'ready'
      this.fault = undefined
    } catch (error) {
      this.status = 'failed'
      this.fault = faultOf(error)
    }
    this.#busy = false
    this.#changed()
    void this.#save()
  }

  /** What stands there now. Undefined or null: the default. */
  get(path: Path): Json | undefined {
    const unsaved = this.#unsaved.get(keyOf(path))
    if (unsaved) return unsaved.value
    let at: unknown = path[0] === 'settings' ? this.view?.settings : this.tool(path[1] ?? '')
    for (const step of path.slice(path[0] === 'settings' ? 1 : 2)) at = member(at, step)
    return at as Json | undefined
  }

  /** What would stand there without the person. */
  base(path: Path): Json | undefined {
    let at: unknown = path[0] === 'settings' ? this.view?.defaults : undefined
    for (const step of path.slice(1)) at = member(at, step)
    return at as Json | undefined
  }

  /** Whether the person may set this: the defaults hold what may be set, and nothing else. */
  settable(id: string): boolean {
    return this.base(settingPath(id)) !== undefined
  }

  tool(name: string): ToolView | undefined {
    return this.view?.tools.find((tool) => tool.name === name)
  }

  unsaved(path: Path): boolean {
    return this.#unsaved.has(keyOf(path))
  }

  /** Shows the value at once, and saves it; with `wait`, after this many milliseconds without another edit. */
  set(changes: readonly (readonly [Path, Json])[], wait = 0): void {
    const edit = { entries: changes.map(([path, value]) => ({ path, value })) }
    if (!(this.#later && sameKeys(this.#later.edit, edit))) this.flush()
    clearTimeout(this.#later?.timer)
    for (const { path, value } of edit.entries) {
      this.#unsaved.set(keyOf(path), { edit, value })
      this.faults.delete(keyOf(path))
    }
    this.#later = { edit, timer: setTimeout(() => this.flush(), wait) }
    if (wait === 0) this.flush()
    this.#changed()
  }

  /** What is remembered, without what is being taken back. */
  get rules(): readonly RuleView[] {
    return (this.view?.rules ?? []).filter(({ id }) => !this.#revoked.has(id))
  }

  revoke(id: string): void {
    this.flush()
    this.#revoked.add(id)
    this.#queue.push({ entries: [], revoke: id })
    void this.#save()
    this.#changed()
  }

  /** Saves what waits for more typing. */
  flush(): void {
    if (!this.#later) return
    clearTimeout(this.#later.timer)
    this.#queue.push(this.#later.edit)
    this.#later = undefined
    void this.#save()
  }

  /** One after another: every answer is a whole view. */
  async #save(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let edit = this.#queue.shift(); edit; edit = this.#queue.shift()) {
      this.status = 'saving'
      this.#changed()
      try {
        this.view = await this.#client.configure(patchOf(edit))
        this.status = 'saved'
        this.fault = undefined
      } catch (error) {
        this.status = 'failed'
        this.fault = faultOf(error)
        this.#blame(edit, this.fault)
      }
      if (edit.revoke !== undefined) this.#revoked.delete(edit.revoke)
      for (const { path } of edit.entries) {
        if (this.#unsaved.get(keyOf(path))?.edit === edit) this.#unsaved.delete(keyOf(path))
      }
      this.#changed()
    }
    this.#busy = false
  }

  /** To the switch that the error names, where it is one of those that were changed; else to all of these. */
  #blame(edit: Edit, fault: Fault): void {
    const named = edit.entries.filter(({ path }) => names(fault.path, path))
    for (const { path } of named.length > 0 ? named : edit.entries) this.faults.set(keyOf(path), fault)
  }
}

/** Own members only: a tool may be called `constructor`. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
}

/** Does an error at `named` (`limits.depth`, `alsoParse[0]`, `tools.notes.add.permission`) speak of this place? */
function names(named: string | undefined, path: Path): boolean {
  if (!named) return false
  const ours = path.slice(path[0] === 'settings' ? 1 : 0).join('.')
  const theirs = named.replace(/^settings\./, '')
  return theirs === ours || theirs.startsWith(ours + '.') || theirs.startsWith(ours + '[')
}

function patchOf(edit: Edit): ConfigurationPatch {
  if (edit.revoke !== undefined) return { revoke: [edit.revoke] }
  const patch: JsonObject = {}
  for (const { path, value } of edit.entries) {
    let at = patch
    for (const step of path.slice(0, -1)) {
      if (!Object.hasOwn(at, step)) put(at, step, {})
      at = at[step] as JsonObject
    }
    put(at, path[path.length - 1] as string, value)
  }
  return patch
}

/** A member like any other, also `__proto__`. */
function put(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

const sameKeys = (a: Edit, b: Edit): boolean =>
  a.entries.length === b.entries.length && a.entries.every(({ path }, i) => keyOf(path) === keyOf(b.entries[i]!.path))

function faultOf(error: unknown): Fault {
  if (typeof error !== 'object' || error === null) return { detail: String(error) }
  const { code, detail, message, path, hint } = error as Partial<BridgeError> & { message?: string }
  return { detail: detail ?? message ?? String(error), ...(code ? { code } : {}), ...(path ? { path } : {}), ...(hint ? { hint } : {}) }
}
