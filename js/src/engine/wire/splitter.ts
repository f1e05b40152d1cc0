// How text and arguments become deltas.
import type { Splitter } from './scripted-answer.js'

/** Words (`token`), `whole`, or so many characters. */
export function splitter(deltas: 'token' | 'whole' | number = 'token'): Splitter {
  if (deltas === 'whole') return (text) => (text === '' ? [] : [text])
  if (deltas === 'token') {
    // A word with the blanks before it, or two characters of writing that has none.
    return (text) =>
      text.match(/\s*(?:[\u3000-\u9fff\uff00-\uffef]{1,2}|[^\s\u3000-\u9fff\uff00-\uffef]{1,12})|\s+/gu) ?? []
  }
  return function* (text) {
    const points = [...text]
    for (let at = 0; at < points.length; at += deltas) yield points.slice(at, at + deltas).join('')
  }
}
