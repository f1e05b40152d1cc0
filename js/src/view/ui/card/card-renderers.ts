// What an app draws of a card itself. State, question and what the model read stay the kit's.
import type { CardView, MessageSource } from '../ui-types.js'

/** What a renderer gets beside the card. */
export interface CardContext {
  /** The message that the card belongs to, while it is live. */
  message?: MessageSource
  /** The language of the card, as a tag such as `zh-CN`. */
  lang: string
  /** What was drawn the last time. */
  node?: Node
}

/** Draws the cards of a tool. */
export interface CardRenderer {
  /** Draws the card whenever it changed, the same node again is kept. Null: the plain card. Where it throws, too. */
  render(card: CardView, context: CardContext): Node | null
  /** One line about the call, in place of its arguments. */
  line?(card: CardView): string
  /** What it draws is shown without opening the card. Default false. */
  open?: boolean
}

const renderers = new Map<string, CardRenderer>()
const listeners = new Set<() => void>()

/**
 * Draws the cards of these tools: by a renderer, or by a custom element of this tag, which gets `.card`, `.message` and
 * `.lang`. The node stands in a slot of the card; it brings its own styles. Returns what takes them away.
 */
export function registerCards(given: { readonly [tool: string]: CardRenderer | string }): () => void {
  const mine = new Map(Object.entries(given).map(([tool, one]) => [tool, typeof one === 'string' ? byTag(one) : one]))
  for (const [tool, one] of mine) renderers.set(tool, one)
  tell()
  return () => {
    for (const [tool, one] of mine) if (renderers.get(tool) === one) renderers.delete(tool)
    tell()
  }
}

/** The renderer of a tool. */
export const rendererOf = (tool: string | undefined): CardRenderer | undefined =>
  tool === undefined ? undefined : renderers.get(tool)

/** Calls `listener` when renderers come or go. Returns what ends it. */
export function onRenderers(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}

function byTag(tag: string): CardRenderer {
  return {
    open: true,
    render: (card, { message, lang, node }) =>
      Object.assign(node ?? document.createElement(tag), { card, message, lang }),
  }
}
