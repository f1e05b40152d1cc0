// Where each wire is served, who writes its answers and who checks its requests.
import { anthropic } from '../wire/anthropic.js'
import type { ScriptedWire, Writer } from '../wire/scripted-answer.js'
import { geminiInteractions } from '../wire/gemini-interactions.js'
import { gemini, geminiArray } from '../wire/gemini.js'
import { ollama } from '../wire/ollama.js'
import { openaiChat } from '../wire/openai-chat.js'
import { openaiResponses } from '../wire/openai-responses.js'
import { checkAnthropic } from './check-anthropic.js'
import { checkGemini } from './check-gemini.js'
import { checkGeminiInteractions } from './check-gemini-interactions.js'
import { checkOpenAIChat } from './check-messages.js'
import { checkOllama } from './check-ollama.js'
import { checkOpenAIResponses } from './check-openai-responses.js'
import type { CheckOptions } from './rules/rule.js'
import type { GivenAnswer, RequestJson } from './strict-refusal.js'

export type Headers = { readonly [name: string]: string | string[] | undefined }

interface Served {
  /** How a path ends, without its query. */
  path: RegExp
  /** What stands before it in a base URL. */
  base: string
  check: (
    body: RequestJson,
    about: { given: readonly GivenAnswer[]; model: string; headers: Headers; options: CheckOptions },
  ) => string | null
}

export const wires: { readonly [wire in ScriptedWire]: Served } = {
  'openai-chat': {
    path: /\/chat\/completions$/,
    base: '/v1',
    check: (body, { given, options }) => checkOpenAIChat(body, given, options),
  },
  // docs, 2026-09: the header is required
  anthropic: {
    path: /\/messages$/,
    base: '/v1',
    check: (body, { given, headers, options }) =>
      headers['anthropic-version'] ? checkAnthropic(body, given, options) : 'anthropic-version: header is required',
  },
  gemini: {
    path: /\/models\/([^/]+):(?:streamGenerate|generate)Content$/,
    base: '/v1beta',
    check: (body, { given, model, options }) => checkGemini(body, model, given, options),
  },
  // docs, 2026-11: revisions before this one had no steps, and are gone
  'gemini-interactions': {
    path: /\/interactions$/,
    base: '/v1beta',
    check: (body, { given, headers, options }) =>
      String(headers['api-revision'] ?? '2026-05-20') < '2026-05-20'
        ? 'Api-Revision: expected 2026-05-20 or later'
        : checkGeminiInteractions(body, given, options),
  },
  'openai-responses': {
    path: /\/responses$/,
    base: '/v1',
    check: (body, { given, options }) => checkOpenAIResponses(body, given, options),
  },
  ollama: { path: /\/api\/chat$/, base: '', check: (body, { options }) => checkOllama(body, options) },
}

/** What a URL asks for. */
export interface Asked {
  wire: ScriptedWire
  writer: Writer
  /** The model in the path, where the wire has it there. */
  model: string | undefined
  /** Whether the answer is to be streamed, by this body. */
  streams: (body: RequestJson) => boolean
}

export function wireOf(url: string): Asked | undefined {
  const [path = '', query = ''] = url.split('?')
  for (const [wire, { path: form }] of Object.entries(wires) as [ScriptedWire, Served][]) {
    const found = form.exec(path)
    if (!found) continue
    if (wire === 'gemini') {
      const writer = query.split('&').includes('alt=sse') ? gemini : geminiArray
      return { wire, writer, model: decodeURIComponent(found[1]!), streams: () => path.includes(':stream') }
    }
    const streams = ({ stream }: RequestJson): boolean => (wire === 'ollama' ? stream !== false : stream === true)
    return {
      wire,
      writer: {
        'openai-chat': openaiChat,
        anthropic,
        'gemini-interactions': geminiInteractions,
        'openai-responses': openaiResponses,
        ollama,
      }[wire],
      model: undefined,
      streams,
    }
  }
  return undefined
}
