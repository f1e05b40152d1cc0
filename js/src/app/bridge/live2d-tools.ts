// Expressions and motions of a Live2D model as tools: `ipc` declarations that the engine fires by itself, in
// mid-answer.
import { SluiceError } from '../../engine/core/errors.js'
import { anything, flag, is, members, text, wrong } from '../../engine/core/options.js'
import type { TagRule } from '../../engine/core/settings.js'
import { tool, type Tool } from '../../engine/core/tool.js'
import { unprintable } from './unprintable.js'

/** Channels on which a pet is told what to do. */
export interface PetChannels {
  /** For expressions. Default `live2d:expression`. */
  expression?: string
  /** For motions. Default `live2d:motion`. */
  motion?: string
}

/** What the model can do, and how the tools reach it. */
export interface Live2dOptions {
  /** Names of the model's expressions. */
  expressions?: readonly string[]
  /** Motions by group: how many there are. */
  motions?: { readonly [group: string]: number }
  /** Channels of the messages to the pet window. Default: `live2d:expression` and `live2d:motion`. */
  channels?: PetChannels
  /** The tags `[表情:name]` and `[动作:group]` in the text are the same calls. Default: true. */
  tags?: boolean
}

/** Channels for windows that ask the main process to trigger an expression or a motion. */
export const live2dTriggerChannels = {
  /** Asks for an expression. */
  expression: 'live2d:triggerExpression',
  /** Asks for a motion. */
  motion: 'live2d:triggerMotion',
} as const

const checkOptions = members({
  members: {
    expressions: is('an array of names', Array.isArray),
    motions: is(
      'an object: how many motions each group has',
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ),
    channels: members({ members: { expression: text, motion: text } }),
    tags: flag,
    model: anything,
    parameters: anything, // of PetCapabilities
  } satisfies { [member in keyof Live2dOptions | 'model' | 'parameters']-?: unknown },
})

/**
 * `live2d.expression(name)` and `live2d.motion(group, index?)` from the `PetCapabilities` of a model. What it does not
 * have is left out, as are names of more than 40 characters and all after the first 64. A tag of a kind that the model
 * does not have is neither shown nor spoken.
 */
export function live2dTools(options: Live2dOptions): Tool[] {
  checkOptions(options, 'options')
  const { expressions = [], motions = {}, channels = {}, tags = true } = options
  check(expressions, motions)
  const tools: Tool[] = []
  const common = { permission: 'public', agentCallable: true, immediate: true, tags: ['live2d'] } as const
  const faces = callable([...new Set(expressions)], (name) => name)
  if (faces.length > 0) {
    tools.push(
      tool({
        ...common,
        name: 'live2d.expression',
        title: { en: 'Change the face', zh: '换表情' },
        sentence: { en: 'look **{name}**', zh: '做出**{name}**的表情' },
        description: 'Shows an expression on the face of your Live2D model, at once. Nothing is returned.',
        parameters: {
          type: 'object',
          properties: { name: { type: 'string', enum: faces, description: 'the expression' } },
          required: ['name'],
          additionalProperties: false,
        },
        ipc: { channel: channels.expression ?? 'live2d:expression', payload: [{ arg: 'name' }] },
      }),
    )
  }
  const groups = callable(
    Object.entries(motions).filter(([, count]) => count > 0),
    ([group]) => group,
  )
  if (groups.length > 0) {
    tools.push(
      tool({
        ...common,
        name: 'live2d.motion',
        title: { en: 'Make a motion', zh: '做动作' },
        sentence: { en: 'play the motion **{group}**', zh: '做动作**{group}**' },
        description: 'Plays a motion of your Live2D model, at once. Nothing is returned.',
        parameters: motionSchema(groups),
        ipc: { channel: channels.motion ?? 'live2d:motion', payload: [{ arg: 'group' }, { arg: 'index' }] },
      }),
    )
  }
  if (!tags || tools.length === 0) return tools
  const has = (name: string): string | null => (tools.some((one) => one.name === name) ? name : null)
  const rules = [
    ...tagRules('表情', has('live2d.expression'), 'name'),
    ...tagRules('动作', has('live2d.motion'), 'group'),
  ]
  return tools.map((one) => ({ ...one, alsoParse: [{ id: 'inline_tags', rules }] }))
}

/**
 * The tags of one kind, with either colon. Personas, older answers and former pets write tags of a kind that this model
 * does not have: these are neither shown nor spoken.
 */
function tagRules(kind: string, tool: string | null, argument: string): TagRule[] {
  return [':', '：'].map((colon) => ({
    open: `[${kind}${colon}`,
    close: ']',
    anyCase: true,
    ...(tool === null ? { tool } : { tool, argument }),
  }))
}

/**
 * Names of a downloaded Live2D model are a stranger's text in the instructions: only short, plain ones are passed on.
 */
const MAX_CALLABLE = 64
const MAX_CALLABLE_LENGTH = 40

/** The first of those with a short name; the others cannot be called. */
function callable<T>(all: T[], nameOf: (one: T) => string): T[] {
  return all.filter((one) => nameOf(one).length <= MAX_CALLABLE_LENGTH).slice(0, MAX_CALLABLE)
}

const MAX_NAMES = 500
const MAX_LENGTH = 100

/** A model's list comes from a file: report its faults here, instead of a pet that does not move. */
function check(expressions: readonly string[], motions: { readonly [group: string]: number }): void {
  checkCount('expressions', expressions.length)
  expressions.forEach((name, index) => checkName(`expressions[${index}]`, name))
  const groups = Object.entries(motions)
  checkCount('motions', groups.length)
  for (const [group, count] of groups) {
    checkName('motions', group)
    if (!Number.isInteger(count) || count < 0 || count > 10_000)
      throw wrong(`motions.${group}`, count, 'a whole number from 0 to 10000')
  }
}

function checkCount(path: string, count: number): void {
  if (count > MAX_NAMES)
    throw new SluiceError({
      code: 'option',
      path,
      detail: `found ${count} names, expected at most ${MAX_NAMES}: every one is shown to the model`,
    })
}

/** Every name goes into what the language model reads. */
function checkName(path: string, name: unknown): void {
  if (typeof name !== 'string' || name.length === 0) throw wrong(path, name, 'a name')
  if (name.length > MAX_LENGTH) throw wrong(path, name, `at most ${MAX_LENGTH} characters, found ${name.length}`)
  if (unprintable.test(name)) throw wrong(path, name, 'a name without control characters')
}

function motionSchema(groups: [group: string, count: number][]): { [keyword: string]: unknown } {
  const largest = Math.max(...groups.map(([, count]) => count))
  const list = groups.map(([group, count]) => `${group} has 0 to ${count - 1}`).join(', ')
  const limit = (count: number): object => ({ properties: { index: { maximum: count - 1 } } })
  // A group with fewer motions than the largest has a bound of its own. No allOf or oneOf: some providers refuse them
  // here.
  const bounds = groups
    .filter(([, count]) => count < largest)
    .reduce<object>(
      (rest, [group, count]) => ({
        if: { properties: { group: { const: group } } },
        then: limit(count),
        ...(Object.keys(rest).length > 0 ? { else: rest } : {}),
      }),
      {},
    )
  return {
    type: 'object',
    properties: {
      group: { type: 'string', enum: groups.map(([group]) => group), description: 'the group of motions' },
      index: {
        type: 'integer',
        minimum: 0,
        maximum: largest - 1,
        description: `which of the group (${list}); left out: any`,
      },
    },
    required: ['group'],
    additionalProperties: false,
    ...bounds,
  }
}
