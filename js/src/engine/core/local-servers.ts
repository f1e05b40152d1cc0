// Servers that people run on their own machine: how each is started, and which of them an address belongs to.
import { providers, type ProviderName } from './providers.js'

/** How a server on this machine is started. */
export const starts: { readonly [provider: string]: { en: string; zh: string } } = {
  ollama: { en: 'Start it: `ollama serve`.', zh: '请启动它：`ollama serve`。' },
  lmstudio: { en: 'Start the server in LM Studio, under Developer.', zh: '请在 LM Studio 的 Developer 页启动服务器。' },
  'llama.cpp': {
    en: 'Start it: `llama-server -m MODEL.gguf --jinja`.',
    zh: '请启动它：`llama-server -m MODEL.gguf --jinja`。',
  },
  vllm: {
    en: 'Start it: `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser …`.',
    zh: '请启动它：`vllm serve MODEL --enable-auto-tool-choice --tool-call-parser …`。',
  },
}

/** How the server of this address is started, if it is the usual one of a provider on this machine. */
export function startHint(url: string): string | undefined {
  const { hostname, port } = new URL(url)
  if (!isLocal(hostname)) return undefined
  const provider = Object.keys(starts).find((name) =>
    Object.values(providers[name as ProviderName].baseURLs).some((base) => {
      const own = new URL(base)
      return isLocal(own.hostname) && own.port === port
    }),
  )
  return provider && starts[provider]?.en
}

const isLocal = (hostname: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
