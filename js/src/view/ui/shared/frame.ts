// Runs functions once per animation frame, however often they were scheduled. A hidden page gets no frames, so a timer
// stands in.

const FALLBACK_MS = 100

const queue = new Set<() => void>()
let frame = 0
let timer: ReturnType<typeof setTimeout> | undefined

export function schedule(run: () => void): void {
  if (queue.size === 0) {
    frame = requestAnimationFrame(flush)
    timer = setTimeout(flush, FALLBACK_MS)
  }
  queue.add(run)
}

export function unschedule(run: () => void): void {
  queue.delete(run)
}

function flush(): void {
  cancelAnimationFrame(frame)
  clearTimeout(timer)
  const runs = [...queue]
  queue.clear()
  for (const run of runs) run()
}
