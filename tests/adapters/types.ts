// Compiled by types.test.mjs: what `textToolCalls()` returns is what each client's option wants.
import { ChatOpenAI } from '@langchain/openai'
import { createOpenAICompatible as ofAiSdk6 } from 'compatible-6'
import { createOpenAICompatible as ofAiSdk7 } from 'compatible-7'
import type { ClientOptions as OfOpenAI7 } from 'openai'
import type { ClientOptions as OfOpenAI6 } from 'openai-6'
import { textToolCalls } from '../../js/dist/esm/openai/index.js'

const fetch = textToolCalls({ protocol: 'auto' })
export const ofOpenAI6: OfOpenAI6['fetch'] = fetch
export const ofOpenAI7: OfOpenAI7['fetch'] = fetch
export const providers = [ofAiSdk6({ name: 'a', baseURL: 'http://127.0.0.1:8000/v1', fetch }), ofAiSdk7({ name: 'a', baseURL: 'http://127.0.0.1:8000/v1', fetch })]
export const langchain = new ChatOpenAI({ configuration: { fetch } })
// @ts-expect-error: it is a function
export const wrong: OfOpenAI6['fetch'] = { fetch }
