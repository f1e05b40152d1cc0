// Who serves models, and in which format: where requests go, how the key is sent, where it is usually kept.

/** The format of a provider's requests and answers. */
export type WireName = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'gemini-interactions' | 'ollama'

/** What the requests of a wire have in common. */
interface Wire {
  /** Behind the base URL. `{model}` stands for the model's name. */
  path: string
  /** The headers that carry a key. */
  key: (apiKey: string) => { [name: string]: string }
  /** Headers of every request. */
  headers?: { readonly [name: string]: string }
  /** The member of a body that holds the conversation. */
  messages: 'messages' | 'input' | 'contents'
}

const bearer = (apiKey: string): { authorization: string } => ({ authorization: `Bearer ${apiKey}` })

/** @internal */
export const wires: { readonly [wire in WireName]: Wire } = {
  'openai-chat': { path: '/chat/completions', key: bearer, messages: 'messages' },
  'openai-responses': { path: '/responses', key: bearer, messages: 'input' },
  anthropic: {
    path: '/messages',
    key: (apiKey) => ({ 'x-api-key': apiKey }),
    headers: { 'anthropic-version': '2023-06-01' },
    messages: 'messages',
  },
  gemini: {
    path: '/models/{model}:streamGenerateContent?alt=sse',
    key: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    messages: 'contents',
  },
  'gemini-interactions': {
    path: '/interactions',
    key: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    headers: { 'api-revision': '2026-05-20' },
    messages: 'input',
  },
  ollama: { path: '/api/chat', key: bearer, messages: 'messages' },
}

/** @internal */
export const wireNames = Object.keys(wires) as readonly WireName[]

/** A provider as Sluice knows it: what a settings page shows, and what `model: { provider }` puts in. */
export interface Provider {
  title: string
  /** The wires that it speaks, each with its base URL. The first is what a model gets without `wire`. */
  baseURLs: { readonly [wire in WireName]?: string }
  /** Base URLs of the first wire in other regions: they have keys of their own. */
  elsewhere?: readonly string[]
  /** The region in its base URLs, if there are others: `model.region` takes its place. */
  region?: string
  /** The environment variables in which people keep the key, the usual one first. Absent where no key is needed. */
  keys?: readonly string[]
  /** A model by which a first try is made. */
  example: string
  /** What is peculiar to it, where something is: one sentence. */
  note?: string
}

const define = <Name extends string>(all: { [name in Name]: Provider }): { readonly [name in Name]: Provider } => all

const table = define({
  openai: {
    title: 'OpenAI',
    baseURLs: { 'openai-responses': 'https://api.openai.com/v1', 'openai-chat': 'https://api.openai.com/v1' },
    keys: ['OPENAI_API_KEY'],
    example: 'gpt-5.1',
    note: 'The server keeps every answer unless `request` says `store: false`; reasoning then needs `include: ["reasoning.encrypted_content"]`.',
  },
  anthropic: {
    title: 'Anthropic',
    baseURLs: { anthropic: 'https://api.anthropic.com/v1' },
    keys: ['ANTHROPIC_API_KEY'],
    example: 'claude-sonnet-4-6',
    note: '`max_tokens` is required: 8192 unless `request` has another. Beta features are named in `headers`: { "anthropic-beta": … }.',
  },
  gemini: {
    title: 'Google Gemini',
    baseURLs: {
      gemini: 'https://generativelanguage.googleapis.com/v1beta',
      'gemini-interactions': 'https://generativelanguage.googleapis.com/v1beta',
      'openai-chat': 'https://generativelanguage.googleapis.com/v1beta/openai',
    },
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    example: 'gemini-2.5-flash',
    note: 'The limit of the output is `generationConfig: { maxOutputTokens }`; Vertex AI is another service and not supported.',
  },
  ollama: {
    title: 'Ollama',
    baseURLs: {
      ollama: 'http://127.0.0.1:11434',
      'openai-chat': 'http://127.0.0.1:11434/v1',
      'openai-responses': 'http://127.0.0.1:11434/v1',
      anthropic: 'http://127.0.0.1:11434/v1',
    },
    example: 'qwen3:8b',
    note: 'Without `options: { num_ctx }` in `request` the server may silently cut off the beginning of a long conversation.',
  },
  deepseek: {
    title: 'DeepSeek',
    baseURLs: { 'openai-chat': 'https://api.deepseek.com', anthropic: 'https://api.deepseek.com/anthropic/v1' },
    keys: ['DEEPSEEK_API_KEY'],
    example: 'deepseek-chat',
    note: 'Thinking models get their `reasoning_content` back between tool calls.',
  },
  qwen: {
    title: 'Qwen',
    baseURLs: { 'openai-chat': 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1' },
    elsewhere: ['https://dashscope.aliyuncs.com/compatible-mode/v1'],
    keys: ['DASHSCOPE_API_KEY'],
    example: 'qwen-plus',
    note: '`enable_thinking: true` in `request` switches thinking on; keys of mainland China need the other base URL.',
  },
  kimi: {
    title: 'Kimi',
    baseURLs: {
      'openai-chat': 'https://api.moonshot.ai/v1',
      'openai-responses': 'https://api.moonshot.ai/v1',
      anthropic: 'https://api.moonshot.ai/anthropic/v1',
    },
    elsewhere: ['https://api.moonshot.cn/v1'],
    keys: ['MOONSHOT_API_KEY'],
    example: 'kimi-k2.5',
    note: 'Thinking models get their `reasoning_content` back; keys of mainland China need the other base URL.',
  },
  glm: {
    title: 'GLM',
    baseURLs: { 'openai-chat': 'https://api.z.ai/api/paas/v4', anthropic: 'https://api.z.ai/api/anthropic/v1' },
    elsewhere: ['https://open.bigmodel.cn/api/paas/v4'],
    keys: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
    example: 'glm-4.6',
    note: '`tool_stream: true` in `request` streams the arguments of calls; keys of bigmodel.cn need the other base URL.',
  },
  siliconflow: {
    title: 'SiliconFlow',
    baseURLs: { 'openai-chat': 'https://api.siliconflow.com/v1' },
    elsewhere: ['https://api.siliconflow.cn/v1'],
    keys: ['SILICONFLOW_API_KEY'],
    example: 'Qwen/Qwen3-8B',
    note: 'Keys of siliconflow.cn need the other base URL.',
  },
  mistral: {
    title: 'Mistral',
    baseURLs: { 'openai-chat': 'https://api.mistral.ai/v1' },
    keys: ['MISTRAL_API_KEY'],
    example: 'mistral-medium-latest',
    note: 'Members that it does not know are errors.',
  },
  groq: {
    title: 'Groq',
    baseURLs: { 'openai-chat': 'https://api.groq.com/openai/v1', 'openai-responses': 'https://api.groq.com/openai/v1' },
    keys: ['GROQ_API_KEY'],
    example: 'openai/gpt-oss-120b',
    note: 'A call that its own parser cannot read is an error (`tool_use_failed`); mode `text` avoids that.',
  },
  openrouter: {
    title: 'OpenRouter',
    baseURLs: { 'openai-chat': 'https://openrouter.ai/api/v1', 'openai-responses': 'https://openrouter.ai/api/v1' },
    keys: ['OPENROUTER_API_KEY'],
    example: 'anthropic/claude-sonnet-4.6',
    note: '`provider: { require_parameters: true }` in `request` keeps to servers that take tools; `reasoning_details` go back as they came.',
  },
  together: {
    title: 'Together',
    baseURLs: { 'openai-chat': 'https://api.together.ai/v1' },
    keys: ['TOGETHER_API_KEY'],
    example: 'openai/gpt-oss-120b',
  },
  xai: {
    title: 'xAI',
    baseURLs: { 'openai-chat': 'https://api.x.ai/v1', 'openai-responses': 'https://api.x.ai/v1' },
    keys: ['XAI_API_KEY'],
    example: 'grok-4',
  },
  bedrock: {
    title: 'Amazon Bedrock',
    baseURLs: {
      'openai-chat': 'https://bedrock-mantle.us-east-1.api.aws/v1',
      'openai-responses': 'https://bedrock-mantle.us-east-1.api.aws/v1',
    },
    region: 'us-east-1',
    keys: ['AWS_BEARER_TOKEN_BEDROCK'],
    example: 'openai.gpt-oss-120b',
    note: 'The key is a Bedrock API key, and `region` of the model says where it is valid; a model that is served under `/openai/v1` alone needs that `baseURL`.',
  },
  cohere: {
    title: 'Cohere',
    baseURLs: { 'openai-chat': 'https://api.cohere.ai/compatibility/v1' },
    keys: ['COHERE_API_KEY', 'CO_API_KEY'],
    example: 'command-a-03-2025',
    note: 'It refuses `stream_options`: `usage: false` saves the request that is sent again without.',
  },
  lmstudio: {
    title: 'LM Studio',
    baseURLs: {
      'openai-chat': 'http://127.0.0.1:1234/v1',
      'openai-responses': 'http://127.0.0.1:1234/v1',
      anthropic: 'http://127.0.0.1:1234/v1',
    },
    example: 'qwen/qwen3-8b',
    note: 'Models without a template for tools answer in text: mode `text` reads their calls.',
  },
  'llama.cpp': {
    title: 'llama.cpp',
    baseURLs: {
      'openai-chat': 'http://127.0.0.1:8080/v1',
      'openai-responses': 'http://127.0.0.1:8080/v1',
      anthropic: 'http://127.0.0.1:8080/v1',
    },
    example: 'default',
    note: 'Tools need `llama-server --jinja`; the name of the model may be anything where one is loaded.',
  },
  vllm: {
    title: 'vLLM',
    baseURLs: {
      'openai-chat': 'http://127.0.0.1:8000/v1',
      'openai-responses': 'http://127.0.0.1:8000/v1',
      anthropic: 'http://127.0.0.1:8000/v1',
    },
    example: 'Qwen/Qwen3-8B',
    note: 'Tools need `vllm serve --enable-auto-tool-choice --tool-call-parser …`, or mode `text`.',
  },
})

/** A provider that Sluice knows. */
export type ProviderName = keyof typeof table

/** Every provider that `model: { provider }` may name. */
export const providers: { readonly [name in ProviderName]: Provider } = table

/** @internal */
export const providerNames = Object.keys(providers) as readonly ProviderName[]

/** @internal */
export const isProvider = (name: unknown): name is ProviderName =>
  typeof name === 'string' && Object.hasOwn(providers, name)

/** @internal The wire that a provider's models get without another. */
export const firstWire = (name: ProviderName): WireName => Object.keys(providers[name].baseURLs)[0] as WireName

/** @internal The base URL of a provider for a wire that it speaks. */
export function addressOf(name: ProviderName, wire: WireName, region: string | undefined): string | undefined {
  const { baseURLs, region: usual } = providers[name]
  return usual === undefined || region === undefined ? baseURLs[wire] : baseURLs[wire]?.replace(usual, region)
}

/** @internal The form of a region's name. */
export const regionName = /^[a-z]{2,}(-[a-z]+)+-\d+$/

/** @internal Is this the origin of a provider's base URL, in any of its regions? */
export function isOf(name: ProviderName, origin: string): boolean {
  const { region: usual } = providers[name]
  return addressesOf(name).some((address) => {
    const own = new URL(address).origin
    if (usual === undefined) return own === origin
    const [before = '', after = ''] = own.split(usual)
    const fits = origin.startsWith(before) && origin.endsWith(after)
    return fits && regionName.test(origin.slice(before.length, origin.length - after.length))
  })
}

/** @internal Every base URL of a provider. */
export const addressesOf = (name: ProviderName): readonly string[] => [
  ...Object.values(providers[name].baseURLs),
  ...(providers[name].elsewhere ?? []),
]

/** Ports that other servers like to use as well. */
const common: readonly ProviderName[] = ['llama.cpp', 'vllm']

/** @internal The provider at whose address a server is: it may be given by its address alone. */
export function providerAt(url: string): ProviderName | undefined {
  const origin = new URL(url).origin.replace('//localhost', '//127.0.0.1')
  return providerNames.find((name) => !common.includes(name) && isOf(name, origin))
}

const azure = /\.(openai\.azure\.com|(services\.ai|cognitiveservices)\.azure\.com|openai\.azure\.us)$/

/** @internal Who serves a model, which decides what its requests may hold: `azure`, a provider, or nobody known. */
export function dialectOf(provider: ProviderName | undefined, url: string): 'azure' | ProviderName | undefined {
  return azure.test(new URL(url).hostname) ? 'azure' : (provider ?? providerAt(url))
}

const gone = 'it needs a server that speaks a wire: give its baseURL'
/** @internal What people write instead of a provider's name. */
export const otherNames: { readonly [name: string]: string } = {
  google: 'did you mean gemini?',
  'google-ai': 'did you mean gemini?',
  claude: 'did you mean anthropic?',
  gpt: 'did you mean openai?',
  chatgpt: 'did you mean openai?',
  moonshot: 'did you mean kimi?',
  moonshotai: 'did you mean kimi?',
  zai: 'did you mean glm?',
  'z.ai': 'did you mean glm?',
  zhipu: 'did you mean glm?',
  bigmodel: 'did you mean glm?',
  silicon: 'did you mean siliconflow?',
  alibaba: 'did you mean qwen?',
  dashscope: 'did you mean qwen?',
  tongyi: 'did you mean qwen?',
  grok: 'did you mean xai?',
  'x.ai': 'did you mean xai?',
  local: 'did you mean ollama, lmstudio, llama.cpp or vllm?',
  'openai-chat': "it is a wire: { provider: 'openai', wire: 'openai-chat' }",
  'openai-responses': "it is a wire: { provider: 'openai', wire: 'openai-responses' }",
  'gemini-interactions': "it is a wire: { provider: 'gemini', wire: 'gemini-interactions' }",
  'openai-compatible': 'leave provider out and give the baseURL',
  custom: 'leave provider out and give the baseURL',
  openailike: 'leave provider out and give the baseURL',
  azure:
    "did you mean { provider: 'openai', baseURL: 'https://NAME.openai.azure.com/openai/v1', headers: { 'api-key': … } }?",
  aws: 'did you mean bedrock?',
  'amazon-bedrock': 'did you mean bedrock?',
  vertex: `Vertex AI is not supported; ${gone}`,
  'google-vertex': `Vertex AI is not supported; ${gone}`,
}
