// The engine's settings that a person may change, in the order and groups in which the page shows them.
import type { Unit } from '../../../app/bridge/quantity.js'

export type Group = 'tools' | 'model' | 'approval' | 'running' | 'limits'

export interface Switch {
  /** Its path in the settings, as the engine's errors name it: `maxRounds`, `limits.depth`. */
  id: string
  group: Group
  kind: 'flag' | 'choice' | 'number' | 'protocol' | 'protocols'
  /** The values of a `choice`. null is one of them if the engine has a default of its own. */
  choices?: readonly (string | null)[]
  /** What a `number` counts. People write 30 s, 64 KiB. */
  unit?: Unit
  /** What 0 means for a `number`. */
  zero?: 'none'
  /** A `number` may be left out: there is no such limit. */
  optional?: true
  /** Few people need it: it is folded away. */
  rare?: boolean
}

const flag = (id: string) => ({ id, kind: 'flag' }) as const
const choice = (id: string, ...choices: (string | null)[]) => ({ id, kind: 'choice', choices }) as const
const number = (id: string) => ({ id, kind: 'number' }) as const
const time = (id: string) => ({ id, kind: 'number', unit: 'ms', zero: 'none' }) as const
const bytes = (id: string) => ({ id, kind: 'number', unit: 'bytes' }) as const

const table: { [group in Group]: readonly Omit<Switch, 'group'>[] } = {
  tools: [flag('enabled'), flag('defaultToolEnabled')],
  model: [
    choice('mode', 'auto', 'native', 'text'),
    choice('autoFallback', null, 'text'),
    { id: 'protocol', kind: 'protocol' },
    { id: 'alsoParse', kind: 'protocols' },
    choice('injectTools', null, 'top', 'bottom', 'off'),
    choice('resultRole', 'user', 'tool'),
    choice('providerCards', 'text', 'off'),
    choice('madePictures', 'auto', 'send', 'name'),
    choice('malformed', 'report', 'drop'),
    flag('startsInReasoning'),
    choice('reasoningCalls', 'ignore', 'execute'),
  ],
  approval: [
    choice('loop', 'automatic', 'user_mediated'),
    flag('requireConfirmation'),
    choice('questionOrder', 'together', 'one_by_one'),
    choice('resultApproval', null, 'never', 'on_error', 'always'),
    time('approvalTimeoutMs'),
  ],
  running: [
    choice('execution', 'serial', 'parallel'),
    number('maxConcurrentTools'),
    choice('dispatch', 'round', 'block'),
    flag('stopAfterCall'),
    time('timeoutMs'),
    time('firstByteTimeoutMs'),
    time('idleTimeoutMs'),
  ],
  limits: [
    number('maxRounds'),
    number('maxCalls'),
    { ...number('maxRequests'), optional: true },
    number('repeatLimit'),
    flag('forceFinalAnswer'),
    bytes('resultMaxBytes'),
    ...[
      bytes('limits.argumentBytes'),
      bytes('limits.textBytes'),
      bytes('limits.resultBytes'),
      bytes('limits.candidateBytes'),
      bytes('limits.lineBytes'),
      number('limits.depth'),
      number('limits.callsPerRound'),
    ].map((one) => ({ ...one, rare: true })),
  ],
}

export const switches: readonly Switch[] = (Object.keys(table) as Group[]).flatMap((group) =>
  table[group].map((one) => ({ ...one, group })),
)

/** Options of the chosen protocol: members of `protocol` if that is an object. */
export const protocolOptions: readonly {
  name: string
  only?: string
  choices: readonly (string | boolean | null)[]
}[] = [
  { name: 'lenient', only: 'vcp', choices: [null, true] },
  { name: 'plain', only: 'vcp', choices: [null, true] },
  { name: 'serial', only: 'vcp', choices: [null, 'split'] },
  { name: 'code', choices: [null, 'ignore', 'whole', 'parse'] },
  { name: 'duplicates', choices: [null, 'last', 'first'] },
  { name: 'trim', choices: [null, true, false] },
]
