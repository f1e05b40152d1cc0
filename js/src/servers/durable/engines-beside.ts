// Engines that have the tools of clients, too, for looking at turns: whoever follows one looks every second, and
// declaring long tools takes 100 ms.
import type { Engine } from '../../engine/core/engine.js'
import { engineBeside, type ClientTool } from '../leg/client-tools.js'

/** So many are kept: those that were asked for last. */
const MOST = 16

/** Engines beside one. */
export class EnginesBeside {
  readonly #engine: Engine
  /** By the tools of clients, as text. */
  readonly #kept = new Map<string, Engine>()
  /** Of the engine, when those that are kept were made. */
  #tools: readonly unknown[]

  constructor(engine: Engine) {
    this.#engine = engine
    this.#tools = engine.tools
  }

  /** The engine with those of these tools, too, whose names are free: until the next call. */
  with(tools: readonly ClientTool[]): Engine {
    if (tools.length === 0) return this.#engine
    if (this.#tools !== this.#engine.tools) this.#keep(0)
    this.#tools = this.#engine.tools
    const key = JSON.stringify(tools)
    const engine = this.#kept.get(key) ?? engineBeside(this.#engine, tools)
    this.#kept.delete(key)
    this.#kept.set(key, engine)
    this.#keep(MOST)
    return engine
  }

  #keep(most: number): void {
    for (const [key, engine] of this.#kept) {
      if (this.#kept.size <= most) return
      this.#kept.delete(key)
      if (engine !== this.#engine) engine.close()
    }
  }
}
