// A clock that stands still until the test moves it, voices that do what the test says, and messages as a window has
// them.
import { built } from './dist.mjs'

const { applyDelta, emptyView } = await built('view')

/** Lets everything happen that waits for nothing but promises. */
export const settled = () => new Promise((resolve) => setImmediate(resolve))

export class FakeClock {
  #now = 1000
  #last = 0
  #timers = new Map()

  now = () => this.#now
  setTimeout = (run, ms) => {
    this.#timers.set(++this.#last, { run, at: this.#now + ms })
    return this.#last
  }
  clearTimeout = (id) => void this.#timers.delete(id)
  get waiting() {
    return this.#timers.size
  }

  async pass(ms) {
    const end = this.#now + ms
    await settled()
    for (;;) {
      const [next] = [...this.#timers]
        .filter(([, { at }]) => at <= end)
        .sort(([one, a], [other, b]) => a.at - b.at || one - other)
      if (!next) break
      this.#timers.delete(next[0])
      this.#now = Math.max(this.#now, next[1].at)
      next[1].run()
      await settled()
    }
    this.#now = end
    await settled()
  }
}

/** Plays by itself: `end()` ends what it says, `fail()` fails it, `at(n)` is at that character. */
export class FakeVoice {
  said = []
  #open

  speak(segment, signal) {
    this.said.push(segment.text)
    return new Promise((resolve, reject) => {
      this.#open = { segment, resolve, reject }
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  at(at) {
    this.onBoundary(this.#open.segment, at)
  }
  async end() {
    this.#open.resolve()
    await settled()
  }
  async fail() {
    this.#open.reject(new Error('no'))
    await settled()
  }
}

/** A message that the test writes: `text`, `cue`, `done` and the like. */
export class FakeMessage {
  #listeners = new Set()
  #view
  #block = -1
  #near
  #calls = 0

  constructor(id = 'm1') {
    this.id = id
    this.#view = emptyView(id)
  }
  subscribe = (listener) => (this.#listeners.add(listener), () => this.#listeners.delete(listener))
  getSnapshot = () => this.#view
  get watched() {
    return this.#listeners.size > 0
  }
  push(...deltas) {
    const next = { ...this.#view, seq: this.#view.seq + 1, blocks: [...this.#view.blocks] }
    for (const delta of deltas) applyDelta(next, delta)
    this.#view = next
    for (const listener of this.#listeners) listener()
  }
  text(text) {
    if (this.#near === undefined || this.#near !== this.#block) this.#near = ++this.#block
    this.push({ type: 'text', block: this.#block, text })
    return this
  }
  cue(channel = 'live2d:expression', ...payload) {
    const call = ++this.#calls
    const near = this.#near ?? this.#block + 1
    this.push(
      { type: 'card', block: ++this.#block, call, status: 'success', silent: true },
      { type: 'ipc', call, block: near, offset: 0, channel, payload },
    )
    return call
  }
  /** A person has it go on. */
  again() {
    this.#view = { ...this.#view, outcome: undefined, blocks: this.#view.blocks.filter(({ type }) => type !== 'error') }
    this.#block = this.#view.blocks.length - 1
    return this
  }
  failed() {
    this.push(
      { type: 'error', block: ++this.#block, code: 'network', detail: 'gone' },
      { type: 'done', outcome: 'failed' },
    )
    return this
  }
  done(outcome = 'completed') {
    this.push({ type: 'done', outcome })
  }
}

/** As much of an AudioContext as a speaker uses; sounds last as long as they say. */
export class FakeAudio {
  constructor(clock) {
    this.clock = clock
    this.state = 'running'
    this.destination = {}
    this.played = []
  }
  get currentTime() {
    return this.clock.now() / 1000
  }
  suspend = async () => void (this.state = 'suspended')
  resume = async () => void (this.state = 'running')
  close = async () => {}
  createAnalyser = () => ({ connect() {}, disconnect() {}, getFloatTimeDomainData: (samples) => samples.fill(0.1) })
  createGain = () => ({
    connect() {},
    disconnect() {},
    gain: {
      value: 1,
      setValueAtTime() {},
      linearRampToValueAtTime: (value, at) =>
        this.played.push(`faded in ${Math.round((at - this.currentTime) * 1000)}`),
    },
  })
  createBufferSource() {
    const source = {
      connect() {},
      start: (at) => {
        this.played.push(source.buffer.name)
        this.clock.setTimeout(() => source.onended?.(), (at - this.currentTime + source.buffer.duration) * 1000)
      },
      stop() {},
    }
    return source
  }
  decodeAudioData = async (bytes) => ({ name: new TextDecoder().decode(bytes), duration: 1 })
}
