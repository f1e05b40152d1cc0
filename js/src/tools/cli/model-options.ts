// Options that choose the model and the way it is given tools.
import type { Settings } from '../../engine/core/settings.js'
import { didYouMeanURL, type Model } from '../../engine/core/model.js'
import type { Endpoint } from '../../engine/core/server-check.js'
import {
  addressesOf,
  isOf,
  otherNames,
  providerNames,
  providers,
  wireNames,
  type ProviderName,
} from '../../engine/core/providers.js'
import { didYouMean } from '../../engine/core/options.js'
import { oneOf, text, UsageError, type Options, type Values } from './command.js'

export const settingOptions = { mode: { type: 'string' }, protocol: { type: 'string' } } as const satisfies Options

export const modelOptions = {
  provider: { type: 'string' },
  'base-url': { type: 'string' },
  model: { type: 'string' },
  'api-key': { type: 'string' },
  'key-env': { type: 'string' },
  wire: { type: 'string' },
  path: { type: 'string' },
  ...settingOptions,
} as const satisfies Options

export const modelHelp = `  --provider NAME     who serves the model: its address, its format, its key:
                      ${providerNames.slice(0, 9).join(', ')},
                      ${providerNames.slice(9).join(', ')}
  --base-url URL      another address, such as http://127.0.0.1:11434/v1; without --provider any server with the API of OpenAI
  --model NAME        the model's name there
  --key-env NAME      the environment variable that holds the key (default: the provider's, such as $OPENAI_API_KEY, at its own address)
  --api-key KEY       the key itself, which others on this machine can see
  --wire WIRE         ${wireNames.join(', ')} (default: the provider's)
  --path PATH         what stands behind the address (default: the wire's, such as /chat/completions)
  --mode MODE         native, text or auto: tools in the request, in the text, or native with a hint (default: auto)
  --protocol ID       how calls are written in mode text; auto: by the model's name (default: vcp)`

/**
 * Returns undefined if the command line names no model. `nameless`: a server alone will do, and its key may be missing.
 */
export function readModel(values: Values): Model | undefined
export function readModel(values: Values, options: { nameless: true }): Endpoint | undefined
export function readModel(values: Values, { nameless = false } = {}): Endpoint | undefined {
  const provider = readProvider(values)
  const baseURL = text(values['base-url'])
  const name = text(values.model)
  if (baseURL !== undefined && !/^https?:\/\//.test(baseURL)) {
    const near = didYouMeanURL(baseURL)
    throw new UsageError(
      `--base-url: found '${baseURL}', expected an http or https URL such as http://127.0.0.1:11434/v1${near ? `; ${near}` : ''}`,
    )
  }
  if (provider === undefined && baseURL === undefined) {
    const alone = ['model', 'wire', 'path', 'key-env'].find((option) => values[option] !== undefined)
    if (alone !== undefined) throw new UsageError(`--${alone} needs --base-url URL or --provider NAME beside it`)
    return undefined
  }
  if (name === undefined && !nameless) {
    throw new UsageError(
      `--${baseURL === undefined ? 'provider' : 'base-url'} needs --model NAME beside it${provider ? `: one of ${providers[provider].title} is ${providers[provider].example}` : ''}`,
    )
  }
  const wire = oneOf(values, 'wire', wireNames)
  const path = text(values.path)
  const apiKey = readKey(values, baseURL, provider, nameless)
  return {
    ...(provider ? { provider } : {}),
    ...(wire ? { wire } : {}),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(path === undefined ? {} : { path }),
    ...(apiKey ? { apiKey } : {}),
    ...(name === undefined ? {} : { name }),
  } as Endpoint
}

function readProvider(values: Values): ProviderName | undefined {
  const given = text(values.provider)
  if (given === undefined || (providerNames as readonly string[]).includes(given))
    return given as ProviderName | undefined
  const hint = Object.hasOwn(otherNames, given) ? otherNames[given] : didYouMean(given, providerNames)
  throw new UsageError(
    `--provider: found '${given}', expected one of ${providerNames.join(', ')}${hint ? ` (${hint})` : ''}`,
  )
}

function readKey(
  values: Values,
  baseURL: string | undefined,
  provider: ProviderName | undefined,
  keyless: boolean,
): string | undefined {
  const variable = text(values['key-env'])
  const given = text(values['api-key'])
  if (variable !== undefined && given !== undefined)
    throw new UsageError('--key-env NAME and --api-key KEY: expected one of them')
  if (variable !== undefined && !process.env[variable])
    throw new UsageError(`--key-env: found no environment variable ${variable}, or an empty one`)
  if (variable !== undefined) return process.env[variable]
  const key = given ?? keyFor(baseURL ?? (addressesOf(provider as ProviderName)[0] as string))
  const wanted = provider && baseURL === undefined && providers[provider].keys
  if (!key && wanted && !keyless)
    throw new UsageError(
      `${providers[provider].title} wants a key: set ${wanted.map((name) => `$${name}`).join(' or ')}, or name another variable by --key-env`,
    )
  return key
}

/** A key from the environment is sent only to the servers it belongs to. */
export function keyFor(baseURL: string): string | undefined {
  const origin = URL.canParse(baseURL) ? new URL(baseURL).origin : ''
  const owner = providerNames.find((name) => isOf(name, origin))
  return (owner && providers[owner].keys)?.map((name) => process.env[name]).find(Boolean)
}

export function readSettings(values: Values): Settings {
  const mode = oneOf(values, 'mode', ['native', 'text', 'auto'])
  const protocol = text(values.protocol)
  return { ...(mode ? { mode } : {}), ...(protocol === undefined ? {} : { protocol }) }
}
