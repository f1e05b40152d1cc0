export {
  startScriptedServer,
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
} from './scripted-server.js'
export type {
  ScriptedAnswer,
  ScriptedAnswerPart,
  ProviderCall,
  ScriptedCall,
  ScriptedUsage,
  ScriptedWire,
} from '../wire/scripted-answer.js'
export type { GivenAnswer, RequestJson } from './strict-refusal.js'
export type { ThoughtMember } from './chat-thoughts.js'
export type { CheckOptions, EnforcedRule, Found, RuleContext, ScriptedProvider } from './rules/rule.js'
export { enforcedRules } from './rules/index.js'
export { checkOpenAIChat } from './check-messages.js'
export { checkAnthropic } from './check-anthropic.js'
export { checkGemini } from './check-gemini.js'
export { checkOllama } from './check-ollama.js'
export { checkGeminiInteractions } from './check-gemini-interactions.js'
export { checkOpenAIResponses } from './check-openai-responses.js'
