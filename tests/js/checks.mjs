// The checks of `sluice/testing` by wire, all called alike: with a body, the answers that the server gave, options, and
// the model, which Gemini has in the address.
import {
  checkAnthropic,
  checkGemini,
  checkGeminiInteractions,
  checkOllama,
  checkOpenAIChat,
  checkOpenAIResponses,
} from 'sluice/testing'

export const checks = {
  'openai-chat': checkOpenAIChat,
  anthropic: checkAnthropic,
  gemini: (body, given, options, model = 'm') => checkGemini(body, model, given, options),
  'gemini-interactions': checkGeminiInteractions,
  'openai-responses': checkOpenAIResponses,
  ollama: (body, _, options) => checkOllama(body, options),
}
