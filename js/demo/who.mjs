// Who answers in the demo: a model that a person chose, or the script. The host asks, and takes what is chosen on the page.
import { providers } from 'sluice'
import { keyFor } from '../dist/esm/cli/model-options.js'

/**
 * @param {{ model?: import('../dist/esm/index.js').Model, kept?: ReturnType<typeof import('./kept.mjs').keptIn>, ask?: boolean }} options
 * `model`: of the command line. `kept`: where the choice is kept. `ask`: a person is to choose first, where nothing was chosen.
 */
export function whoAnswers({ model, kept, ask = false }) {
  /** undefined: nobody was chosen yet; null: the script. @type {import('../dist/esm/index.js').Model | null | undefined} */
  let now = model ?? recall(kept?.load().server)
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
    /** What the host's option `server` is. @type {import('../dist/esm/host/index.js').ServerChoice} */
    choice: {
      current: () => now ?? undefined,
      use(chosen) {
        now = chosen
        const { apiKey: _, headers: __, ...rest } = chosen ?? {}
        kept?.save({ server: chosen ? rest : { scripted: true } })
      },
      keyFor,
    },
  }
}

/**
 * A choice of another day, with its key where the environment has it. One that would not work without asks again.
 * @param {import('./kept.mjs').KeptServer | undefined} kept
 * @returns {any}
 */
function recall(kept) {
  if (kept?.scripted) return null
  const { provider, baseURL, name, ...rest } = kept ?? {}
  if (typeof name !== 'string' || (provider !== undefined && !Object.hasOwn(providers, provider)) || (baseURL !== undefined && !URL.canParse(baseURL))) return undefined
  const known = provider === undefined ? undefined : providers[/** @type {import('../dist/esm/index.js').ProviderName} */ (provider)]
  const address = baseURL ?? (known && Object.values(known.baseURLs)[0])
  if (address === undefined) return undefined
  const apiKey = keyFor(address)
  if (!apiKey && known?.keys && baseURL === undefined) return undefined
  return { ...rest, name, ...(provider === undefined ? {} : { provider }), ...(baseURL === undefined ? {} : { baseURL }), ...(apiKey ? { apiKey } : {}) }
}
