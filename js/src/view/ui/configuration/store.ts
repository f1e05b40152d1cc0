// The state of the configuration page: the host's view, and on top of it the person's changes that the host has not
// confirmed yet.
import type { ConfigurationPatch, ConfigurationView, RuleView, ToolView } from '../../../app/bridge/messages.js'
import type { Json, JsonObject } from '../../../engine/core/events.js'
import { faultOf, type Fault } from '../shared/fault.js'

/** The part of a client that the page needs. */
export interface ConfigurationClient {
  configuration(): Promise<ConfigurationView>
  /** Changes it and returns the new configuration. */
  configure(patch: ConfigurationPatch): Promise<ConfigurationView>
}

/** The path of a switch: `settings` and its members, or `tools`, the tool's name and the member. */
export type Path = readonly ['settings' | 'tools', ...string[]]
export type Status = 'loading' | 'ready' | 'saving' | 'saved' | 'failed'

/** Changes that are saved, or taken back, together. null restores the default. */
interface Edit {
  entries: { path: Path; value: Json }[]
  /** A remembered decision to revoke. */
  revoke?: string
  /** What was typed is no value: nothing is sent, and the old one stays. */
  wrong?: Fault
}

export const keyOf = (path: Path): string => JSON.stringify(path)
export const settingPath = (id: string): Path => ['settings', ...id.split('.')]

export class ConfigurationStore {
  view: ConfigurationView | undefined
  status: Status = 'loading'
  /** The last error, until a save succeeds. */
  fault: Fault | undefined
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

  /** Reads the configuration: at the start, and again when another window may have changed it. */
  async load(): Promise<void> {
    if (this.#busy) return // the running save returns the view as well
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

  /** The value that the page shows. Undefined or null: the default. */
  get(path: Path): Json | undefined {
    const unsaved = this.#unsaved.get(keyOf(path))
    if (unsaved) return unsaved.value
    let at: unknown = path[0] === 'settings' ? this.view?.settings : this.tool(path[1] ?? '')
    for (const step of path.slice(path[0] === 'settings' ? 1 : 2)) at = member(at, step)
    return at as Json | undefined
  }

  base(path: Path): Json | undefined {
    let at: unknown = path[0] === 'settings' ? this.view?.defaults : undefined
    for (const step of path.slice(1)) at = member(at, step)
    return at as Json | undefined
  }

  /** Whether the person may set this: only settings with a default may be set. */
  settable(id: string): boolean {
    return this.base(settingPath(id)) !== undefined
  }

  tool(name: string): ToolView | undefined {
    return this.view?.tools.find((tool) => tool.name === name)
  }

  unsaved(path: Path): boolean {
    return this.#unsaved.has(keyOf(path))
  }

  /** Shows the value at once and saves it; with `wait`, after this many milliseconds without another edit. */
  set(changes: readonly (readonly [Path, Json])[], wait = 0): void {
    this.#edit({ entries: changes.map(([path, value]) => ({ path, value })) }, wait)
  }

  /** Says what is wrong with what was typed, after as many milliseconds. */
  refuse(path: Path, wrong: Fault, wait: number): void {
    this.#edit({ entries: [{ path, value: null }], wrong }, wait)
  }

  #edit(edit: Edit, wait: number): void {
    const before = this.#later?.edit
    if (!(before && sameKeys(before, edit))) this.flush()
    clearTimeout(this.#later?.timer)
    for (const { path, value } of edit.entries) {
      if (!edit.wrong) this.#unsaved.set(keyOf(path), { edit, value })
      // it is not sent any more
      else if (this.#unsaved.get(keyOf(path))?.edit === before) this.#unsaved.delete(keyOf(path))
      this.faults.delete(keyOf(path))
    }
    this.#later = { edit, timer: setTimeout(() => this.flush(), wait) }
    if (wait === 0) this.flush()
    this.#changed()
  }

  /** Remembered decisions, without those that are being revoked. */
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

  /** Saves edits that wait for a pause in typing. */
  flush(): void {
    if (!this.#later) return
    clearTimeout(this.#later.timer)
    this.#queue.push(this.#later.edit)
    this.#later = undefined
    void this.#save()
  }

  /** Saves one change after another, since every reply is a whole view. */
  async #save(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let edit = this.#queue.shift(); edit; edit = this.#queue.shift()) {
      this.status = 'saving'
      this.#changed()
      try {
        if (edit.wrong) throw edit.wrong
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

  /** Puts an error at the switch that it names, if that was changed; otherwise at all changed switches. */
  #blame(edit: Edit, fault: Fault): void {
    const named = edit.entries.filter(({ path }) => names(fault.path, path))
    for (const { path } of named.length > 0 ? named : edit.entries) this.faults.set(keyOf(path), fault)
  }
}

/** Reads own members only, since a tool may be called `constructor`. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined
}

/** Whether an error at `named` (`limits.depth`, `alsoParse[0]`, `tools.notes.add.permission`) is about this place. */
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

/** Sets an own member, even one named `__proto__`. */
function put(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

const sameKeys = (a: Edit, b: Edit): boolean =>
  a.entries.length === b.entries.length && a.entries.every(({ path }, i) => keyOf(path) === keyOf(b.entries[i]!.path))
