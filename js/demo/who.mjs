// Who answers in the demo: a model that a person chose, or the script. The host asks, and takes what is chosen on the
// page.
import { providers } from 'sluice'
import { keyFor } from '../dist/esm/tools/cli/model-options.js'

/**
 * @param {{ model?: import('../dist/esm/index.js').Model, kept?: ReturnType<typeof import('./kept.mjs').keptIn>, ask?:
 * boolean }} options `model`: of the command line. `kept`: where the choice is kept. `ask`: a person is to choose
 * first, where nothing was chosen.
 */
export function whoAnswers({ model, kept, ask = false }) {
  /**
   * undefined: nobody was chosen yet; null: the script.
   * @type {import('../dist/esm/index.js').Model | null | undefined}
   */
  let now = model ?? recall(kept?.load().server, kept?.encryption)
  if (now === undefined && !ask) now = null
  return {
    /** The model, or undefined for the script. */
    get model() {
      return now ?? undefined
    },
    /** Nobody chose yet. */
    get open() {
      return now === undefined
    },
    /** What the host's option `server` is. @type {import('../dist/esm/app/host/index.js').ServerChoice} */
    choice: {
      current: () => now ?? undefined,
      use(chosen) {
        const { apiKey, headers: _, ...rest } = chosen ?? {}
        const key =
          apiKey && apiKey !== keyFor(addressOf(rest) ?? '')
            ? kept?.encryption?.encrypt(`${originOf(rest)} ${apiKey}`)
            : undefined
        kept?.save({ server: chosen ? { ...rest, ...(key ? { key } : {}) } : { scripted: true } })
        now = chosen // behind what may fail: a person who is told so is not answered by another one all the same
      },
      keyFor,
      keysAreKept: Boolean(kept?.encryption),
    },
  }
}

/**
 * The choice that was kept, with its key if that is encrypted there or the environment has it. A choice that needs a key
 * and has none asks again.
 * @param {import('./kept.mjs').KeptServer | undefined} kept
 * @param {import('./kept.mjs').SystemEncryption | undefined} encryption
 * @returns {any}
 */
function recall(kept, encryption) {
  if (kept?.scripted) return null
  const { provider, baseURL, name, key, ...rest } = kept ?? {}
  if (
    typeof name !== 'string' ||
    (provider !== undefined && !Object.hasOwn(providers, provider)) ||
    (baseURL !== undefined && !URL.canParse(baseURL))
  )
    return undefined
  const known = providers[/** @type {import('../dist/esm/index.js').ProviderName} */ (provider)]
  const address = addressOf({ provider, baseURL })
  if (address === undefined) return undefined
  const apiKey = decrypted(key, encryption, `${originOf({ provider, baseURL })} `) ?? keyFor(address)
  if (!apiKey && known?.keys && baseURL === undefined) return undefined
  return {
    ...rest,
    name,
    ...(provider === undefined ? {} : { provider }),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(apiKey ? { apiKey } : {}),
  }
}

/** @param {{ provider?: string | undefined, baseURL?: string | undefined }} server */
const addressOf = ({ provider, baseURL }) =>
  baseURL ??
  (provider === undefined
    ? undefined
    : Object.values(providers[/** @type {import('../dist/esm/index.js').ProviderName} */ (provider)].baseURLs)[0])

/** @param {Parameters<typeof addressOf>[0]} server */
const originOf = (server) => new URL(addressOf(server) ?? 'about:blank').origin

/**
 * Reads a kept key. It is saved together with the origin that it was given for, and is sent to no other origin.
 * @param {string | undefined} key
 * @param {import('./kept.mjs').SystemEncryption | undefined} encryption
 * @param {string} begin
 */
function decrypted(key, encryption, begin) {
  try {
    const text = typeof key === 'string' ? encryption?.decrypt(key) : undefined
    return text?.startsWith(begin) ? text.slice(begin.length) : undefined
  } catch {
    return undefined // of another person, or another computer
  }
}
