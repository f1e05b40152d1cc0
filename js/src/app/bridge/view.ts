// A message from its deltas: the same function makes what windows show and what the main process gives to a late
// window.
import type { AnswerInfo } from '../../engine/core/events.js'
import { givenTwice } from './twice.js'
import type { QuestionView, BlockView, CardDelta, CardView, Delta, MessageView } from './messages.js'

export function emptyView(id: string): MessageView {
  return { id, seq: 0, role: 'assistant', rounds: 0, blocks: [], questions: [] }
}

/** The message behind these deltas. What did not change is the same object as before. */
export function applyDeltas(view: MessageView, deltas: readonly Delta[], seq: number): MessageView {
  const next: MessageView = { ...view, seq, blocks: [...view.blocks] }
  for (const delta of deltas) applyDelta(next, delta)
  return next
}

/** What shows that a request which was sent again is answered, or given up. */
const endsWait: ReadonlySet<Delta['type']> = new Set<Delta['type']>([
  'text',
  'reasoning',
  'card',
  'media',
  'round',
  'error',
  'done',
])

/** Changes `view` and the list of its blocks, never a block itself: for whoever owns these two. */
export function applyDelta(view: MessageView, delta: Delta): void {
  if (view.retry && endsWait.has(delta.type)) delete view.retry
  switch (delta.type) {
    case 'text':
    case 'reasoning': {
      const { block, ...given } = delta
      const old = view.blocks[block]
      view.blocks[block] = {
        ...(old as object),
        ...given,
        text: old && 'text' in old ? old.text + delta.text : delta.text,
      }
      return
    }
    case 'thought': {
      const block = view.blocks[delta.block]
      if (block?.type === 'reasoning') view.blocks[delta.block] = { ...block, ms: delta.ms }
      return
    }
    case 'card': {
      const { type: _, block, ...fields } = delta
      if (block !== undefined) view.blocks[block] = changed(view.blocks[block] as CardView | undefined, fields)
      else if (fields.parent) change(view, fields.parent.call, (caller) => withNested(caller, fields))
      if (fields.round !== undefined && fields.round > view.rounds) view.rounds = fields.round
      if (fields.status && !fields.status.startsWith('awaiting')) view.questions = without(view.questions, delta.call)
      return
    }
    case 'args':
      return change(view, delta.call, (card) => ({ ...card, writing: (card.writing ?? '') + delta.text }))
    case 'progress':
      return change(view, delta.call, ({ progressDone: _, progressTotal: __, ...card }) => ({
        ...card,
        progress: delta.text,
        ...(delta.done === undefined ? {} : { progressDone: delta.done }),
        ...(delta.total === undefined ? {} : { progressTotal: delta.total }),
      }))
    case 'retry': {
      const { type: _, ...retry } = delta
      view.retry = retry
      return
    }
    case 'ipc': {
      const { type: _, call, ...sent } = delta
      return change(view, call, (card) => ({ ...card, sent }))
    }
    case 'notice':
      return change(view, delta.call, (card) => ({ ...card, notice: delta.text }))
    case 'ask':
      view.questions = [...without(view.questions, delta.ask.call), delta.ask]
      return
    case 'usage': {
      const { type: _, round, ...usage } = delta
      answer(view, round, { usage })
      view.usage = {}
      for (const { usage } of view.answers ?? [])
        for (const kind of [
          'inputTokens',
          'outputTokens',
          'cachedTokens',
          'cacheWriteTokens',
          'reasoningTokens',
        ] as const)
          if (usage?.[kind] !== undefined) view.usage[kind] = (view.usage[kind] ?? 0) + usage[kind]
      return
    }
    case 'sources': {
      const block = view.blocks[delta.block]
      if (block?.type === 'text') view.blocks[delta.block] = { ...block, sources: delta.sources }
      return
    }
    case 'media': {
      const block = view.blocks[delta.block]
      const parts = block?.type === 'media' ? block.parts : []
      view.blocks[delta.block] = {
        ...(block?.type === 'media' ? block : { type: 'media' }),
        parts: [...parts, delta.part],
      }
      return
    }
    case 'retracted':
      for (const at of delta.blocks) {
        const block = view.blocks[at]
        if (block?.type === 'text') view.blocks[at] = { ...block, retracted: true }
      }
      return
    case 'round': {
      const { type: _, round, ...rest } = delta
      answer(view, round, rest)
      return
    }
    case 'error': {
      const { type, block, code, detail, hint } = delta
      if (block !== undefined) view.blocks[block] = { type, code, detail, ...(hint === undefined ? {} : { hint }) }
      return
    }
    case 'prepared':
      delete view.preparing
      return
    case 'done':
      delete view.preparing
      view.outcome = delta.outcome
      if (delta.finishReason) view.finishReason = delta.finishReason
      view.questions = []
      return
  }
}

function answer(view: MessageView, round: number, known: AnswerInfo): void {
  const answers = Array.from(
    { length: Math.max(round, view.answers?.length ?? 0) },
    (_, at) => view.answers?.[at] ?? {},
  )
  answers[round - 1] = { ...answers[round - 1], ...known }
  view.answers = answers
  view.rounds = Math.max(view.rounds, round)
}

function changed(old: CardView | undefined, fields: Omit<CardDelta, 'type' | 'block'>): CardView {
  const card: CardView = { ...old, ...fields, type: 'tool_use' }
  if (card.arguments && card.writing !== undefined) {
    const twice = givenTwice(card.writing)
    if (twice.length > 0) card.twice = twice
    delete card.writing
  }
  return card
}

/** The caller with one of its nested cards changed, or with a new one. */
function withNested(caller: CardView, fields: Omit<CardDelta, 'type' | 'block'>): CardView {
  const nested = [...(caller.nested ?? [])]
  const at = nested.findIndex(({ call }) => call === fields.call)
  nested[at < 0 ? nested.length : at] = changed(nested[at], fields)
  return { ...caller, nested }
}

function change(view: MessageView, call: number, make: (card: CardView) => CardView): void {
  for (let at = view.blocks.length - 1; at >= 0; at--) {
    const block: BlockView | undefined = view.blocks[at]
    const card = block?.type === 'tool_use' ? changedWithin(block, call, make) : undefined
    if (!card) continue
    view.blocks[at] = card
    return
  }
}

/** The card with this call in it changed; undefined: it is neither the call nor one of its nested ones. */
function changedWithin(card: CardView, call: number, make: (card: CardView) => CardView): CardView | undefined {
  if (card.call === call) return make(card)
  for (const one of card.nested ?? []) {
    const inner = changedWithin(one, call, make)
    if (inner) return { ...card, nested: (card.nested ?? []).map((other) => (other === one ? inner : other)) }
  }
  return undefined
}

const without = (asks: QuestionView[], call: number): QuestionView[] =>
  asks.some((ask) => ask.call === call) ? asks.filter((ask) => ask.call !== call) : asks
