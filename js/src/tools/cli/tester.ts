// sluice tester: a page that shows what a model would see, parses what it said, and runs tools by hand.
import { existsSync } from 'node:fs'
import { Engine } from '../../engine/core/engine.js'
import { SluiceError } from '../../engine/core/errors.js'
import { wireNames } from '../../engine/core/providers.js'
import type { Tool } from '../../engine/core/tool.js'
import { toolForms } from '../../engine/core/tool-forms.js'
import { flag, jsonObject, members, oneOf, optional, text as textOf } from '../../app/host/checks.js'
import { Configuration, tokensSent } from '../../app/host/configuration.js'
import { serve, type WebRoute, type WebServer } from '../../app/web/web-server.js'
import { text, type Command } from './command.js'
import { readSettings, settingOptions } from './model-options.js'
import { pageHelp, pageOptions, pageRoots, readPort, showPage } from './terminal-page.js'
import { parse, type ParseInput } from './parser.js'
import { canRun, runByHand } from './run-tool.js'
import { scriptOf } from './test-script.js'
import type {
  ParseReply,
  ParseRequest,
  RunRequest,
  ScriptReply,
  ScriptRequest,
  ToolsReply,
  ToolsRequest,
} from './tester-api.js'
import { loadTools } from './tools-file.js'

const demoFile = new URL('../../../../demo/tools.mjs', import.meta.url)

export const command: Command = {
  summary: 'a page: what a model sees, how its text is parsed, tools run by hand',
  help: `npx sluice tester [options]      a page: the tools that a model would see (and why others are hidden), {{tools}} with its tokens;
                                 how a pasted text is parsed, and why a candidate is no call; tools run by hand

${pageHelp}
  --tools FILE.mjs    your tools: export default [tool({ … }), …] (default: those of the demo)
  --protocol ID       how calls are written (default: vcp)
  --mode MODE         native, text or auto (default: auto)`,
  options: { ...pageOptions, ...settingOptions, tools: { type: 'string' } },
  async run(values) {
    const path = text(values.tools)
    const tools = path === undefined ? await demoTools() : await loadTools(path)
    const port = readPort(values)
    const page = await startTester({ tools, settings: { ...readSettings(values) }, ...(port ? { port } : {}) })
    return await showPage('The tester is on', page, values)
  },
}

export async function demoTools(): Promise<Tool[]> {
  if (!existsSync(demoFile)) {
    throw new SluiceError({
      code: 'option',
      path: '--tools',
      detail: 'this package comes without its demo: expected a file with tools',
    })
  }
  return ((await import(demoFile.href)) as { tools: Tool[] }).tools
}

export interface TesterOptions {
  tools: Tool[]
  /** The settings at the start; the page can change them. */
  settings?: { [member: string]: unknown }
  port?: number
}

export async function startTester({ tools, settings = {}, port }: TesterOptions): Promise<WebServer> {
  const engine = new Engine({ ...settings, tools })
  try {
    const server = await serve({ roots: pageRoots('tester'), routes: routes(engine), ...(port ? { port } : {}) })
    return { ...server, close: () => server.close().finally(() => engine.close()) }
  } catch (error) {
    engine.close()
    throw error
  }
}

const settingsCheck = optional(jsonObject({ characters: 100_000, values: 10_000, depth: 8 }))
const nameCheck = textOf(200)
const MAX_TEXT = 1_000_000 // the limit of a request's body leaves no room for more

const checkTools = members<ToolsRequest>({ settings: settingsCheck, model: optional(textOf(200, 0)) })
const parsed = {
  text: textOf(MAX_TEXT, 0),
  wire: optional(oneOf(...wireNames, 'text')),
  protocol: optional(nameCheck),
  model: optional(textOf(200, 0)),
  settings: settingsCheck,
}
const checkParse = members<ParseRequest>({ ...parsed, chunks: optional(textOf(20)), steps: optional(flag) })
const checkScript = members<ScriptRequest>(parsed)
const checkRun = members<RunRequest>({
  name: nameCheck,
  arguments: jsonObject({ characters: 1_000_000, values: 100_000, depth: 64 }),
  timeout: optional(textOf(100)),
})

export function routes(engine: Engine): { [route: `POST /${string}`]: WebRoute } {
  return {
    'POST /api/tools': (input): ToolsReply => describeTools(engine, checkTools(input, '')),
    'POST /api/parse': (input): ParseReply => parse(engine, withBytes(checkParse(input, ''))),
    'POST /api/script': (input): ScriptReply => ({ script: scriptOf(engine, withBytes(checkScript(input, ''))) }),
    'POST /api/run': (input, { signal }) => runByHand(engine.tools, checkRun(input, ''), signal),
  }
}

const withBytes = ({ text, ...how }: ParseRequest): ParseInput => ({ ...how, bytes: Buffer.from(text) })

/** The tools and the prompt as the configuration page would show them with these settings. */
function describeTools(engine: Engine, { settings = {}, model }: ToolsRequest): ToolsReply {
  const view = new Configuration(engine, undefined, () => {}).configure({ settings })
  const runnable = engine.tools.filter(canRun).map((tool) => tool.name)
  const forms = Object.fromEntries(toolForms(engine, settings))
  if (view.settings['protocol'] !== 'auto' || !model) return { ...view, runnable, forms }
  const { prompt, tokens } = engine.describe({
    ...settings,
    request: { model, messages: [{ role: 'user', content: '' }] },
  })
  return { ...view, prompt, tokens, estimatedTokens: tokensSent(view.settings, tokens), runnable, forms }
}
