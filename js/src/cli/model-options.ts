// Options that choose the model and the way it is given tools.
import type { Settings } from '../core/settings.js'
import type { Model } from '../core/transport.js'
import { oneOf, text, UsageError, type Options, type Values } from './command.js'

export const settingOptions = { mode: { type: 'string' }, protocol: { type: 'string' } } as const satisfies Options

export const modelOptions = {
  'base-url': { type: 'string' }, model: { type: 'string' }, 'api-key': { type: 'string' }, ...settingOptions,
} as const satisfies Options

export const modelHelp = `  --base-url URL      up to and without /chat/completions: http://127.0.0.1:11434/v1
  --model NAME        the model's name there
  --api-key KEY       sent as a bearer token (default for api.openai.com alone: $OPENAI_API_KEY, which others on this machine do not see)
  --mode MODE         native, text or auto: tools in the request, in the text, or native with a hint (default: auto)
  --protocol ID       how calls are written in mode text; auto: by the model's name (default: vcp)`

/** Returns undefined if the command line names no model. */
export function readModel(values: Values): Model | undefined {
  const baseURL = text(values['base-url'])
  const name = text(values.model)
  if (baseURL !== undefined && !/^https?:\/\//.test(baseURL)) {
    throw new UsageError(`--base-url: found '${baseURL}', expected an http or https URL such as http://127.0.0.1:11434/v1`)
  }
  if (baseURL === undefined && name !== undefined) throw new UsageError('--model needs --base-url URL beside it')
  if (baseURL !== undefined && name === undefined) throw new UsageError('--base-url needs --model NAME beside it')
  if (baseURL === undefined || name === undefined) return undefined
  const apiKey = text(values['api-key']) ?? keyFor(baseURL)
  return { baseURL, name, ...(apiKey ? { apiKey } : {}) }
}

/** A key from the environment is sent only to the server it belongs to. */
export function keyFor(baseURL: string): string | undefined {
  const ours = URL.canParse(baseURL) && new URL(baseURL).origin === 'https://api.openai.com'
  return ours ? process.env.OPENAI_API_KEY : undefined
}

export function readSettings(values: Values): Settings {
  const mode = oneOf(values, 'mode', ['native', 'text', 'auto'])
  const protocol = text(values.protocol)
  return { ...(mode ? { mode } : {}), ...(protocol === undefined ? {} : { protocol }) }
}
