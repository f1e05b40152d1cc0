// sluice serve: an OpenAI-compatible server in front of another, whose models write calls as text.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { listen as begin, type Place } from '../../engine/core/listen.js'
import { addressesOf, providers } from '../../engine/core/providers.js'
import { openAIHandler } from '../../servers/openai/openai-handler.js'
import type { TextToolCallDiagnostic } from '../../servers/openai/openai-options.js'
import { nodeListener } from '../../app/web/node-listener.js'
import { text, UsageError, type Command, type Values } from './command.js'
import { readModel } from './model-options.js'

const DEFAULT = '127.0.0.1:4100'
const MOST_WRITTEN = 1000

export const command: Command = {
  summary: 'a server for OpenAI clients in front of another: calls that models write as text become tool_calls',
  help: `npx sluice serve --upstream URL [options]     an OpenAI-compatible server in front of another

Start the upstream, then this in front of it, and give clients the address that is printed as their base URL:
  npx sluice serve --upstream http://127.0.0.1:8000/v1

Requests with tools tell the model of them in its own format, and the calls that it writes into its text come out as tool_calls, streaming
or whole; /v1/models, /v1/completions, /v1/embeddings and /v1/responses pass.

  --upstream URL      the server that has the models, such as http://127.0.0.1:8000/v1; --base-url is the same
  --provider NAME     instead of it: a provider by its name, such as ollama
  --protocol ID       how the models write calls; auto: by a model's name (default: auto)
  --listen HOST:PORT  where clients find it (default: ${DEFAULT}); port 0 takes any that is free. Beyond this machine it wants --token
  --token TOKEN       what clients must send as their API key; $SLUICE_TOKEN is the same, and others on this machine cannot see it
  --origin ORIGIN     a page that may ask, such as http://localhost:3000; more than one with commas (default: none)
  --key-env NAME      the environment variable with the key for the upstream (default: the provider's; else the client's key is passed on)
  --api-key KEY       the key itself, which others on this machine can see`,
  options: {
    upstream: { type: 'string' },
    'base-url': { type: 'string' },
    provider: { type: 'string' },
    protocol: { type: 'string' },
    listen: { type: 'string' },
    token: { type: 'string' },
    origin: { type: 'string' },
    'key-env': { type: 'string' },
    'api-key': { type: 'string' },
  },
  async run(values) {
    const { baseURL, apiKey } = readUpstream(values)
    const listen = readListen(text(values.listen) ?? DEFAULT)
    const token = text(values.token) ?? (process.env['SLUICE_TOKEN'] || undefined)
    const local = isLoopback(listen.host)
    if (!local && token === undefined)
      throw new UsageError(
        `--listen: ${listen.host} can be reached from other machines: --token TOKEN says who may ask`,
      )
    const handler = openAIHandler({
      baseURL,
      protocol: text(values.protocol) ?? 'auto',
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(token === undefined ? {} : { token }),
      onDiagnostic: tellOnce(),
    })
    const origins = readOrigins(values)
    const answer = (request: Request): Response | Promise<Response> =>
      (token === undefined ? strangerTo(request, origins) : undefined) ?? unknownPath(request) ?? handler(request)
    const server = createServer(nodeListener(async (request) => withOrigin(request, origins, answer)))
    await begin(server, listen, '--listen', `--listen ${listen.host}:0 takes a port that is free`)
    const { port } = server.address() as AddressInfo
    console.log(`OpenAI clients: http://${urlHost(listen.host)}:${port}/v1`)
    console.log(`In front of ${shown(baseURL)}; Ctrl-C ends it.`)
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
    })
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return 0
  },
}

/** Writes what is noticed, and that a model is not known only once: it is so with every request. */
function tellOnce(): (diagnostic: TextToolCallDiagnostic) => void {
  const written = new Set<string>()
  return ({ model, code, detail }) => {
    const line = escapeInvisible(
      `${model}: ${code}${detail === '' ? '' : `: ${detail}`}`.replace(/\s+/g, ' ').slice(0, 300),
    )
    if (code === 'unknown_model' && written.has(line)) return
    if (written.size === MOST_WRITTEN) written.clear() // clients name models as they like
    if (code === 'unknown_model') written.add(line)
    console.error(line)
  }
}

function readUpstream(values: Values): { baseURL: string; apiKey?: string | undefined } {
  const { upstream, 'base-url': base } = values
  if (upstream !== undefined && base !== undefined)
    throw new UsageError('--upstream and --base-url: expected one of them, they are the same')
  if (upstream !== undefined && !/^https?:\/\//.test(String(upstream)))
    throw new UsageError(
      `--upstream: found '${String(upstream)}', expected an http or https URL such as http://127.0.0.1:8000/v1`,
    )
  const model = readModel({ ...values, 'base-url': base ?? upstream }, { nameless: true })
  if (!model)
    throw new UsageError(
      '--upstream URL is missing: the server that has the models, such as http://127.0.0.1:8000/v1; or --provider NAME',
    )
  const baseURL = model.baseURL ?? (model.provider && providers[model.provider].baseURLs['openai-chat'])
  if (baseURL === undefined)
    throw new UsageError(
      `--provider: ${model.provider} does not speak the API of OpenAI${model.provider ? ` at ${addressesOf(model.provider)[0]}` : ''}; expected one that does, or --upstream URL`,
    )
  if (!URL.canParse(baseURL))
    throw new UsageError(`--upstream: found '${baseURL}', expected a URL such as http://127.0.0.1:8000/v1`)
  return { baseURL, apiKey: model.apiKey }
}

function readListen(given: string): Place {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:\s/]+)|):?(\d{1,5})$/i.exec(given) ?? []
  const host = bracketed ?? plain ?? '127.0.0.1'
  const port = Number(digits)
  if (digits !== undefined && port <= 65_535) return { host, port }
  throw new UsageError(`--listen: found '${given}', expected HOST:PORT such as ${DEFAULT}, or a port`)
}

const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)
const isLoopback = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|localhost|::1|\[::1\])$/i.test(host)

function shown(baseURL: string): string {
  const { origin, pathname } = new URL(baseURL)
  return origin + pathname
}

/**
 * Pages that a browser on this machine shows may send requests here, and a name of theirs may lead here: neither is
 * served, unless `--origin` names the page.
 */
function strangerTo(request: Request, origins: readonly string[]): Response | undefined {
  const { hostname, origin: own } = new URL(request.url)
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site') ?? 'none'
  const stranger = !isLoopback(hostname)
    ? `Host: found '${hostname}'`
    : origin !== null && origins.includes(origin)
      ? undefined
      : origin !== null && origin !== own
        ? `Origin: found '${origin}'`
        : site === 'none' || site === 'same-origin'
          ? undefined
          : `Sec-Fetch-Site: found '${site}'` // a picture or a link of a page names no origin
  if (stranger === undefined) return undefined
  const message = `${stranger.slice(0, 200)}, expected a program of this machine; --origin names a page that may ask, and with --token other names are served`
  return refused(403, message, 'forbidden')
}

/** What clients of OpenAI ask for. Nothing else of the upstream can be reached. */
const paths = /^(?:\/v1)?\/(?:chat\/completions|completions|embeddings|responses|models(?:\/.+)?)\/?$/

function unknownPath(request: Request): Response | undefined {
  const { pathname } = new URL(request.url)
  return paths.test(pathname)
    ? undefined
    : refused(
        404,
        `found the path ${pathname.slice(0, 200)}, expected /v1/chat/completions, completions, embeddings, responses or models`,
        'not_found',
      )
}

const refused = (status: number, message: string, code: string): Response =>
  Response.json({ error: { message, type: 'invalid_request_error', param: null, code } }, { status })

function readOrigins({ origin }: Values): string[] {
  return (text(origin)?.split(',') ?? []).map((given) => {
    const parsed = URL.canParse(given) ? new URL(given).origin : 'null'
    if (parsed === 'null' || parsed !== given.replace(/\/$/, ''))
      throw new UsageError(`--origin: found '${given}', expected an origin such as http://localhost:3000`)
    return parsed
  })
}

/** A page that `--origin` names may read the answers, and its browser asks first whether it may. */
async function withOrigin(
  request: Request,
  origins: readonly string[],
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return await answer(request)
  const response =
    request.method === 'OPTIONS'
      ? new Response(null, {
          status: 204,
          headers: {
            'access-control-allow-methods': 'GET, POST',
            'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
          },
        })
      : await answer(request)
  response.headers.set('access-control-allow-origin', origin)
  response.headers.append('vary', 'Origin')
  return response
}
