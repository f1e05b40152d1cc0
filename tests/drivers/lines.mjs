// The lines of the driver protocol, for the drivers in JavaScript.
import { readFileSync, writeSync } from 'node:fs'

/** @param {string} hex */
export const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))

/**
 * Answers every line of the standard input.
 * @param {(asked: any) => object} answer
 */
export function answerLines(answer) {
  let out = ''
  for (const line of readFileSync(0, 'utf8').split('\n')) {
    if (line !== '') out += `${JSON.stringify(answer(JSON.parse(line)))}\n`
    if (out.length < 1 << 20) continue
    write(out)
    out = ''
  }
  write(out)
}

/** @param {string} text */
function write(text) {
  for (let data = new TextEncoder().encode(text); data.length > 0; ) data = data.subarray(writeSync(1, data))
}
