// The cards of a message: those in its blocks, and those that tools asked for, which are within their callers'.

/** The cards among these blocks. */
type CardOf<B> = Extract<B, { type: 'tool_use' }>
interface Caller<B> {
  nested?: CardOf<B>[]
}

/** All cards, each in front of those within it. */
export function allCards<B extends { type: string }>(blocks: readonly (B | undefined)[]): CardOf<B>[] {
  return blocks.flatMap((block) => {
    if (block?.type !== 'tool_use') return []
    const card = block as CardOf<B> & Caller<B>
    return [card, ...allCards<B>((card.nested ?? []) as unknown as B[])]
  })
}

/** The card of a call. */
export function findCard<B extends { type: string }>(
  blocks: readonly (B | undefined)[],
  call: number,
): CardOf<B> | undefined {
  return allCards(blocks).find((card) => (card as { call?: number }).call === call)
}

/** The blocks with each card changed: first those within a card, then the card itself. */
export function mapCards<B extends { type: string }>(
  blocks: readonly B[],
  change: (card: CardOf<B>) => CardOf<B>,
): B[] {
  return blocks.map((block): B => {
    if (block?.type !== 'tool_use') return block
    const card = block as CardOf<B> & Caller<B>
    if (!card.nested) return change(card)
    return change({ ...card, nested: mapCards<B>(card.nested as unknown as B[], change) })
  })
}
