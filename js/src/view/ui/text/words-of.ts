// A Markdown text as it is read out: its words, without the marks. No DOM.
import type { Strings } from '../shared/ui-strings.js'
import { Cutter } from './cut.js'
import { withoutMarks } from './cue-marks.js'
import { drawn, type Drawn } from './text-tree.js'

/** Behind these a voice rests. */
const lines = new Set(['br', 'p', 'li', 'tr', 'h3', 'h4', 'h5', 'h6', 'blockquote'])

/** `most`: how many characters are wanted at most. */
export function wordsOf(text: string, words: Strings, most: number): string {
  const { finished, tail } = new Cutter().read(withoutMarks(text.slice(0, 2 * most)).replace(/\r\n?/g, '\n'), false)
  const said = [...finished, ...tail]
    .flatMap((block) => drawn(block, words))
    .map(saidOf)
    .join('\n')
  return said
    .replace(/[ \t]*\n\s*/g, '\n')
    .trim()
    .slice(0, most)
}

function saidOf(node: Drawn): string {
  if (typeof node === 'string') return node
  if ('own' in node)
    return node.own === 'code' ? node.code : node.own === 'plain' ? node.text : node.own === 'math' ? node.written : ''
  const { tag, attributes, children } = node
  // buttons, and the address of a picture
  if (attributes['class'] === 'bar' || attributes['class'] === 'address') return ''
  const said = children.map(saidOf).join('')
  return lines.has(tag) ? `${said}\n` : tag === 'td' || tag === 'th' ? `${said} ` : said
}
