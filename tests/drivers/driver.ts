// The driver of bindings/bun-deno, in Bun and in Deno; README.md describes the lines.
import { Delta, Engine, SluiceError, type Turn } from '../../bindings/bun-deno/sluice.ts'
import { answerLines, bytes } from './lines.mjs'

// deno-lint-ignore no-explicit-any
type Asked = any
const engines = new Map<number, Engine>()
const turns = new Map<number, Turn>()
let saved = ''

const piece = (it: Delta | string) => (it instanceof Delta ? [it.kind, it.index, it.text] : it)

const onHandles: Record<string, (asked: Asked) => unknown> = {
  engine: (asked) => void engines.set(asked.engine, new Engine(asked.document)),
  turn: (asked) => void turns.set(asked.turn, engines.get(asked.engine)!.turn(asked.document)),
  restore: (asked) => void turns.set(asked.turn, engines.get(asked.engine)!.restore(asked.document ?? saved)),
  close: (asked) => {
    const [handles, number] = 'turn' in asked ? [turns, asked.turn] : [engines, asked.engine]
    handles.get(number)!.close()
    handles.delete(number)
  },
}

const onTurn: Record<string, (turn: Turn, asked: Asked) => unknown> = {
  response: (turn, { status, headers }) => turn.response(status, headers),
  feed: (turn, asked) => turn.feed(bytes(asked.bytes)),
  finish: (turn, { how, detail }) => turn.finish(how, detail),
  approve: (turn, { call, decision, edited }) => turn.approve(call, decision, edited),
  deny: (turn, { call, reason }) => turn.deny(call, reason),
  refuse: (turn, { call, reason }) => turn.refuse(call, reason),
  cancel: (turn, { call, reason }) => turn.cancel(call, reason),
  conclude: (turn, { how, text }) => turn.conclude(how, text),
  submit: (turn, { call, kind, data }) => turn.submit(call, data, kind),
  resolve: (turn, asked) => turn.resolve(asked.call, asked.arguments),
  call: (turn, { call, document }) => ({ number: turn.call(call, document) }),
  judge: (turn, { call, rules }) => ({ way: turn.judge(call, rules) }),
  tick: (turn, { now }) => ({ next: turn.tick(now) }), // JSON writes Infinity as null
  next: (turn) => ({ text: turn.nextEvent(String) }),
  events: (turn) => ({ events: [...turn.events(String)] }),
  next_delta: (turn) => {
    const delta = turn.nextDelta()
    return { delta: delta && piece(delta) }
  },
  pieces: (turn) => ({ pieces: [...turn.pieces(String)].map(piece) }),
  find_tool: (turn, { name }) => ({ text: turn.findTool(name, String) }),
  get: (turn, { what }) => {
    const text = turn.get(what, String)
    if (what === 'state' && text !== null) saved = text
    return { text }
  },
}

answerLines((asked: Asked) => {
  try {
    const members = asked.do in onHandles ? onHandles[asked.do](asked) : onTurn[asked.do](turns.get(asked.turn)!, asked)
    return { code: 0, ...(members as object | undefined) }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    const { code, name, message, path = '' } = error.detail
    return { code, name, message, path }
  }
})
