// What the face of a model shows: the expression that the model ordered, which ends by itself, above that of the state.
import { messageOf } from '../../engine/core/errors.js'
import type { PetModel } from '../live2d/live2d-model.js'
import type { PetClock } from './companion-options.js'
import { firstOf } from './states.js'

/**
 * What a model takes longer for than this does not come any more, in milliseconds: a face must not wait for it for
 * ever.
 */
const PATIENCE_MS = 10_000
const resting = ['neutral', 'normal', 'default', 'idle']

export interface FaceOptions {
  clock: PetClock
  /** How long an expression of the model stays. */
  relaxMs: number
  /** Something happened: somebody is there. Returns the time. */
  onActive(): number
  /** What is ordered changed. */
  onChange(): void
  onError(reason: string): void
}

/** An expression that the model ordered. */
interface Order {
  name: string
  until: number
  at: number
}

export class Face {
  readonly #options: FaceOptions
  #order: Order | undefined
  /** What it shows: the name of an expression, null at rest. */
  #shown: string | null = null
  /** The model that orders are for now. */
  #model: PetModel | undefined

  constructor(options: FaceOptions) {
    this.#options = options
  }

  /** The expression that the model ordered and that still holds. */
  get ordered(): string | undefined {
    return this.#order?.name
  }

  /** When that ends. */
  get until(): number {
    return this.#order?.until ?? Infinity
  }

  /** When it was ordered. */
  get orderedAt(): number {
    return this.#order?.at ?? Infinity
  }

  /** What was ordered does not hold any more. */
  relax(): void {
    this.#order = undefined
  }

  /** Another model: nothing is known of its face. */
  forget(): void {
    this.#order = undefined
    this.#model = undefined
    this.#shown = null
  }

  /** Shows what was ordered, else the first of these that the model has, else its rest. */
  wear(model: PetModel, expressions: readonly string[]): void {
    const has = (): readonly string[] => model.capabilities().expressions ?? []
    const name = this.ordered ?? firstOf(expressions, has()) ?? null
    if (name === this.#shown) return
    this.#shown = name
    if (name !== null) return this.try(() => model.expression(name))
    if (model.reset) return this.try(() => model.reset!())
    const rest = firstOf(resting, has())
    if (rest !== undefined) this.try(() => model.expression(rest))
  }

  /** What orders are performed by: the model, and what this face must know of them. */
  layered(model: PetModel): PetModel {
    const { clock, relaxMs, onActive, onChange } = this.#options
    this.#model = model
    return {
      capabilities: () => model.capabilities(),
      motion: (group, index) => {
        onActive()
        return model.motion(group, index)
      },
      expression: async (name) => {
        const [before, shown] = [this.#order, this.#shown]
        // while it is on its way nothing else takes its place
        const own: Order = { name, until: Infinity, at: clock.now() }
        this.#order = own
        this.#shown = name
        const late = clock.setTimeout(() => {
          if (this.#order !== own) return
          this.relax()
          onChange()
        }, PATIENCE_MS)
        let done: boolean | undefined = false
        try {
          return (done = await model.expression(name))
        } finally {
          clock.clearTimeout(late)
          if (this.#order === own) {
            this.#order = done === false ? before : { ...own, until: onActive() + relaxMs }
            if (done === false) this.#shown = shown
            onChange()
          } else if (done !== false && this.#model === model) {
            this.#shown = name // it comes behind what took its place, and hides it
            onChange()
          }
        }
      },
    }
  }

  /** Has the model do something. What fails is told. */
  try(act: () => unknown): void {
    const failed = (error: unknown): void => this.#options.onError(messageOf(error))
    try {
      Promise.resolve(act()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
