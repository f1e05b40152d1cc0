// Colours of code: drawn as ranges over its text, so that no node is made or moved. Only for blocks in view. Where the
// browser has no custom highlights, or the page allows no worker, there are none.
import { schedule } from '../shared/frame.js'
import type { CodeView } from './code-view.js'
import { KINDS, type CodeAnswer, type CodeJob } from './code-messages.js'

/** How long the worker may take for a block. */
const MOST_MS = 200
/** How long it may take to be loaded. */
const LOADING_MS = 10_000
const LONGEST = 100_000
/** A block that still grows is coloured this often, and up to this many characters. */
const GROWING_MS = 400
/**
 * With every change of a colour the browser looks at all of them again: they come together, not more often than this.
 */
const TOGETHER_MS = 100
const APART_MS = 300
/** Colours that nobody sees any more may stay this long, unless others come. */
const LEFT_MS = 2000
const LONGEST_GROWING = 20_000

interface State {
  view: CodeView
  visible: boolean
  coloured: string // the code that has colours
  ranges: StaticRange[][]
  drawn: StaticRange[][] // of them, those in the page
  /** It took too long, or its language is unknown. */
  given: boolean
  next: number // not before this time
}

const states = new WeakMap<Element, State>()
const waiting = new Set<State>()
const highlights = new Map<string, Highlight>()
let observer: IntersectionObserver | undefined
let worker: Worker | undefined
let broken =
  typeof Worker === 'undefined' ||
  typeof Highlight === 'undefined' ||
  typeof CSS === 'undefined' ||
  !('highlights' in CSS)
let job: { id: number; state: State; code: string; timer: ReturnType<typeof setTimeout> } | undefined
let jobs = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Colours the block once it is in view, and again when it grew. */
export function colour(view: CodeView): void {
  if (broken || !view.language || view.code.length > LONGEST) return
  let state = states.get(view.element)
  if (!state) {
    state = {
      view,
      visible: false,
      coloured: '',
      ranges: NONE,
      drawn: NONE,
      given: false,
      next: performance.now() + GROWING_MS,
    }
    states.set(view.element, state)
    observer ??= new IntersectionObserver(seen, { rootMargin: '200px' })
    observer.observe(view.element)
  } else if (state.visible) ask(state)
}

function seen(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    const state = states.get(target)
    if (!state || state.visible === isIntersecting) continue
    state.visible = isIntersecting
    draw(state)
    if (isIntersecting) ask(state)
    else waiting.delete(state)
  }
}

function ask(state: State): void {
  const { view, given, coloured } = state
  if (given || view.code === coloured || (!view.closed && view.code.length > LONGEST_GROWING)) return
  waiting.add(state)
  next()
}

function next(): void {
  if (job || broken) return
  clearTimeout(timer)
  const now = performance.now()
  let soonest = Infinity
  for (const state of waiting) {
    const at = state.view.closed ? 0 : state.next
    if (at <= now) return begin(state)
    soonest = Math.min(soonest, at)
  }
  if (soonest < Infinity) timer = setTimeout(next, soonest - now)
}

function begin(state: State): void {
  waiting.delete(state)
  worker ??= start()
  if (!worker) return
  const { code, language } = state.view
  job = { id: ++jobs, state, code, timer: setTimeout(giveUp, LOADING_MS) }
  worker.postMessage({ id: job.id, code, language } satisfies CodeJob)
}

function start(): Worker | undefined {
  try {
    const { href } = new URL('./code.js', import.meta.url)
    const { trustedTypes } = globalThis as {
      trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } }
    }
    const address = trustedTypes
      ? trustedTypes.createPolicy('sluice-code', { createScriptURL: () => href }).createScriptURL('')
      : href
    const made = new Worker(address, { type: 'module', name: 'sluice-code' })
    made.addEventListener('message', ({ data }: MessageEvent<CodeAnswer>) => take(data))
    made.addEventListener('error', (event) => {
      event.preventDefault() // where the file is not, or may not run, code has no colours
      stop()
    })
    return made
  } catch {
    stop()
    return undefined
  }
}

function stop(): void {
  broken = true
  clearTimeout(job?.timer)
  job = undefined
  waiting.clear()
  worker?.terminate()
  worker = undefined
}

/** The worker takes too long: this block gets no colours, and another worker does the next one. */
function giveUp(): void {
  if (job) job.state.given = true
  job = undefined
  worker?.terminate()
  worker = undefined
  next()
}

function take(answer: CodeAnswer): void {
  if (!job || answer.id !== job.id) return
  clearTimeout(job.timer)
  if ('begun' in answer) {
    job.timer = setTimeout(giveUp, MOST_MS)
    return
  }
  const { state, code } = job
  job = undefined
  state.next = performance.now() + GROWING_MS
  if (answer.spans.length === 0 && code.trim() && state.view.closed) state.given = true
  if (state.view.code.startsWith(code)) {
    state.coloured = code
    state.ranges = rangesOf(state.view.texts, answer.spans)
    draw(state)
  }
  if (state.visible) ask(state)
  next()
}

/** The ranges by kind. A span may reach over several text nodes. */
function rangesOf(texts: readonly Text[], spans: readonly number[]): StaticRange[][] {
  const ranges: StaticRange[][] = KINDS.map(() => [])
  let [text, before] = [0, 0] // the text node, and what stands before it
  for (let at = 0; at + 2 < spans.length; at += 3) {
    const [kind, from, to] = [spans[at] as number, spans[at + 1] as number, spans[at + 2] as number]
    for (;;) {
      const node = texts[text]
      if (!node) return ranges
      const end = before + node.length
      if (from < end) {
        const stop = Math.min(to, end)
        const start = Math.max(from, before)
        if (stop > start)
          ranges[kind]?.push(
            new StaticRange({
              startContainer: node,
              startOffset: start - before,
              endContainer: node,
              endOffset: stop - before,
            }),
          )
        if (to <= end) break
      }
      before = end
      text++
    }
  }
  return ranges
}

/** Those whose colours in the page are not what they should be. */
const stale = new Set<State>()
const NONE: StaticRange[][] = []
let drawing: ReturnType<typeof setTimeout> | undefined
let drawingAt = Infinity
let drawnAt = -Infinity

function draw(state: State): void {
  if ((state.visible ? state.ranges : NONE) === state.drawn) return void stale.delete(state)
  stale.add(state)
  const now = performance.now()
  const at = state.visible ? Math.max(now + TOGETHER_MS, drawnAt + APART_MS) : now + LEFT_MS
  if (at >= drawingAt) return
  clearTimeout(drawing)
  drawingAt = at
  drawing = setTimeout(() => schedule(drawAll), at - now)
}

function drawAll(): void {
  drawing = undefined
  drawingAt = Infinity
  drawnAt = performance.now()
  for (const state of stale) {
    const ranges = state.visible ? state.ranges : NONE
    if (ranges === state.drawn) continue
    each(state.drawn, (highlight, range) => highlight.delete(range))
    each(ranges, (highlight, range) => highlight.add(range))
    state.drawn = ranges
  }
  stale.clear()
}

function each(ranges: readonly StaticRange[][], run: (highlight: Highlight, range: StaticRange) => void): void {
  ranges.forEach((some, at) => {
    if (some.length > 0) for (const range of some) run(highlightOf(KINDS[at] as string), range)
  })
}

function highlightOf(kind: string): Highlight {
  const name = `sluice-${kind}`
  let highlight = highlights.get(name)
  if (!highlight) {
    // a second copy of this module shares them
    highlight = (CSS.highlights.get(name) as Highlight | undefined) ?? new Highlight()
    CSS.highlights.set(name, highlight)
    highlights.set(name, highlight)
  }
  return highlight
}
