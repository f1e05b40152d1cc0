import { withoutOverrides } from '../../../app/bridge/overrides.js'

/**
 * Line feeds only. A carriage return at the end may be half of a line's end. What turns text round is marked: see
 * `overrides.ts`.
 */
export function withLineEnds(text: string, open: boolean): string {
  if (!/[\r\0\u202d\u202e]/.test(text)) return text
  return withoutOverrides(
    (open && text.endsWith('\r') ? text.slice(0, -1) : text).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd'),
  )
}
