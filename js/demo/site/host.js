// The pet with nothing behind its page: engine, host and the scripted model run here. Another model is asked from here
// too, where its server allows pages (CORS). What was said is kept as long as the page is open; who answers is kept for
// this device, without its key.
import { Engine, loadEngine } from 'sluice'
import { createHost } from 'sluice/host'
import { demoOf, lulu } from '../lulu.mjs'
import { settingsOf } from '../script.mjs'
import { assistantTools } from '../tools.mjs'
import { scripted } from './scripted.js'

const asked = new URLSearchParams(location.search)
const key = 'server'
/** Kept where a person chose the script. */
const SCRIPT = 'script'

/** undefined: nobody was chosen yet; null: the script. */
let now = recall()

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null')
    return kept === SCRIPT || (!kept && asked.has('scripted')) ? null : (kept ?? undefined)
  } catch {
    return undefined
  }
}

function use(chosen) {
  now = chosen
  const { apiKey, headers: _, ...rest } = chosen ?? {}
  if (!chosen) localStorage.setItem(key, JSON.stringify(SCRIPT))
  else if (apiKey)
    localStorage.removeItem(key) // its key would be missing: it is asked for again
  else localStorage.setItem(key, JSON.stringify(rest))
}

await loadEngine({ wasm: new URL('sluice.wasm', import.meta.url) })
const engine = new Engine({ tools: assistantTools })
const transport = scripted(Number(asked.get('delayMs') ?? 28))
const host = createHost(engine, {
  ...lulu,
  configuration: { settings: JSON.parse(asked.get('settings') ?? '{}') },
  server: { current: () => now ?? undefined, use, keysAreKept: false },
  openExternal: (url) => void open(url, '_blank', 'noopener'),
  run: ({ text }) =>
    now
      ? { model: now }
      : { model: { baseURL: 'http://script.invalid/v1', name: 'scripted' }, transport, ...settingsOf(text) },
})

export const bridge = host.bridge({ read: true, chat: true, approve: true, configure: true, server: true, pet: true })
export const demo = async () => demoOf({ first: now === undefined, scripted: !now, live2d: false })
