// Tells a model's comments on its work from the answer: pages fold them, voices and bubbles leave them out, the
// terminal dims them.

/** Whether a block or an event of text belongs to a comment. A provider may say so only after the text. */
export const isCommentary = (text: { type: string; phase?: string } | undefined): boolean =>
  text?.type === 'text' && text.phase === 'commentary'
