// What an error says to people.

/** An error as the host, the client or the browser tells it. */
export interface Fault {
  code?: string | undefined
  /** Which member of what was given is wrong. */
  path?: string | undefined
  detail: string
  /** What can be done about it. */
  hint?: string | undefined
}

export function faultOf(error: unknown): Fault {
  const { code, path, detail, message, hint } = (typeof error === 'object' && error !== null ? error : {}) as {
    [member: string]: string | undefined
  }
  return { code, path, detail: detail ?? message ?? String(error), hint }
}

/** What it says, in a sentence of ours, and what can be done about it. */
export function faultText(error: unknown, sentence: (detail: string) => string): string {
  const { detail, hint } = faultOf(error)
  return [sentence(detail), hint].filter(Boolean).join(' ')
}
