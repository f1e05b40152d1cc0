// The durable turns of an app, from a module of it: for commands that work on them.
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Durable } from '../../servers/durable/durable-types.js'
import { unreadable, UsageError } from './command.js'

/** What `export default durable(…)` or `export const turns = …` of a module is, or what a function there gives. */
export async function loadTurns(path: string): Promise<Durable> {
  const wrong = (why: string): UsageError => new UsageError(`${path}: ${why}`)
  let given: unknown
  try {
    await access(path)
    const module = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown; turns?: unknown }
    given = module.default ?? module.turns
    if (typeof given === 'function') given = await (given as () => unknown)()
  } catch (error) {
    throw new UsageError(unreadable(path, error))
  }
  const methods = ['work', 'questions', 'decide'] as const
  if (methods.every((name) => typeof (given as Partial<Durable> | null | undefined)?.[name] === 'function'))
    return given as Durable
  throw wrong(
    `found ${given === undefined ? 'no such export' : typeof given}, expected what durable() gives, as default export or as \`turns\``,
  )
}
