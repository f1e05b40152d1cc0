// Sounds of texts for the windows: the app's key stays here.
import { toBase64 } from '../../engine/core/base64.js'
import { joined } from '../../engine/core/bytes.js'
import { SluiceError } from '../../engine/core/errors.js'
import { refuse } from './checks.js'
import type { HostOptions } from './host-types.js'
import type { HostWindow } from './window.js'

/** A speaker asks for the segment that is heard and for those that are made ready; more is no speaker. */
const MOST_AT_A_TIME = 6
const MOST_BYTES = 8_000_000
const PATIENCE_MS = 30_000

export class Speech {
  readonly #make: HostOptions['speech']
  readonly #open = new Map<HostWindow, number>()
  readonly #making = new Map<AbortController, HostWindow>()

  constructor(make: HostOptions['speech']) {
    this.#make = make
  }

  /** The sound of a text in base64. */
  async of(window: HostWindow, text: string): Promise<string> {
    if (!window.rights.chat && !window.rights.pet) throw refuse('forbidden', 'this window lacks the right chat or pet')
    if (!this.#make) throw refuse('state', 'the host makes no speech: it has no option `speech`')
    const open = this.#open.get(window) ?? 0
    if (open >= MOST_AT_A_TIME) throw refuse('limit', `expected at most ${MOST_AT_A_TIME} texts at a time`)
    this.#open.set(window, open + 1)
    const end = new AbortController()
    this.#making.set(end, window)
    const late = setTimeout(
      () => end.abort(new Error(`the sound of a text took more than ${PATIENCE_MS} ms`)),
      PATIENCE_MS,
    )
    try {
      return await this.#collect(this.#make(text, end.signal), end.signal)
    } finally {
      clearTimeout(late)
      this.#making.delete(end)
      const left = (this.#open.get(window) ?? 1) - 1
      if (left > 0) this.#open.set(window, left)
      else this.#open.delete(window)
    }
  }

  /** The window is gone: nobody hears what is being made for it. */
  leave(window: HostWindow): void {
    for (const [end, owner] of this.#making)
      if (owner === window) end.abort(new SluiceError({ code: 'closed', detail: 'the window was closed' }))
  }

  close(): void {
    for (const end of this.#making.keys()) end.abort(new SluiceError({ code: 'closed', detail: 'the host was closed' }))
  }

  async #collect(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
    const all: Uint8Array[] = []
    let length = 0
    const ended = new Promise<never>((_, fail) =>
      signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true }),
    )
    ended.catch(() => {})
    const steps = pieces[Symbol.asyncIterator]()
    let done: boolean | undefined
    try {
      for (;;) {
        const step = await Promise.race([steps.next(), ended])
        done = step.done
        if (step.done) return toBase64(joined(all))
        all.push(step.value)
        length += step.value.length
        if (length > MOST_BYTES) throw refuse('limit', `the sound of a text has more than ${MOST_BYTES} bytes`)
      }
    } finally {
      // not awaited: what hangs would keep its place for ever
      if (!done) Promise.resolve(steps.return?.()).catch(() => {})
    }
  }
}
