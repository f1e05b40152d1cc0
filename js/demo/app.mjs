// What the demo pet is made of, whether its windows are pages in a browser or windows of Electron: an engine, the
// options of its host, and the routes of what the page needs beside the bridge.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { demoOf, lulu } from './lulu.mjs'
import { answer, settingsOf } from './script.mjs'
import { assistantTools } from './tools.mjs'
import { whoAnswers } from './who.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const installed = here('../../build/live2d/') // where the opt-in step puts a real model

/**
 * Of a real server: `provider`, `baseURL`, `wire`, `path`, `apiKey` as an engine takes them, and `model`, the name.
 * `settings` to begin with. `kept`: what was chosen and configured before, and where it is kept. `ask`: a person
 * chooses who answers before anything else, where that was never chosen. `conversations`: a store; without it the host
 * keeps `keepMessages` in memory, see `hostEngine`. `delayMs`: between the words of the scripted model. `live2d`: the
 * folder with a real Live2D model, or false for the puppet.
 * @typedef {{
 *   provider?: string, baseURL?: string, wire?: string, path?: string, model?: string, apiKey?: string, settings?:
 *   object,
 *   kept?: ReturnType<typeof import('./kept.mjs').keptIn>, ask?: boolean, openExternal?: (url: string) => unknown,
 *   delayMs?: number, live2d?: string | false,
 *   conversations?: import('../dist/esm/app/conversations/conversation-types.js').Conversations, keepMessages?: number,
 * }} AppOptions
 */

/** @param {AppOptions} [options] */
export async function createApp({
  model: name,
  settings = {},
  kept,
  ask,
  openExternal,
  delayMs = 28,
  live2d = installed,
  conversations,
  keepMessages,
  ...rest
} = {}) {
  const server = Object.fromEntries(
    ['provider', 'baseURL', 'wire', 'path', 'apiKey'].flatMap((member) =>
      rest[member] === undefined ? [] : [[member, rest[member]]],
    ),
  )
  const who = whoAnswers({
    ...(name === undefined ? {} : { model: /** @type {any} */ ({ ...server, name }) }),
    kept,
    ask,
  })
  const { configuration = {} } = kept?.load() ?? {}
  // people change what they asked
  const scripted = await startScriptedServer({ answers: answer, delayMs, appendOnly: false })
  const engine = new Engine({ tools: assistantTools })
  const model = live2d && existsSync(join(live2d, 'manifest.json')) ? live2d : undefined

  const state = () =>
    demoOf({
      first: who.open,
      scripted: who.model === undefined,
      live2d: model !== undefined,
    })
  return {
    engine,
    /** What stands under which path, beside `/sluice/`. */
    roots: { '/': here('pet/'), ...(model ? { '/live2d-local/': model } : {}) },
    options: {
      ...lulu,
      configuration: { ...configuration, settings: { ...configuration.settings, ...settings } },
      onConfigure: (configuration) => kept?.save({ configuration }),
      server: who.choice,
      openExternal,
      conversations,
      keepMessages,
      run: ({ text }) =>
        who.model
          ? { model: who.model }
          : { model: { baseURL: scripted.baseURL, name: 'scripted' }, ...settingsOf(text) },
    },
    routes: { 'POST /api/demo': state },
    /**
     * Gives what `create` makes of the options. Where what was configured can be no more, it starts without, says why,
     * and puts it aside.
     * @template T
     * @param {(options: any) => T} create
     * @returns {T}
     */
    host(create) {
      try {
        return create(this.options)
      } catch (error) {
        const { path = '', detail } = /** @type {{ path?: string, detail?: string }} */ (error)
        if (!kept?.load().configuration || !path.startsWith('configuration')) throw error
        kept.forgetConfiguration(`${path}: ${detail}`)
        return create({ ...this.options, configuration: { settings } })
      }
    },
    async close() {
      engine.close()
      await scripted.close()
    },
  }
}
