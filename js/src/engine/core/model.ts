// What `model` says, and what that means for a request: where it goes, in which format, with which headers.
import { createHash } from 'node:crypto'
import { SluiceError } from './errors.js'
import { didYouMean, is, isObject, members, shown, textsByName, wrong, type Check } from './options.js'
import {
  addressOf,
  dialectOf,
  firstWire,
  isOf,
  isProvider,
  otherNames,
  providerNames,
  providers,
  regionName,
  wireNames,
  wires,
  type Provider,
  type ProviderName,
  type WireName,
} from './providers.js'
import { credential, namedSecrets, secretTexts } from './secrets.js'
import type { PromptCache } from './settings.js'

/** What is said of the server that has a model. `provider` or `baseURL` must be there. */
export interface ModelServerOptions {
  /**
   * Who serves the model: this puts in the base URL, the wire and how the key is sent. js/docs/providers.md lists them.
   * Default none: `baseURL` says it.
   */
  provider?: ProviderName
  /**
   * In which region the provider serves the model: only of `bedrock`, and without `baseURL`. Default `us-east-1`.
   */
  region?: string
  /** An http or https URL, up to and without the wire's path: `http://127.0.0.1:11434/v1`. Default: the provider's. */
  baseURL?: string
  /** The format of requests and answers. Default: the provider's first; without a provider `openai-chat`. */
  wire?: WireName
  /**
   * Behind the base URL, for a server with another endpoint; may have a query. `{model}` stands for the model's name.
   * `''`: the base URL is the endpoint. Default: the wire's, such as `/chat/completions`.
   */
  path?: string
  /**
   * Sent as the wire sends keys: `Authorization: Bearer …`, `x-api-key`, `x-goog-api-key`. Printable ASCII. Default
   * none.
   */
  apiKey?: string
  /** Further headers of every request. They go before those that Sluice sends. */
  headers?: Record<string, string>
  /** What Sluice tells the server about prompt caching. Default `auto`. */
  cache?: PromptCache
}

/** A server as it is reached: the name of a saved turn's model is in its state. */
export type ServerAddress = ModelServerOptions &
  (
    | {
        /** Who serves the model. */
        provider: ProviderName
      }
    | {
        /** Where the server is. */
        baseURL: string
      }
  )

/** A model, and the server that has it. */
export type Model = ServerAddress & {
  /** The name by which the server knows the model. */
  name: string
}

/** What every request to a server has in common. */
export interface Server {
  wire: WireName
  /** Names the base URL: what an answer holds beside text and calls goes back to this endpoint alone. */
  endpoint: string
  /** Who serves the model; absent where nobody knows. */
  dialect?: string | undefined
  url: string
  /** Names in lower case. */
  headers: { [name: string]: string }
  /** Texts that no event, message or error may hold. */
  secrets: string[]
}

// -- checks -----------------------------------------------------------------------------------------------------------

/** @internal */
export const checkHeaders: Check = (value, path) => {
  textsByName(value, path)
  for (const [name, text] of Object.entries(value as { [name: string]: string })) {
    if (/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) continue
    throw new SluiceError({
      code: 'option',
      path: `${path}.${name}`,
      detail: 'found a character that no header can carry, expected a name and a text of Latin-1',
    }) // without the text: it may be a key
  }
}

/** The error for a wrong value whose text may hold a key. */
const hidden = (path: string, value: unknown, found: string, expected: string, hint?: string): SluiceError =>
  typeof value === 'string'
    ? new SluiceError({ code: 'option', path, detail: `found ${found}, expected ${expected}`, hint })
    : wrong(path, value, expected)

/** For an address without its scheme, such as localhost:11434/v1; undefined for what may be, or hold, a key. */
export function didYouMeanURL(value: unknown): string | undefined {
  const isAddress = /^(?:localhost|[\w.-]+(?=:\d))(?::\d{1,5})?(?:\/[a-z0-9]{0,8}){0,3}$/
  return typeof value === 'string' && isAddress.test(value) ? `did you mean http://${value}?` : undefined
}

const checkProvider: Check = (value, path) => {
  if (isProvider(value)) return
  const known =
    typeof value === 'string' && Object.hasOwn(otherNames, value.toLowerCase())
      ? otherNames[value.toLowerCase()]
      : undefined
  throw wrong(path, value, providerNames.join(' | '), known ?? didYouMean(value, providerNames))
}

const checkWire: Check = (value, path) => {
  if ((wireNames as readonly unknown[]).includes(value)) return
  throw wrong(path, value, wireNames.join(' | '), didYouMean(value, wireNames))
}

const checkCache = members({
  members: {
    ttl: is("'5m' or '1h'", (value) => value === '5m' || value === '1h'),
    key: is('a text that is not empty', (value) => typeof value === 'string' && value !== ''),
  },
})

const checkMembers = members({
  members: {
    name: is('the name of a model', (value) => typeof value === 'string' && value !== ''),
    provider: checkProvider,
    wire: checkWire,
    region: is(
      "the name of a region such as 'eu-west-1'",
      (value) => typeof value === 'string' && regionName.test(value),
    ),
    baseURL: (value, path) => {
      const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
      if (url && /^https?:$/.test(url.protocol)) return
      const expected = 'an http or https URL such as http://127.0.0.1:11434/v1'
      throw hidden(path, value, 'another text', expected, didYouMeanURL(value))
    },
    path: (value, path) => {
      if (typeof value === 'string' && /^(?:[/?][^#\s]*)?$/.test(value) && !value.startsWith('//')) return
      throw hidden(
        path,
        value,
        'another text',
        "what stands behind the base URL: '/chat/completions', or '' where nothing does",
      )
    },
    apiKey: (value, path) => {
      if (typeof value === 'string' && /^[\x21-\x7e]*$/.test(value)) return
      const found = typeof value === 'string' ? 'a character that no header can carry' : `a ${typeof value}`
      throw new SluiceError({ code: 'option', path, detail: `found ${found}, expected a string of printable ASCII` })
    },
    headers: checkHeaders,
    cache: (value, path) => {
      if (value === 'auto' || value === 'off') return
      if (!isObject(value)) throw wrong(path, value, "'auto', 'off' or { ttl, key }")
      checkCache(value, path)
    },
  },
  instead: {
    model: 'did you mean name?',
    url: 'did you mean baseURL?',
    endpoint: 'did you mean path, or baseURL?',
    apikey: 'did you mean apiKey?',
    key: 'did you mean apiKey?',
    api: 'did you mean wire?',
    type: 'did you mean provider?',
  },
})

/** @internal `needsName`: a run begins; a saved turn knows the name of its model. */
export const checkModel =
  ({ needsName }: { needsName: boolean }): Check =>
  (value, path) => {
    if (!isObject(value))
      throw wrong(
        path,
        value,
        needsName ? 'an object with baseURL and name, or with provider and name' : 'an object with baseURL or provider',
      )
    checkMembers(value, path)
    const { provider, wire, region, baseURL, name } = value as Partial<Model>
    if (baseURL === undefined && provider === undefined) {
      throw wrong(
        `${path}.baseURL`,
        undefined,
        'an http or https URL such as http://127.0.0.1:11434/v1',
        "provider: 'anthropic', for one, knows its own",
      )
    }
    if (needsName && name === undefined)
      throw wrong(
        `${path}.name`,
        undefined,
        'the name of a model',
        provider && `one of ${providers[provider].title} is ${providers[provider].example}`,
      )
    if (region !== undefined && (baseURL !== undefined || !provider || providers[provider].region === undefined))
      throw wrong(`${path}.region`, region, 'nothing', 'only bedrock has regions, and a baseURL names its own')
    if (provider !== undefined && wire !== undefined) checkSpoken(provider, wire, baseURL, path)
  }

/** A provider has an address for each wire that it speaks. */
function checkSpoken(provider: ProviderName, wire: WireName, baseURL: string | undefined, path: string): void {
  const { title, baseURLs } = providers[provider]
  if (baseURL !== undefined || baseURLs[wire] !== undefined) return
  const hint = `what ${title} speaks; any other wire needs the baseURL of a server that speaks it`
  throw wrong(`${path}.wire`, wire, Object.keys(baseURLs).join(' | '), hint)
}

// -- what it means ----------------------------------------------------------------------------------------------------

/**
 * @internal
 * @param name of the model
 * @param saved the wire of a turn that goes on
 */
export function serverOf(
  { provider, wire, region, baseURL, path, apiKey, headers = {} }: ServerAddress,
  name: string,
  saved?: WireName,
): Server {
  const spoken = saved ?? wire ?? (provider ? firstWire(provider) : 'openai-chat')
  if (saved !== undefined && wire !== undefined && wire !== saved)
    throw wrong('model.wire', wire, saved, 'the turn keeps what it began with: it is in the state')
  if (provider) checkSpoken(provider, spoken, baseURL, 'model')
  const { path: usual, key, headers: fixed } = wires[spoken]
  const base = baseURL ?? ((provider && addressOf(provider, spoken, region)) as string)
  const url = new URL(base)
  const { username, password } = url
  url.username = url.password = '' // fetch refuses them in a URL
  const [behind = '', query = ''] = (path ?? usual)
    .replaceAll('{model}', encodeURIComponent(plainName(name, spoken)))
    .split(/\?(.*)/s)
  url.pathname = url.pathname.replace(/\/+$/, '') + behind // in front of a query such as ?api-version=
  url.search = [url.search.slice(1), query].filter(Boolean).join('&')
  return {
    wire: spoken,
    dialect: dialectOf(provider, url.href),
    endpoint: createHash('sha256').update(base).digest('hex').slice(0, 16),
    url: url.href,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'accept-encoding': 'identity', // a compressed stream that breaks stalls fetch without a word
      ...fixed,
      ...(username || password ? { authorization: `Basic ${basic(username, password)}` } : {}),
      ...(apiKey ? key(apiKey) : {}),
      ...lowerCase(headers),
    },
    secrets: secretTexts([
      apiKey,
      username,
      password,
      username || password ? basic(username, password) : '',
      ...namedSecrets(Object.entries(headers)),
      ...namedSecrets(url.searchParams),
    ]),
  }
}

/** Gemini lists its models as `models/gemini-…`. */
const plainName = (name: string, wire: WireName): string =>
  wire.startsWith('gemini') ? name.replace(/^models\//, '') : name

/** @internal Throws SluiceError `option` where requests to a provider would go without the key that it wants. */
export function checkKey({ provider, apiKey }: ServerAddress, { url, headers, secrets }: Server): void {
  const { title, keys } = provider ? providers[provider] : ({} as Partial<Provider>)
  if (!keys || apiKey || secrets.length > 0 || Object.keys(headers).some((name) => credential.test(name))) return
  const { origin } = new URL(url)
  // a server of one's own may need none
  if (!isOf(provider as ProviderName, origin)) return
  throw new SluiceError({
    code: 'option',
    path: 'model.apiKey',
    detail: `found ${shown(apiKey)}, expected a key of ${title}`,
    hint: `${keys[0]} is the usual environment variable: apiKey: process.env.${keys[0]}`,
  })
}

/** @internal Headers with names in lower case. */
export const lowerCase = (headers: { readonly [name: string]: string }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** @param username as in a URL */
const basic = (username: string, password: string): string =>
  btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
