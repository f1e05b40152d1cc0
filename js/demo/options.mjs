// The command line of the demo.
import { parseArgs } from 'node:util'

export const help = `npm start                                    a turn against the embedded scripted server
npm start -- --provider NAME --model NAME    against a model of any provider: a chat prompt
npm start -- --base-url URL --model NAME     against any server with the API of OpenAI
npm start -- --web                           the pet in a browser: prints the URL to open

  --provider NAME     who serves the model: openai, anthropic, gemini, ollama, … (npx sluice chat --help lists them)
  --base-url URL      another address: http://127.0.0.1:11434/v1
  --model NAME        the model's name there
  --key-env NAME      the environment variable that holds the key (default: the provider's own, such as $OPENAI_API_KEY)
  --api-key KEY       the key itself
  --wire WIRE         the format, where it is not the provider's first
  --path PATH         what stands behind the address, where it is not the wire's
  --mode MODE         native, text or auto: tools in the request, in the text, or native with a hint (default: auto)
  --protocol ID       how calls are written in mode text (default: vcp)
  --prompt TEXT       one question instead of a chat
  --yes               approve without asking
  --web               the pet on a page of its own, on 127.0.0.1, until Ctrl-C
  --port N            with --web: the port (default: one that is free)
  --store DIR         with --web: the folder of its conversations (default: that of npx sluice demo, which says it)
  --help              this text
`

export class UsageError extends Error {}

export function readOptions(words) {
  let values
  try {
    ;({ values } = parseArgs({
      args: words,
      options: {
        provider: { type: 'string' },
        'base-url': { type: 'string' },
        wire: { type: 'string' },
        path: { type: 'string' },
        'key-env': { type: 'string' },
        model: { type: 'string' },
        'api-key': { type: 'string' },
        mode: { type: 'string' },
        protocol: { type: 'string' },
        prompt: { type: 'string' },
        yes: { type: 'boolean' },
        web: { type: 'boolean' },
        port: { type: 'string' },
        store: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }))
  } catch (error) {
    throw new UsageError(error.message)
  }
  const modes = ['native', 'text', 'auto']
  if (values.mode !== undefined && !modes.includes(values.mode)) {
    throw new UsageError(`--mode: found '${values.mode}', expected one of ${modes.join(', ')}`)
  }
  if (values['base-url'] !== undefined && !/^https?:\/\//.test(values['base-url'])) {
    throw new UsageError(
      `--base-url: found '${values['base-url']}', expected an http or https URL such as http://127.0.0.1:11434/v1`,
    )
  }
  const server = ['base-url', 'provider'].find((name) => values[name] !== undefined)
  if (server !== undefined && values.model === undefined)
    throw new UsageError(`--${server} needs --model NAME beside it`)
  if (server === undefined && values.model !== undefined)
    throw new UsageError('--model needs --base-url URL or --provider NAME beside it')
  const terminalOnly = ['prompt', 'yes'].find((name) => values[name] !== undefined)
  if (values.web && terminalOnly) throw new UsageError(`--${terminalOnly} is for the terminal: leave out --web`)
  const pageOnly = ['port', 'store'].find((name) => values[name] !== undefined)
  if (pageOnly && !values.web) throw new UsageError(`--${pageOnly} is for --web`)
  if (values.port !== undefined && !(/^\d{1,5}$/.test(values.port) && Number(values.port) < 65536)) {
    throw new UsageError(`--port: found '${values.port}', expected a number from 0 to 65535`)
  }
  return values
}
