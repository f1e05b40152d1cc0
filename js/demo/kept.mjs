// What the demo keeps beside its conversations: who answers, and what was configured. Keys are kept if the system
// encrypts them (in Electron, see system-encryption.mjs); else they come from the environment, or are given again.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `key`: encrypted.
 * @typedef {{ scripted?: boolean, provider?: string, baseURL?: string, wire?: string, path?: string, name?: string,
 * key?: string }} KeptServer
 * @typedef {{ server?: KeptServer, configuration?: object }} Kept
 * @typedef {{ encrypt(text: string): string, decrypt(text: string): string }} SystemEncryption
 */

/**
 * @param {string} folder
 * @param {{ encryption?: SystemEncryption | undefined, tell?: (words: string) => void }} [options]
 */
export function keptIn(folder, { encryption, tell = console.error } = {}) {
  const file = join(folder, 'settings.json')
  const aside = join(folder, 'settings.bad.json')
  /** Nothing of a person's is lost, and the app starts. @param {string} why */
  const putAside = (why) => {
    copyFileSync(file, aside)
    tell(`${file}: ${why}. The demo starts with what is usual, and the file is kept as ${aside}`)
  }
  return {
    encryption,
    /** @returns {Kept} */
    load() {
      if (!existsSync(file)) return {}
      const text = readFileSync(file, 'utf8')
      try {
        const found = JSON.parse(text)
        if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found
      } catch {
        // told below
      }
      putAside(
        `found ${text.trim() === '' ? 'an empty file' : JSON.stringify(text.slice(0, 40))}, expected a JSON object`,
      )
      write(file, {})
      return {}
    },
    /** @param {Kept} change */
    save(change) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      write(file, { ...this.load(), ...change })
    },
    /** What was configured is nothing that can be any more; who answers stays. @param {string} why */
    forgetConfiguration(why) {
      putAside(why)
      this.save({ configuration: undefined })
    },
  }
}

/** @param {string} file @param {object} value */
function write(file, value) {
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
