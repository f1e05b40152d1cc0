// Orders to the pet, one after the other: every one ends with nothing, or with the reason why the pet did not do it.
import type { PetCapabilities } from '../../app/bridge/messages.js'
import { messageOf } from '../../engine/core/errors.js'
import type { Json } from '../../engine/core/events.js'
import { clip, type PetModel } from './live2d-model.js'
import { live2dTriggerChannels, type PetChannels } from '../../app/bridge/live2d-tools.js'

/** What an app does on channels of its own. An order fails where one returns false or throws. */
export type Handlers = { readonly [channel: string]: (...payload: Json[]) => unknown }

export interface OrderOptions {
  /** Channels instead of, or beside, `live2d:expression` and `live2d:motion`. */
  channels?: PetChannels
  /** What an app does on channels of its own, by channel. Default none. */
  handlers?: Handlers
  /** Milliseconds for one order; the next one is then begun. Default 4000: less than what the main process waits. */
  timeoutMs?: number
}

export class Orders {
  readonly #table: Map<string, (payload: unknown[]) => unknown>
  readonly #timeoutMs: number
  #model: PetModel | null = null
  #loading = false
  #queue: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor({ channels = {}, handlers = {}, timeoutMs = 4000 }: OrderOptions) {
    this.#timeoutMs = timeoutMs
    const [expression, motion] = [
      (payload: unknown[]) => this.#expression(payload),
      (payload: unknown[]) => this.#motion(payload),
    ]
    this.#table = new Map([
      ['live2d:expression', expression],
      ['live2d:motion', motion],
      [live2dTriggerChannels.expression, expression],
      [live2dTriggerChannels.motion, motion],
      ...(channels.expression === undefined ? [] : [[channels.expression, expression] as const]),
      ...(channels.motion === undefined ? [] : [[channels.motion, motion] as const]),
      ...Object.entries(handlers).map(
        ([channel, handler]) => [channel, (payload: unknown[]) => handler(...(payload as Json[]))] as const,
      ),
    ])
  }

  get channels(): string[] {
    return [...this.#table.keys()]
  }

  get model(): PetModel | null {
    return this.#model
  }

  set(model: PetModel | null, loading = false): void {
    this.#model = model
    this.#loading = loading
  }

  /** Resolves when the order was done or refused; the reason if it was refused. Never rejects. */
  perform(channel: string, payload: unknown): Promise<string | undefined> {
    const done = this.#queue.then(() => this.#perform(channel, payload))
    this.#queue = done
    return done
  }

  /** Drops the orders that still wait. */
  close(): void {
    this.#closed = true
    this.set(null)
  }

  async #perform(channel: string, payload: unknown): Promise<string | undefined> {
    try {
      if (this.#closed) throw new No('the pet window was closed')
      const act = this.#table.get(channel)
      if (!act)
        throw new No(`nothing listens to ${JSON.stringify(clip(channel, 60))} here; known: ${list(this.channels)}`)
      if (!Array.isArray(payload)) throw new No(`the payload of ${clip(channel, 60)} is no array`)
      if ((await limit(act(payload), this.#timeoutMs)) === false) throw new No(`${clip(channel, 60)} was refused`)
      return undefined
    } catch (error) {
      return clip(error instanceof No ? error.message : `it failed: ${messageOf(error)}`)
    }
  }

  #expression([name]: unknown[]): unknown {
    if (typeof name !== 'string') throw new No('an expression needs a name')
    const model = this.#here()
    const { expressions } = known(model)
    if (!expressions.includes(name))
      throw new No(`the model has no expression ${JSON.stringify(clip(name, 60))}; it has ${list(expressions)}`)
    return answer(model.expression(name), `the expression ${name} could not be shown`)
  }

  #motion([group, index]: unknown[]): unknown {
    if (typeof group !== 'string') throw new No('a motion needs the name of its group')
    const model = this.#here()
    const { motions } = known(model)
    if (!Object.hasOwn(motions, group))
      throw new No(
        `the model has no motion group ${JSON.stringify(clip(group, 60))}; it has ${list(Object.keys(motions))}`,
      )
    const count = motions[group] as number
    if (index === undefined || index === null)
      return answer(model.motion(group), `no motion of ${group} could be started`)
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= count) {
      throw new No(`${group} has motions 0 to ${count - 1}, found ${clip(String(index), 20)}`)
    }
    return answer(model.motion(group, index as number), `motion ${String(index)} of ${group} could not be started`)
  }

  #here(): PetModel {
    if (this.#model) return this.#model
    throw new No(this.#loading ? 'the model is still loading' : 'no model is loaded')
  }
}

/** An answer of the pet, not a fault. */
class No extends Error {}

async function answer(done: unknown, refused: string): Promise<void> {
  if ((await done) === false) throw new No(refused)
}

/** An adapter of the app's own may give anything. */
function known(model: PetModel): Pick<PetCapabilities, 'expressions' | 'motions'> {
  const { expressions, motions } = model.capabilities()
  return { expressions: expressions ?? [], motions: motions ?? {} }
}

function list(names: string[]): string {
  if (names.length === 0) return 'none'
  const shown = names
    .slice(0, 12)
    .map((name) => clip(name, 30))
    .join(', ')
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown
}

/** What hangs must not hold up the rest. */
async function limit(work: unknown, milliseconds: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>(
    (_, fail) =>
      (timer = setTimeout(fail, milliseconds, new No(`the model did not do it within ${milliseconds / 1000} s`))),
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
