// The switches of the engine that a person may set, in the order and the groups in which they are shown.

export type Group = 'tools' | 'model' | 'approval' | 'running' | 'limits'

export interface Switch {
  /** Where it stands in the settings: `maxRounds`, `limits.depth`. The engine's errors name it like this. */
  id: string
  group: Group
  kind: 'flag' | 'choice' | 'number' | 'protocol' | 'protocols'
  /** Of `choice`. null is one of them where the engine has something to say by itself. */
  choices?: readonly (string | null)[]
  /** Of `number`: the unit in which people read it. */
  unit?: 'ms' | 'bytes'
  /** Of `number`: what 0 means. */
  zero?: 'none'
  /** Few people need it. */
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
    choice('malformed', 'report', 'drop'),
    flag('startsInReasoning'),
    choice('reasoningCalls', 'ignore', 'execute'),
  ],
  approval: [
    choice('loop', 'automatic', 'user_mediated'),
    flag('requireConfirmation'),
    choice('ask', 'together', 'one_by_one'),
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
