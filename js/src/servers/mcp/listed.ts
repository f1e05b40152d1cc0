// What a server has, held against what was accepted: which of it is a tool, and which waits.
import { Engine } from '../../engine/core/engine.js'
import { messageOf } from '../../engine/core/errors.js'
import type { JsonObject } from '../../engine/core/events.js'
import { tool, type Tool, type ToolContext } from '../../engine/core/tool.js'
import { LONGEST_OF_ALL, readTool, type McpTool } from './definition.js'
import { isChosen, levelOf, type McpToolsOptions } from './mcp-options.js'
import type { McpPin } from './pins.js'

/** A tool that the server has, whether models may call it or not. */
export interface McpListed {
  /** As the engine knows it: `fs.read_file`. */
  readonly name: string
  /**
   * `ready`: models may call it. `disabled`: it waits for `accept`. `hidden`: `expose` does not name it. `left out`: it
   * cannot be used.
   */
  readonly state: 'ready' | 'disabled' | 'hidden' | 'left out'
  /**
   * Of `disabled`: it `changed`, or is `new`. Of `left out`: its `name` or its `definition` is none, its `schema`
   * cannot be read, it runs only as a `task`, the name came `twice`, or the server says `too much`.
   */
  readonly reason?: 'changed' | 'new' | 'name' | 'definition' | 'schema' | 'task' | 'twice' | 'too much'
  /** The reason in a sentence, for developers. */
  readonly detail?: string
  /** What the server says of it. Absent where it cannot be read. */
  readonly tool?: McpTool
  /** What was accepted, where the server says something else now. */
  readonly before?: McpTool
  /** SHA-256 of the definition, for `accept`. */
  readonly digest?: string
  /**
   * Of `ready`: how the servers of `wires` get it. `changed`: one of them in another form; `left out`: one of them not
   * at all.
   */
  readonly sent?: 'as it is' | 'changed' | 'left out'
  /** What was changed or why it was left out, in words; behind the wires where not all of them do so. */
  readonly changes?: readonly string[]
}

/** With what the engine gets of it. */
export interface Entry {
  readonly listed: McpListed
  readonly made?: Tool
}

/** Runs a call of the tool that was offered with this digest. */
type RunCall = (name: string, digest: string, args: object, context: ToolContext) => Promise<unknown>

type Made = Map<string, { key: string; entry: Entry }>

/** Reads lists of a server, one after another. */
export class Reader {
  readonly #options: McpToolsOptions
  readonly #call: RunCall
  /** What was made for the last list: a tool that is the same stays the same. */
  #before: Made = new Map()

  constructor(options: McpToolsOptions, call: RunCall) {
    this.#options = options
    this.#call = call
  }

  /**
   * @param pins what was accepted, by the server's name; undefined: the server was never seen, so that everything is
   */
  read(given: readonly unknown[], pins: ReadonlyMap<string, McpPin> | undefined): Map<string, Entry> {
    const entries = new Map<string, Entry>()
    const made: Made = new Map()
    let size = 0
    const leaveOut = (name: string, listed: Omit<McpListed, 'name' | 'state'>): void => {
      const full = `${this.#options.server}.${name}`
      // what has no name of its own is listed as well; no name has a blank
      const key = entries.has(full) ? `${full} ${entries.size}` : full
      entries.set(key, { listed: { name: full, state: 'left out', ...listed } })
    }
    for (const one of given) {
      const read = readTool(one)
      if ('fault' in read) {
        leaveOut(read.name, { reason: read.reason, detail: read.fault })
        continue
      }
      const name = `${this.#options.server}.${read.name}`
      size += read.size
      if (entries.has(name)) leaveOut(read.name, { reason: 'twice', detail: 'the server has two tools of this name' })
      else if (size > LONGEST_OF_ALL)
        leaveOut(read.name, {
          reason: 'too much',
          detail: `the definitions of the server have more than ${LONGEST_OF_ALL} characters`,
        })
      else entries.set(name, this.#entry(name, read, pins ? (pins.get(read.name) ?? null) : undefined, made))
    }
    this.#before = made
    return entries
  }

  /** The same tool, accepted. */
  accepted({ listed: { name, tool: definition, digest } }: Entry): Entry {
    const entry = this.#made({ name, state: 'ready', tool: definition as McpTool, digest: digest as string })
    this.#before.delete(name)
    return entry
  }

  /** @param pin null: the server is known, and this tool is new */
  #entry(
    name: string,
    { tool: definition, digest }: { tool: McpTool; digest: string },
    pin: McpPin | null | undefined,
    made: Made,
  ): Entry {
    const listed = { name, tool: definition, digest }
    if (!isChosen(definition, this.#options.expose)) return { listed: { ...listed, state: 'hidden' } }
    const { server } = this.#options
    const held: Omit<McpListed, 'name'> =
      pin === null
        ? { state: 'disabled', reason: 'new', detail: `${server} has it since it was seen first` }
        : pin && pin.digest !== digest
          ? {
              state: 'disabled',
              reason: 'changed',
              detail: `${server} says something else of it than what was accepted`,
              before: pin.definition,
            }
          : { state: 'ready' }
    const key = JSON.stringify([
      held.state,
      held.reason,
      pin?.digest,
      digest,
      levelOf(definition, this.#options.permission),
    ])
    const before = this.#before.get(name)
    const entry = before?.key === key ? before.entry : this.#made({ ...listed, ...held })
    made.set(name, { key, entry })
    return entry
  }

  #made(listed: McpListed & { tool: McpTool; digest: string }): Entry {
    try {
      const made = this.#toolOf(listed)
      new Engine({ tools: [made] }).close() // one that no engine takes would take the others with it
      return { listed, made }
    } catch (error) {
      const { name, tool: definition } = listed
      return { listed: { name, state: 'left out', reason: 'schema', detail: messageOf(error), tool: definition } }
    }
  }

  #toolOf({ name, state, tool: definition, digest }: McpListed & { tool: McpTool; digest: string }): Tool {
    const { server, permission, timeoutMs } = this.#options
    const {
      inputSchema: { $schema: _, ...parameters },
      annotations = {},
      description = '',
    } = definition
    const { title: own, ...hints } = annotations
    const title = lineOf(definition.title ?? own)
    return tool({
      name,
      description,
      parameters,
      from: server,
      tags: [`mcp:${server}`],
      agentCallable: state === 'ready',
      ...(state === 'ready' ? {} : { enabled: false }),
      permission: levelOf(definition, permission),
      annotations: hints,
      identity: digest,
      ...(title === undefined ? {} : { title }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      // what it says of itself can only make it stricter
      ...(hints.destructiveHint === true ? { executionApproval: 'ask_always' as const } : {}),
      execute: (args: JsonObject, context: ToolContext) => this.#call(name, digest, args, context),
    }) as Tool
  }
}

const LONGEST_TITLE = 140 // an emoji counts as two of the 300 that a title may have

/** A title is one line. */
function lineOf(title: string | undefined): string | undefined {
  const line = [...(title ?? '').replace(/\s+/g, ' ').trim()].slice(0, LONGEST_TITLE).join('')
  return line.trim() || undefined
}
