// What the demo pet is made of, whether its windows are pages in a browser or windows of Electron: an engine, the options of its host, and
// the routes of what the page needs beside the bridge. Which model answers is decided here; its key comes in and never goes out again.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine, providers, SluiceError } from 'sluice'
import { startServer } from 'sluice/testing'
import { scenarios } from './scenarios.mjs'
import { answer, protocols, settingsOf } from './script.mjs'
import { assistantTools } from './tools.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const installed = here('../../build/live2d/') // where the opt-in step puts a real model

const system = `You are Lulu, a friendly desktop companion with a Live2D body. You answer briefly, in the language of the user, and you show what
you feel by your expressions and motions. {{tools}}`

/**
 * Of a real server: `provider`, `baseURL`, `wire`, `path`, `apiKey` as an engine takes them, and `model`, the name. `settings` to begin with, or what was configured before and where to keep it.
 * `conversations`: a store; without it the host keeps `keepMessages` in memory, see `hostEngine`. `delayMs`: between the words of the scripted model. `live2d`: the folder with a real Live2D model, or false for the puppet.
 * @typedef {{
 *   provider?: string, baseURL?: string, wire?: string, path?: string, model?: string, apiKey?: string, settings?: object,
 *   configuration?: object, onConfigure?: (configuration: object) => void, delayMs?: number, live2d?: string | false,
 *   conversations?: import('../dist/esm/conversations/types.js').Conversations, keepMessages?: number,
 * }} AppOptions
 */

/** @param {AppOptions} [options] */
export async function createApp({ provider, baseURL, wire, path, model, apiKey, settings = {}, configuration = { settings }, onConfigure, delayMs = 28, live2d = installed, conversations, keepMessages } = {}) {
  let server = (provider ?? baseURL) === undefined ? null : readServer({ provider, baseURL, wire, path, model, apiKey }, null)
  const scripted = await startServer({ answers: answer, delayMs, appendOnly: false }) // people change what they asked
  const engine = new Engine({ tools: assistantTools })

  const state = () => ({
    server: server && { provider: server.provider ?? '', baseURL: server.baseURL ?? '', model: server.name, hasKey: Boolean(server.apiKey) },
    providers: Object.entries(providers).map(([name, one]) => ({ name, title: one.title, baseURL: Object.values(one.baseURLs)[0], example: one.example })),
    scenarios: scenarios.map(({ id, group, title, question }) => ({ id, group, title, question })),
    protocols,
    live2d: Boolean(live2d) && existsSync(join(live2d, 'manifest.json')),
  })
  return {
    engine,
    /** What stands under which path, beside `/sluice/`. */
    roots: { '/': here('pet/'), ...(live2d ? { '/live2d-local/': live2d } : {}) },
    options: {
      system,
      configuration,
      onConfigure,
      conversations,
      keepMessages,
      cues: /** @type {const} */ ('spoken'), // where Lulu speaks, her face changes with her words
      run: ({ text }) => (server ? { model: server } : { model: { baseURL: scripted.baseURL, name: 'scripted' }, ...settingsOf(text) }),
    },
    routes: {
      'POST /api/demo': state,
      'POST /api/server': (input) => {
        server = readServer(input, server)
        return state()
      },
    },
    async close() {
      engine.close()
      await scripted.close()
    },
  }
}

/**
 * `{ scripted: true }`, or `{ provider?, baseURL?, model, … }`, where a provider knows its own `baseURL`. What is left out of key, wire and path stays
 * as it was, where it is for the same server.
 * @returns {import('../dist/esm/index.js').Model | null}
 */
function readServer(input, before) {
  const given = typeof input === 'object' && input !== null ? input : {}
  if (given.scripted === true) return null
  const { provider = '', baseURL = '', model, apiKey } = given
  const same = before && (before.provider ?? '') === provider && (before.baseURL ?? '') === baseURL
  const { wire, path } = same ? { ...before, ...given } : given
  if (provider !== '' && !Object.hasOwn(providers, provider)) throw wrong('provider', `expected one of ${Object.keys(providers).join(', ')}`)
  if ((provider === '' || baseURL !== '') && !(typeof baseURL === 'string' && URL.canParse(baseURL) && /^https?:$/.test(new URL(baseURL).protocol))) {
    throw wrong('baseURL', 'expected an http or https URL such as http://127.0.0.1:11434/v1')
  }
  if (typeof model !== 'string' || model.trim() === '' || model.length > 200) throw wrong('model', 'expected the name of a model, such as qwen3:8b')
  if (apiKey !== undefined && (typeof apiKey !== 'string' || !/^[\x21-\x7e]{0,4000}$/.test(apiKey))) {
    throw wrong('apiKey', 'expected printable ASCII without blanks')
  }
  const server = { ...(provider === '' ? {} : { provider }), ...(baseURL === '' ? {} : { baseURL }), name: model.trim(), ...(wire === undefined ? {} : { wire }), ...(path === undefined ? {} : { path }) }
  const key = apiKey ?? (before && originOf(before) === originOf(server) ? before.apiKey : undefined)
  if (!key && baseURL === '' && providers[provider].keys) throw wrong('apiKey', `expected a key of ${providers[provider].title}`)
  return { ...server, apiKey: key }
}

const originOf = ({ provider, baseURL }) => new URL(baseURL ?? Object.values(providers[provider].baseURLs)[0]).origin

const wrong = (path, detail) => new SluiceError({ code: 'option', path, detail })
