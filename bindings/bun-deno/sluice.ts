/**
 * Sluice for Bun and Deno, by FFI: one LLM turn as one unbroken message.
 *
 *     using engine = new Engine({ tools: [] })
 *     using turn = engine.turn({ wire: 'openai-chat', request })
 *     for (const event of turn.events()) …
 *
 * The rules are those of sluice.h: after every call that changes a turn, drain it.
 */
export * from './turn.ts'
