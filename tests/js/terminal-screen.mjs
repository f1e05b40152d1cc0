// A terminal as the commands use it: what stands on it after these bytes, with as many rows above the screen as there
// were. Sequences it does not know are an error: nothing but what is listed here may reach a person's terminal.
import { built } from './dist.mjs'

const { columns: widthOf } = await built('rows')

/** Gives the rows, without blanks at their ends. `styles`: text in the style that `[1]bold[0]` names. */
export function screenOf(bytes, columns, { styles = false } = {}) {
  const rows = [[]]
  let row = 0
  let column = 0
  let saved = [0, 0]
  let style = ''
  const put = (text) => {
    const wide = widthOf(text)
    if (wide === 0)
      return void (rows[row][Math.max(0, column - 1)] = {
        ...rows[row][Math.max(0, column - 1)],
        text: (rows[row][Math.max(0, column - 1)]?.text ?? '') + text,
      })
    if (column + wide > columns) next(0)
    rows[row][column] = { text, style }
    for (let i = 1; i < wide; i++) rows[row][column + i] = { text: '', style }
    column += wide
  }
  const next = (to = column) => {
    row++
    column = to
    rows[row] ??= []
  }
  for (const [, sequence, point] of bytes.matchAll(/(\x1b(?:\[[?\d;]*[A-Za-z]|.))|([\s\S])/gu)) {
    if (sequence === undefined) {
      if (point === '\r') column = 0
      else if (point === '\n') next()
      else if (point === '\b') column = Math.max(0, column - 1)
      else if (point === '\x07') continue
      else if (/\p{Cc}/u.test(point))
        throw new Error(`the control U+${point.codePointAt(0).toString(16)} reached the terminal`)
      else put(point)
      continue
    }
    const [, numbers = '', what = sequence[1]] = /^\x1b\[([?\d;]*)([A-Za-z])$/.exec(sequence) ?? []
    const number = Number(numbers) || 1
    if (what === 'm') style = numbers === '0' ? '' : numbers
    else if (what === 'K') rows[row].length = Math.min(rows[row].length, column)
    else if (what === 'J') {
      rows[row].length = Math.min(rows[row].length, column)
      rows.length = row + 1
    } else if (what === 'A') row = Math.max(0, row - number)
    else if (what === 'C') column += number
    else if (what === 'D') column = Math.max(0, column - number)
    else if (what === 'G') column = number - 1
    else if (what === '7') saved = [row, column]
    else if (what === '8') [row, column] = saved
    else if (!['h', 'l'].includes(what))
      throw new Error(`the sequence ${JSON.stringify(sequence)} reached the terminal`)
  }
  return rows.map((cells) => {
    let text = ''
    let now = ''
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] ?? { text: ' ', style: '' }
      if (styles && cell.style !== now) text += `[${cell.style || 0}]`
      now = cell.style
      text += cell.text
    }
    return (styles && now ? `${text}[0]` : text).trimEnd()
  })
}
