// What is told of an answer as server-sent events, as a reader takes them.
import { onAbort } from '../../engine/core/on-abort.js'
import type { LoggedChunks } from './stream-log.js'

/** How a protocol writes its stream of server-sent events. */
export interface Framing {
  /** Beside those that every such stream has. */
  headers: { readonly [name: string]: string }
  last: string
}

/** How an answer is read. */
export interface Reading {
  framing: Framing
  /** Milliseconds of silence after which a comment keeps the connection alive. */
  keepAliveMs: number
  /** How many chunks behind the first one the reader has already. */
  known?: number
  /** Aborted where the reader has gone, or nothing can be read any more. */
  signals: readonly AbortSignal[]
  /** Called once: the reader has gone, or has all. */
  onLeave?: () => void
}

const encoder = new TextEncoder()
const KEEP_ALIVE = encoder.encode(': keep-alive\n\n')

/** What a log tells, from its beginning: it is being read. */
export interface Opened {
  items: AsyncIterator<LoggedChunks>
  first: LoggedChunks
}

/** @returns null where no answer is written. */
export async function opened(logged: AsyncIterable<LoggedChunks>): Promise<Opened | null> {
  const items = logged[Symbol.asyncIterator]()
  const first = await items.next()
  return first.done ? null : { items, first: first.value }
}

export function eventStream(
  { items, first }: Opened,
  { framing, keepAliveMs, known = 0, signals, onLeave }: Reading,
): Response {
  const { logNumber } = first
  let next: Promise<IteratorResult<LoggedChunks>> | undefined = Promise.resolve({ value: first })
  let at = 0
  let gone = false
  let forget: (() => void)[] = []
  const leave = (): void => {
    if (gone) return
    gone = true
    for (const one of forget) one()
    void items.return?.()
    onLeave?.()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      forget = signals.map((signal) =>
        onAbort(signal, () => {
          if (!gone) controller.error(signal.reason)
          leave()
        }),
      )
    },
    async pull(controller) {
      try {
        const item = await unlessSilent((next ??= items.next()), keepAliveMs)
        if (gone) return
        if (item === undefined) return controller.enqueue(KEEP_ALIVE)
        next = undefined
        if (item.done) {
          if (framing.last !== '') controller.enqueue(encoder.encode(framing.last))
          controller.close()
          return leave()
        }
        // What a client has already cannot be taken back within a stream: it reads anew.
        if (item.value.logNumber !== logNumber) throw new Error('the answer begins anew: read it again')
        const fresh = item.value.chunks.filter((_, place) => at + place === 0 || at + place > known)
        at += item.value.chunks.length
        controller.enqueue(encoder.encode(fresh.map(lineOf).join('')))
      } catch (error) {
        leave()
        throw error
      }
    },
    cancel: leave,
  })
  return new Response(body, { headers: headersOf(framing) })
}

/** What was said already, as such a stream. */
export const streamOf = (chunks: readonly unknown[], framing: Framing): Response =>
  new Response(chunks.map((chunk) => lineOf(JSON.stringify(chunk))).join('') + framing.last, {
    headers: headersOf(framing),
  })

const lineOf = (chunk: string): string => `data: ${chunk}\n\n`

const headersOf = ({ headers }: Framing): { [name: string]: string } => ({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  ...headers,
})

/** Undefined where nothing came for so long. */
async function unlessSilent<T>(next: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  try {
    return await Promise.race([next, silence])
  } finally {
    clearTimeout(timer)
  }
}
