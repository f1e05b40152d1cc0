// The rules of each wire, in the order in which they are tried.
import type { ScriptedWire } from '../../wire/scripted-answer.js'
import { anthropicRules } from './anthropic-rules.js'
import { geminiInteractionsRules } from './gemini-interactions-rules.js'
import { geminiRules } from './gemini-rules.js'
import { ollamaRules } from './ollama-rules.js'
import { openaiChatRules } from './openai-chat-rules.js'
import { openaiResponsesRules } from './openai-responses-rules.js'
import type { EnforcedRule } from './rule.js'

/**
 * What providers enforce without documenting it: per wire, the rules in the order in which they are tried, each with the
 * provider's message and the public issue that quotes it.
 */
export const enforcedRules: { readonly [wire in ScriptedWire]: readonly EnforcedRule[] } = {
  'openai-chat': openaiChatRules,
  anthropic: anthropicRules,
  gemini: geminiRules,
  'gemini-interactions': geminiInteractionsRules,
  'openai-responses': openaiResponsesRules,
  ollama: ollamaRules,
}
