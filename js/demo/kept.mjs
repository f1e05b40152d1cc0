// What the demo keeps beside its conversations: who answers, and what was configured. Keys are not kept: they come from the environment, or are given again.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {{ scripted?: boolean, provider?: string, baseURL?: string, wire?: string, path?: string, name?: string }} KeptServer
 * @typedef {{ server?: KeptServer, configuration?: object }} Kept
 */

/** @param {string} folder */
export function keptIn(folder) {
  const file = join(folder, 'settings.json')
  return {
    /** @returns {Kept} */
    load() {
      try {
        const found = JSON.parse(readFileSync(file, 'utf8'))
        return typeof found === 'object' && found !== null ? found : {}
      } catch {
        return {} // nothing was kept, or it is broken: the person chooses again
      }
    },
    /** @param {Kept} change */
    save(change) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, JSON.stringify({ ...this.load(), ...change }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
  }
}
