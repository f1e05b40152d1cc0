// What a server has, held against what was accepted: which of it is a tool, and which waits.
import { Engine } from '../../engine/core/engine.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { JsonObject } from '../../engine/core/events.js'
import { tool, type Tool, type ToolContext } from '../../engine/core/tool.js'
import { LONGEST_OF_ALL, readTool, type McpTool } from './definition.js'
import { isChosen, levelOf, namesOf, type McpToolsOptions } from './mcp-options.js'
import type { McpPin } from './pins.js'

/** A tool that the server has, whether models may call it or not. */
export interface McpListed {
  /** As the engine knows it: `fs.read_file`. Of what has no such name: the server's, and its own. */
  readonly name: string
  /**
   * `ready`: models may call it. `disabled`: it waits for `accept`. `hidden`: `expose` does not name it. `left out`: it
   * cannot be used.
   */
  readonly state: 'ready' | 'disabled' | 'hidden' | 'left out'
  /**
   * Of `disabled`: it `changed`, or is `new`. Of `left out`: its `name` or its `definition` is none, its `schema`
   * cannot be read, it runs only as a `task`, a name came `twice`, or the server says `too much`.
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
    const leaveOut = (own: string, listed: Omit<McpListed, 'name' | 'state'>): void => {
      const name = `${this.#options.server}.${own}`
      // what has no name of its own is listed as well; no control character stands in a name
      const key = entries.has(name) ? `${name}\n${entries.size}` : name
      entries.set(key, { listed: { ...listed, name, state: 'left out' } })
    }
    const known = new Set<string>()
    const sent = new Map<string, string>()
    for (const one of given) {
      const read = readTool(one)
      const isKnown = known.has(read.name)
      known.add(read.name)
      if ('fault' in read) {
        leaveOut(read.name, { reason: read.reason, detail: read.fault })
        continue
      }
      size += read.size
      if (isKnown) {
        leaveOut(read.name, { reason: 'twice', detail: 'the server has two tools of this name' })
        continue
      }
      if (size > LONGEST_OF_ALL) {
        leaveOut(read.name, {
          reason: 'too much',
          detail: `the definitions of the server have more than ${LONGEST_OF_ALL} characters`,
        })
        continue
      }
      let names: ReturnType<typeof namesOf>
      try {
        names = namesOf(read.tool, this.#options)
      } catch (error) {
        leaveOut(read.name, { reason: 'name', detail: messageOf(error), tool: read.tool })
        continue
      }
      const { name, wireName } = names
      const other = wireName === undefined ? undefined : sent.get(wireName)
      const twice = entries.has(name)
        ? `another tool of the server is called ${name} as well`
        : other === undefined
          ? undefined
          : `requests call ${other} ${wireName} as well`
      if (twice !== undefined) {
        leaveOut(read.name, { reason: 'twice', detail: twice, tool: read.tool })
        continue
      }
      const entry = this.#entry(names, read, pins ? (pins.get(read.name) ?? null) : undefined, made)
      if (entry.listed.reason === 'name') leaveOut(read.name, entry.listed)
      else entries.set(name, entry)
      if (wireName !== undefined && entry.made) sent.set(wireName, name)
    }
    this.#before = made
    return entries
  }

  /** The same tool, accepted. */
  accepted({ listed: { name, tool: definition, digest }, made }: Entry): Entry {
    const listed = { name, state: 'ready' as const, tool: definition as McpTool, digest: digest as string }
    const entry = this.#made(listed, made?.declaration['wireName'] as string | undefined)
    this.#before.delete(name)
    return entry
  }

  /** @param pin null: the server is known, and this tool is new */
  #entry(
    { name, wireName }: { name: string; wireName?: string },
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
      wireName,
    ])
    const before = this.#before.get(name)
    const entry = before?.key === key ? before.entry : this.#made({ ...listed, ...held }, wireName)
    made.set(name, { key, entry })
    return entry
  }

  #made(listed: McpListed & { tool: McpTool; digest: string }, wireName: string | undefined): Entry {
    try {
      const made = this.#toolOf(listed, wireName)
      new Engine({ tools: [made] }).close() // one that no engine takes would take the others with it
      return { listed, made }
    } catch (error) {
      const { name, tool: definition } = listed
      const [, member] = (SluiceError.is(error) && /^tools\[0\]\.(name|wireName)$/.exec(error.path ?? '')) || []
      const detail = member ? `${member}: ${(error as SluiceError).detail}` : messageOf(error)
      return { listed: { name, state: 'left out', reason: member ? 'name' : 'schema', detail, tool: definition } }
    }
  }

  #toolOf(
    { name, state, tool: definition, digest }: McpListed & { tool: McpTool; digest: string },
    wireName: string | undefined,
  ): Tool {
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
      ...(wireName === undefined ? {} : { wireName }),
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
