// The switches of the engine that a person may set, in the order and the groups in which they are shown.
import type { Json } from '../../core/events.js'

export type Group = 'tools' | 'model' | 'approval' | 'running' | 'limits'

export interface Switch {
  /** Where it stands in the settings: `maxRounds`, `limits.depth`. The engine's errors name it like this. */
  id: string
  group: Group
  kind: 'flag' | 'choice' | 'number' | 'protocol' | 'protocols'
  /** The engine's own. */
  standard: Json
  /** Of `choice`. null is one of them where the engine has something to say by itself. */
  choices?: readonly (string | null)[]
  /** Of `number`: how it is told to people. */
  unit?: 'ms' | 'bytes'
  /** Of `number`: what 0 means. */
  zero?: 'none'
  /** Few people need it. */
  rare?: boolean
}

const flag = (id: string, standard: boolean) => ({ id, kind: 'flag', standard }) as const
const choice = (id: string, ...choices: (string | null)[]) => ({ id, kind: 'choice', standard: choices[0] as Json, choices }) as const
const number = (id: string, standard: number) => ({ id, kind: 'number', standard }) as const
const time = (id: string, standard: number) => ({ id, kind: 'number', standard, unit: 'ms', zero: 'none' }) as const
const bytes = (id: string, standard: number) => ({ id, kind: 'number', standard, unit: 'bytes' }) as const

const table: { [group in Group]: readonly Omit<Switch, 'group'>[] } = {
  tools: [flag('enabled', true), flag('defaultToolEnabled', true)],
  model: [
    choice('mode', 'auto', 'native', 'text'),
    choice('autoFallback', null, 'text'),
    { id: 'protocol', kind: 'protocol', standard: 'vcp' },
    { id: 'alsoParse', kind: 'protocols', standard: [] },
    choice('injectTools', null, 'top', 'bottom', 'off'),
    choice('resultRole', 'user', 'tool'),
    choice('malformed', 'report', 'drop'),
    flag('startsInReasoning', false),
    choice('reasoningCalls', 'ignore', 'execute'),
  ],
  approval: [
    choice('loop', 'automatic', 'user_mediated'),
    flag('requireConfirmation', false),
    choice('ask', 'together', 'one_by_one'),
    choice('resultApproval', null, 'never', 'on_error', 'always'),
    time('approvalTimeoutMs', 0),
  ],
  running: [
    choice('execution', 'serial', 'parallel'),
    number('maxConcurrentTools', 4),
    choice('dispatch', 'round', 'block'),
    flag('stopAfterCall', false),
    time('timeoutMs', 30_000),
    time('firstByteTimeoutMs', 300_000),
    time('idleTimeoutMs', 90_000),
  ],
  limits: [
    number('maxRounds', 5),
    number('maxCalls', 32),
    number('repeatLimit', 3),
    flag('forceFinalAnswer', true),
    bytes('resultMaxBytes', 65_536),
    ...[
      bytes('limits.argumentBytes', 16_777_216),
      bytes('limits.textBytes', 8_388_608),
      bytes('limits.resultBytes', 16_777_216),
      bytes('limits.candidateBytes', 65_536),
      bytes('limits.lineBytes', 33_554_432),
      number('limits.depth', 128),
      number('limits.callsPerRound', 128),
    ].map((one) => ({ ...one, rare: true })),
  ],
}

export const groups = Object.keys(table) as Group[]

export const switches: readonly Switch[] = groups.flatMap((group) => table[group].map((one) => ({ ...one, group })))

/** Options of the protocol that is in use; members of `protocol` where it is written as an object. */
export const protocolOptions: readonly { name: string; only?: string; choices: readonly (string | boolean | null)[] }[] = [
  { name: 'lenient', only: 'vcp', choices: [null, true] },
  { name: 'serial', only: 'vcp', choices: [null, 'split'] },
  { name: 'code', choices: [null, 'ignore', 'whole', 'parse'] },
  { name: 'duplicates', choices: [null, 'last', 'first'] },
  { name: 'trim', choices: [null, true, false] },
]
