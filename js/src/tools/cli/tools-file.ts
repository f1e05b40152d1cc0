// --tools: tools from a module, or declarations from a JSON file.
import { access, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tool, type Tool, type ToolOptions } from '../../engine/core/tool.js'
import { unreadable, UsageError } from './command.js'

type Declared = { [member: string]: unknown }

/**
 * The tools of `export default [...]` or `export const tools = [...]`, or those declared in a file that ends in .json.
 */
export async function loadTools(path: string): Promise<Tool[]> {
  const wrong = (why: string): UsageError => new UsageError(`--tools ${path}: ${why}`)
  let given: unknown
  try {
    await access(path)
    given = path.endsWith('.json') ? JSON.parse(await readFile(path, 'utf8')) : await importTools(path)
  } catch (error) {
    throw new UsageError(`--tools: ${unreadable(path, error)}`)
  }
  if (!Array.isArray(given)) {
    const where = path.endsWith('.json') ? '' : ' as default export, or as `tools`'
    throw wrong(`found ${given === undefined ? 'no such export' : typeof given}, expected an array of tools${where}`)
  }
  return given.map((one: unknown, index) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw wrong(`[${index}]: expected a tool`)
    return makeTool(one as Declared, () => wrong(`[${index}]: expected a tool with a name, or with toolId and method`))
  })
}

async function importTools(path: string): Promise<unknown> {
  const module = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown; tools?: unknown }
  const given = module.default ?? module.tools
  return typeof given === 'function' ? await (given as () => unknown)() : given
}

function makeTool(given: Declared, wrong: () => UsageError): Tool {
  if ('declaration' in given && typeof given.name === 'string') return given as unknown as Tool // `tool()` made it
  // The form of an OpenAI request: every tool in it is meant for the model.
  const openai = given.type === 'function' && typeof given.function === 'object'
  const inner = openai ? { agentCallable: true, ...(given.function as Declared) } : given
  if (typeof inner.name !== 'string' && !(typeof inner.toolId === 'string' && typeof inner.method === 'string'))
    throw wrong()
  return tool(inner as ToolOptions)
}
