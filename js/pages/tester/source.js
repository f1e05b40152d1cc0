// The text of an answer with its calls and what was rejected marked. Offsets of the engine are bytes of that text.
import { foreign, h } from './dom.js'

const encoder = new TextEncoder()

/** `{ start, end, kind, diagnostic?, call? }`, in bytes, in order, none inside of another. */
export function marksOf(bytes, { message, diagnostics }) {
  const cards = message.blocks.filter(
    (block) => block.type === 'tool_use' && block.start !== undefined && block.end !== undefined,
  )
  const marks = cards.map(({ start, end, call, status }) => ({
    start,
    end,
    call,
    kind: status === 'invalid' ? 'broken' : 'call',
  }))
  for (const diagnostic of diagnostics) {
    const { offset: start, raw, call } = diagnostic
    if (start === undefined || (call !== undefined && cards.some((card) => card.call === call))) continue
    const end = raw === undefined ? wordEnd(bytes, start) : start + encoder.encode(raw).length
    marks.push({ start, end: Math.min(end, bytes.length), diagnostic, kind: 'rejected' })
  }
  marks.sort((a, b) => a.start - b.start || b.end - a.end)
  let at = 0
  return marks.filter((mark) => mark.start >= at && mark.end > mark.start && (at = mark.end))
}

/** To the end of what looks like a marker. */
function wordEnd(bytes, start) {
  let end = start
  while (end < bytes.length && end - start < 80 && !' \t\r\n`'.includes(String.fromCharCode(bytes[end]))) end++
  return end
}

/** `idOf(mark)` names the mark that belongs to a reason. */
export function drawSource(text, reply, idOf) {
  const bytes = encoder.encode(text)
  const decoder = new TextDecoder()
  const cut = (from, to) => foreign(decoder.decode(bytes.subarray(from, to)))
  const children = []
  let at = 0
  for (const mark of marksOf(bytes, reply)) {
    children.push(
      cut(at, mark.start),
      h('mark', { class: mark.kind, id: idOf(mark), tabindex: '-1' }, cut(mark.start, mark.end)),
    )
    at = mark.end
  }
  children.push(cut(at, bytes.length))
  return children
}
