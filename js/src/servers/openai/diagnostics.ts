import type { DiagnosticCode } from '../../engine/core/codes.js'
import type { TextToolCallOptions } from './openai-options.js'

/** Counts what was noticed about one request and its answer. */
export class Diagnostics {
  readonly #counts = new Map<string, number>()

  constructor(
    readonly model: string,
    readonly tell: TextToolCallOptions['onDiagnostic'],
  ) {}

  add(code: DiagnosticCode, detail = ''): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
    this.tell?.({ model: this.model, code, detail })
  }

  /**
   * `unterminated_block=1, other_format=1`, as the header `x-sluice-diagnostics` has it; empty where there is nothing
   * to tell.
   */
  toString(): string {
    return [...this.#counts].map(([code, count]) => `${code}=${count}`).join(', ')
  }
}

/**
 * Where the counts stand: a header, or in front of the end of a stream, whose headers are long gone, a comment of the
 * same name.
 */
export const DIAGNOSTICS_HEADER = 'x-sluice-diagnostics'
