// What the page and the worker that finds the colours of code say to each other.

/** Kinds of parts of code, each with a colour. */
export const KINDS = [
  'keyword',
  'string',
  'number',
  'comment',
  'title',
  'type',
  'attribute',
  'added',
  'removed',
] as const
export type Kind = (typeof KINDS)[number]

export interface CodeJob {
  id: number
  code: string
  language: string
}

/** `begun` comes before the work. `spans`: index of the kind, start and end of each. */
export type CodeAnswer = { id: number; begun: true } | { id: number; spans: number[] }
