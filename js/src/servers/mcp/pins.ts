// What every server's tools were when they were seen first, or accepted. A tool that says something else since is held
// back.
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { attempt, locked, orNull, replaceFile } from '../../app/conversations/disk.js'
import { SluiceError } from '../../engine/core/errors.js'
import { isObject, shown, text } from '../../engine/core/options.js'
import type { McpTool } from './definition.js'

/** A tool as it was accepted. */
export interface McpPin {
  /** The server's name of the tool. */
  readonly tool: string
  /** SHA-256 of the definition in canonical JSON. */
  readonly digest: string
  /** The definition, to show what changed. */
  readonly definition: McpTool
}

/** Where pins are kept. `memoryPins()` and `filePins(path)` are two. */
export interface McpPinStore {
  /**
   * The pins of a server; undefined where it was never seen. Where they cannot be read it throws: no tool of the server
   * is offered then.
   */
  get(server: string): readonly McpPin[] | undefined | Promise<readonly McpPin[] | undefined>
  /**
   * Adds these, or puts them in the place of those of the same tools. The server counts as seen from then on, also
   * without any.
   */
  set(server: string, pins: readonly McpPin[]): void | Promise<void>
}

type Servers = Map<string, Map<string, McpPin>>

function keep(servers: Servers, server: string, pins: readonly McpPin[]): void {
  const kept = servers.get(server) ?? new Map<string, McpPin>()
  for (const pin of pins) kept.set(pin.tool, structuredClone(pin))
  servers.set(server, kept)
}

/** Keeps pins as long as the process lives. */
export function memoryPins(): McpPinStore {
  const servers: Servers = new Map()
  return {
    get: (server) =>
      servers.has(server) ? structuredClone([...(servers.get(server) as Map<string, McpPin>).values()]) : undefined,
    set: (server, pins) => keep(servers, server, pins),
  }
}

/**
 * Keeps pins in a JSON file, which any number of processes may share: it is changed under a lock and replaced as a
 * whole. Where it cannot be read, that is SluiceError `storage` with the place, and no tool of a server is offered
 * until it is mended or removed.
 */
export function filePins(path: string): McpPinStore {
  text(path, 'path')
  if (path === '') throw new SluiceError({ code: 'option', path: 'path', detail: 'expected the path of a file' })
  const place = resolve(path)
  const trying = <T>(act: () => Promise<T>): Promise<T> => attempt(place, act, 'the file of the pins')
  return {
    get: (server) =>
      trying(async () => {
        const pins = (await read(place)).get(server)
        return pins && [...pins.values()]
      }),
    set: (server, pins) =>
      trying(async () => {
        await mkdir(dirname(place), { recursive: true })
        await locked(`${place}.lock`, async (check) => {
          const servers = await read(place)
          keep(servers, server, pins)
          const written = [...servers].map(([name, kept]) => ({ server: name, pins: [...kept.values()] }))
          await replaceFile(place, `${JSON.stringify({ servers: written }, null, 2)}\n`, check)
        })
      }),
  }
}

async function read(path: string): Promise<Servers> {
  const servers: Servers = new Map()
  const content = await orNull(readFile(path, 'utf8'))
  if (content === null) return servers
  // Half a file must not count as "never seen": every change in it would be taken as it is.
  const wrong = (at: string, found: unknown, expected: string): SluiceError =>
    new SluiceError({
      code: 'storage',
      path: path + at,
      detail: `found ${shown(found)}, expected ${expected}`,
      hint: 'mend or remove the file: without it every tool counts as seen for the first time',
    })
  let given: unknown
  try {
    given = JSON.parse(content)
  } catch {
    throw wrong('', content, 'JSON')
  }
  const list = isObject(given) ? given['servers'] : undefined
  if (!Array.isArray(list)) throw wrong('.servers', list, 'an array')
  for (const [index, one] of (list as unknown[]).entries()) {
    const [server, pins] = isObject(one) ? [one['server'], one['pins']] : []
    if (typeof server !== 'string') throw wrong(`.servers[${index}].server`, server, 'a string')
    const fault = faultOfPins(pins)
    if (fault) throw wrong(`.servers[${index}].pins${fault.at}`, fault.found, fault.expected)
    keep(servers, server, pins as McpPin[])
  }
  return servers
}

/** What is wrong with pins that a store gave. */
export function faultOfPins(pins: unknown): { at: string; found: unknown; expected: string } | undefined {
  if (!Array.isArray(pins)) return { at: '', found: pins, expected: 'an array' }
  for (const [index, pin] of (pins as unknown[]).entries()) {
    const { tool, digest, definition } = (isObject(pin) ? pin : {}) as { [member: string]: unknown }
    if (typeof tool !== 'string') return { at: `[${index}].tool`, found: tool, expected: 'a string' }
    if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest))
      return { at: `[${index}].digest`, found: digest, expected: 'a SHA-256' }
    if (!isObject(definition)) return { at: `[${index}].definition`, found: definition, expected: 'an object' }
  }
  return undefined
}
