// What a scripted answer says. The files beside this one write it as each provider would.

/** The wires that a script is served on. */
export type ScriptedWire =
  | 'openai-chat'
  | 'anthropic'
  | 'gemini'
  | 'gemini-interactions'
  | 'openai-responses'
  | 'ollama'

/** A tool call of an answer. */
export interface ScriptedCall {
  /** Default: one that is unique in the answer. `gemini` sends an id only where there is one here. */
  id?: string
  /** The name as the wire has it: `weather_now`. */
  name: string
  /**
   * An object is written as JSON; a string is sent as it is, also where it is broken (where the wire has an object:
   * `{}`).
   */
  arguments?: object | string
}

/** A tool that the provider runs itself. `openai-chat` and `ollama` have none: they leave it out. */
export interface ProviderCall {
  /** `web_search`, `code_execution`, or any other name. `openai-responses` calls the second `code_interpreter`. */
  name: string
  /** What the model asked for: `{ query }`, `{ code }`. Default: `{}`. */
  arguments?: object
  /** A text, which becomes a result of the provider's shape, or that result itself. Default: an empty text. */
  result?: string | object
}

/** Tokens, as `openai-chat` counts them; every other wire gets them under its own names. */
export interface ScriptedUsage {
  /** Of the request, cached tokens included. */
  prompt_tokens: number
  /** Of the answer, reasoning included. */
  completion_tokens: number
  /** Of the request: read from the cache. */
  cached_tokens?: number
  /** Of the request: written to the cache. */
  cache_write_tokens?: number
  /** Of the answer: what the model thought. */
  reasoning_tokens?: number
}

/** A piece of an answer: something that is said, or something that happens meanwhile. */
export type ScriptedAnswerPart =
  | {
      text: string
    }
  | {
      /** What it thinks. Empty: the provider shows none of it, but signs it. */
      reasoning: string
      /** Default false: true where the provider sends the thoughts encrypted. */
      redacted?: boolean
    }
  | {
      /** One call of a tool. */
      call: ScriptedCall
    }
  | {
      /** Calls in one assistant message, their deltas one after another. */
      calls: ScriptedCall[]
    }
  | {
      /** A tool that the provider runs, with its result. */
      provider: ProviderCall
    }
  | {
      /** The provider fails in mid-stream: its message, or its error object. The answer ends here. */
      error: string | object
    }
  | {
      /** Bytes of the body, as they are. */
      raw: string | Uint8Array
    }
  | {
      /** Milliseconds without a byte, or a promise: nothing is sent until it settles. */
      wait: number | Promise<unknown>
    }
  | {
      /** The connection breaks here. */
      cut: true
    }

/** One answer of the model: reasoning, then text, then calls; or a refusal. */
export interface ScriptedAnswer {
  /** The text of the answer. */
  text?: string
  /** What it thinks before. */
  reasoning?: string
  /** What it calls behind. */
  calls?: ScriptedCall[]
  /** Instead of the three above: anything, in this order. */
  parts?: ScriptedAnswerPart[]
  /**
   * Why it ends: `stop`, `tool_calls`, `length`, `content_filter`, `pause` or `malformed`, each wire in its own word. A
   * word that the wire lacks is sent as it is. Default: `tool_calls` where there are calls, else `stop`. null: none is
   * sent.
   */
  finish?: string | null
  /** Default true: reasoning and calls are signed where the provider signs them, and the signatures must come back. */
  signed?: boolean
  /** Default: none is told (`anthropic`, which always tells: zeros). */
  usage?: ScriptedUsage
  /** Default true: what ends a stream, `data: [DONE]` and the like. */
  done?: boolean
  /** 200 unless told. From 400 on the body is `error`. */
  status?: number
  /** Further headers of the response. */
  headers?: Record<string, string>
  /** The error object, or its message. */
  error?: string | object
  /** Milliseconds before the first byte. */
  delayMs?: number
  /** Answers with one JSON body, as servers without streaming do. */
  json?: boolean
}

/** One piece of the body, or something that happens between pieces. */
export type Step = { bytes: Uint8Array } | { wait: number | Promise<unknown> } | { cut: true }

export type Splitter = (text: string) => Iterable<string>

/** What an answer belongs to. */
export interface Head {
  /** Unique in the server: `1`. Ids of messages and calls are made of it. */
  id: string
  model: string
  request: any
  /** Makes up opaque text of this kind, which nobody else has. */
  seal: (kind: string) => string
}

/** An answer as one provider writes it. */
export interface Written {
  /** Its own blocks, parts or items, which a client sends back. */
  items: object[]
  /** The body in pieces; `split` cuts text and arguments into deltas. */
  stream: (split: Splitter) => Generator<Step>
  /** The same as one body. */
  whole: () => object
}

/** How a provider writes. */
export interface Writer {
  /** Content type of a stream. */
  type: string
  write: (answer: ScriptedAnswer, head: Head) => Written
  /** The body of a refusal; `headers` are those of the script. */
  error: (status: number, error: string | object, headers?: Record<string, string>) => object
}

/** What is said in one piece, or happens between pieces: `flow` is the text with what happens within it. */
export type Section =
  | { kind: 'text' | 'reasoning'; text: string; redacted: boolean; flow: (string | Step)[] }
  | { kind: 'call'; call: ScriptedCall; text: string }
  | { kind: 'provider'; provider: ProviderCall }
  | { kind: 'error'; error: string | object }
  | { kind: 'step'; step: Step }

const encoder = new TextEncoder()

export const bytes = (text: string): Step => ({ bytes: encoder.encode(text) })

/** The parts in order; neighbouring text is one section, whatever happens within it. */
export function sectionsOf(answer: ScriptedAnswer): Section[] {
  const sections: Section[] = []
  let open: Extract<Section, { flow: unknown }> | undefined
  let meanwhile: Step[] = []
  const close = (): void => {
    sections.push(...meanwhile.map((step) => ({ kind: 'step' as const, step })))
    meanwhile = []
    open = undefined
  }
  const say = (kind: 'text' | 'reasoning', text: string, redacted = false): void => {
    if (kind === 'text' && text === '') return
    if (open?.kind === kind && open.redacted === redacted) {
      open.flow.push(...meanwhile.splice(0), text)
      open.text += text
      return
    }
    close()
    open = { kind, text, redacted, flow: [text] }
    sections.push(open)
  }
  for (const part of partsOf(answer)) {
    if ('text' in part) say('text', part.text)
    else if ('reasoning' in part) say('reasoning', part.reasoning, part.redacted)
    else if ('raw' in part) meanwhile.push(typeof part.raw === 'string' ? bytes(part.raw) : { bytes: part.raw })
    else if ('wait' in part || 'cut' in part) meanwhile.push(part)
    else {
      close()
      if ('provider' in part) sections.push({ kind: 'provider', provider: part.provider })
      else if ('error' in part) return [...sections, { kind: 'error', error: part.error }]
      else
        for (const call of 'calls' in part ? part.calls : [part.call])
          sections.push({ kind: 'call', call, text: argumentsOf(call) })
    }
  }
  close()
  return sections
}

function partsOf(answer: ScriptedAnswer): ScriptedAnswerPart[] {
  if (answer.parts) return answer.parts
  return [
    ...(answer.reasoning === undefined ? [] : [{ reasoning: answer.reasoning }]),
    ...(answer.text === undefined ? [] : [{ text: answer.text }]),
    ...(answer.calls === undefined ? [] : [{ calls: answer.calls }]),
  ]
}

const argumentsOf = (call: ScriptedCall): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {})

/** The arguments for a wire that sends an object. */
export function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** The end in the wire's words; null: none is sent. */
export function finishOf(answer: ScriptedAnswer, words: { readonly [word: string]: string } = {}): string | null {
  const calls = sectionsOf(answer).some(({ kind }) => kind === 'call')
  const word = answer.finish === undefined ? (calls ? 'tool_calls' : 'stop') : answer.finish
  return word === null ? null : (words[word] ?? word)
}

/** The deltas of a section, with what happens between them. */
export function* flowOf(
  flow: readonly (string | Step)[],
  split: Splitter,
  delta: (text: string) => Step,
): Generator<Step> {
  for (const piece of flow) {
    if (typeof piece !== 'string') yield piece
    else for (const text of split(piece)) yield delta(text)
  }
}

export const messageOf = (error: string | object): string =>
  typeof error === 'string' ? error : String((error as { message?: unknown }).message ?? JSON.stringify(error))
