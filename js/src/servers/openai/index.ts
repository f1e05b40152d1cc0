// OpenAI's chat completions in front of models that write their calls as text: as a `fetch` for the clients, and as a
// server for everybody.
export { openAIHandler, type OpenAIHandlerOptions } from './openai-handler.js'
export type { TextCallSettings, TextToolCallDiagnostic, TextToolCallOptions } from './openai-options.js'
export { textToolCalls } from './text-tool-calls.js'
