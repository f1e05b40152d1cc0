// `setImmediate` and `clearImmediate`, also in a page, which has neither and makes timers wait; messages come at once.

/** What `clear` takes back. */
export interface Immediate {
  act?: (() => void) | undefined
}

interface Pair {
  set(act: () => void): Immediate
  clear(immediate: Immediate | undefined): void
}

function byMessages(): Pair {
  const waiting: Immediate[] = []
  const { port1, port2 } = new MessageChannel() as unknown as {
    port1: { onmessage: () => void }
    port2: { postMessage(message: null): void }
  }
  port1.onmessage = () => waiting.shift()?.act?.()
  return {
    set(act) {
      const immediate = { act }
      waiting.push(immediate)
      port2.postMessage(null)
      return immediate
    },
    clear(immediate) {
      if (immediate) immediate.act = undefined
    },
  }
}

const { set, clear } =
  typeof setImmediate === 'function' ? ({ set: setImmediate, clear: clearImmediate } as unknown as Pair) : byMessages()
export { set as setImmediate, clear as clearImmediate }
