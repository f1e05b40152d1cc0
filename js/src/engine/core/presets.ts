// What people choose from on a settings page: the services by their names, where their keys come from, and models to
// begin with. Addresses and formats are those of `providers`.
import type { ProviderName } from './providers.js'
import type { LocalizedText } from './tool-words.js'

/** A region of a service: each has its own address and its own keys. */
export interface KeyPlace {
  /** Where it is for. Absent where there is only one. */
  readonly title?: LocalizedText
  /** The page on which people make a key. */
  readonly keysAt?: string
}

/** A service as people choose it. */
export interface ServerPreset {
  /** Who it is among the package's `providers`. Absent: any other server, by its address. */
  readonly provider?: ProviderName
  /** What people call it. */
  readonly title: LocalizedText
  /**
   * Its addresses in the order in which the provider has them: the first of `baseURLs`, then `elsewhere`. Default: one,
   * without more words.
   */
  readonly places?: readonly KeyPlace[]
  /**
   * How its models are given tools. `text` for a server that refuses tools unless it is started for them. Default
   * `auto`.
   */
  readonly mode?: 'native' | 'text' | 'auto'
  /** Models to begin with, while the server was not asked for its own. Default: the provider's example. */
  readonly models?: readonly string[]
}

const world = { en: 'International', zh: '国际' }
const china = { en: 'Mainland China', zh: '中国大陆' }

/**
 * The services of `<sluice-server>`, in the order in which they stand there. Those of this machine come first where
 * they answer.
 */
export const serverPresets: readonly ServerPreset[] = [
  {
    provider: 'deepseek',
    title: { en: 'DeepSeek', zh: 'DeepSeek 深度求索' },
    models: ['deepseek-chat', 'deepseek-reasoner'],
    places: [{ keysAt: 'https://platform.deepseek.com/api_keys' }],
  },
  {
    provider: 'qwen',
    title: { en: 'Qwen', zh: '通义千问 Qwen' },
    models: ['qwen-plus', 'qwen-max', 'qwen-flash'],
    places: [
      { title: world, keysAt: 'https://modelstudio.console.alibabacloud.com/' },
      { title: china, keysAt: 'https://bailian.console.aliyun.com/' },
    ],
  },
  {
    provider: 'kimi',
    title: { en: 'Moonshot (Kimi)', zh: '月之暗面 Kimi' },
    models: ['kimi-k2.5', 'kimi-k2-thinking'],
    places: [
      { title: world, keysAt: 'https://platform.moonshot.ai/console/api-keys' },
      { title: china, keysAt: 'https://platform.moonshot.cn/console/api-keys' },
    ],
  },
  {
    provider: 'glm',
    title: { en: 'Zhipu (GLM)', zh: '智谱 GLM' },
    models: ['glm-4.6', 'glm-4.5-air'],
    places: [
      { title: world, keysAt: 'https://z.ai/manage-apikey/apikey-list' },
      { title: china, keysAt: 'https://open.bigmodel.cn/usercenter/proj-mgmt/apikeys' },
    ],
  },
  {
    provider: 'siliconflow',
    title: { en: 'SiliconFlow', zh: '硅基流动 SiliconFlow' },
    models: ['Qwen/Qwen3-8B', 'deepseek-ai/DeepSeek-V3'],
    places: [
      { title: world, keysAt: 'https://cloud.siliconflow.com/account/ak' },
      { title: china, keysAt: 'https://cloud.siliconflow.cn/account/ak' },
    ],
  },
  { provider: 'openrouter', title: 'OpenRouter', places: [{ keysAt: 'https://openrouter.ai/keys' }] },
  {
    provider: 'openai',
    title: 'OpenAI',
    models: ['gpt-5.1', 'gpt-5-mini'],
    places: [{ keysAt: 'https://platform.openai.com/api-keys' }],
  },
  {
    provider: 'anthropic',
    title: 'Anthropic',
    models: ['claude-sonnet-4-6', 'claude-haiku-4-5'],
    places: [{ keysAt: 'https://console.anthropic.com/settings/keys' }],
  },
  {
    provider: 'gemini',
    title: 'Google Gemini',
    models: ['gemini-2.5-flash', 'gemini-2.5-pro'],
    places: [{ keysAt: 'https://aistudio.google.com/apikey' }],
  },
  { provider: 'ollama', title: 'Ollama' },
  { provider: 'lmstudio', title: 'LM Studio' },
  { provider: 'llama.cpp', title: 'llama.cpp' },
  { provider: 'vllm', title: 'vLLM', mode: 'text' },
  { title: { en: 'Another server', zh: '其他服务器' }, models: [] },
]
