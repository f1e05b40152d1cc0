// What a pet does, in one table, for the drawn puppet and for a Live2D model. The words are those of a chat's header.
import { stateWords } from '../../app/bridge/doing.js'
import { iconNames, type IconName } from '../../engine/core/tool-words.js'
import type { PetStateDetail } from '../live2d/live2d-model.js'

/** What goes on with the pet. */
export type PetState =
  | 'idle'
  | 'dozing'
  | 'waking'
  | 'listening'
  | 'thinking'
  | 'busy'
  | 'asking'
  | 'speaking'
  | 'done'
  | 'stopped'
  | 'error'
  | 'offline'
  | 'carried'
  | 'landed'
  | 'patted'

/** What a state looks like and what it is called. */
export interface PetStateLook {
  /** What a chat says in its header, and a screen reader of the pet. */
  words: {
    en: string
    zh: string
  }
  /**
   * Expressions for a model that does not draw states itself: the first that it has, in any case of letters. None: its
   * face at rest.
   */
  expressions: readonly string[]
  /** Groups of motions: of the first that it has one starts with the state. */
  motions: readonly string[]
  /** Frames per second for what moves by itself: breath, lids, what floats around the head. */
  fps: number
  /** Where it looks. Absent: where the pointer is. */
  looks?: 'field'
  /** It passes after so many milliseconds. */
  lastsMs?: number
}

/** A look for every state. */
export type PetStateMap = { readonly [state in PetState]: PetStateLook }

const look = (state: PetState, more: Partial<PetStateLook> = {}): PetStateLook => ({
  words: stateWords[state],
  expressions: [],
  motions: [],
  fps: 60,
  ...more,
})

/** The table. The option `states` of `companion` changes members of it. */
export const petStates: PetStateMap = {
  idle: look('idle', { fps: 12 }),
  dozing: look('dozing', { expressions: ['sleepy', 'sleep'], fps: 4 }),
  waking: look('waking', { expressions: ['surprised'], lastsMs: 1600 }),
  listening: look('listening', { fps: 12, looks: 'field' }),
  thinking: look('thinking', { expressions: ['thinking', 'think'], fps: 12 }),
  busy: look('busy', { expressions: ['focus', 'focused', 'serious'], fps: 12 }),
  asking: look('asking', { motions: ['Wave', 'Tap', 'TapBody'], fps: 12 }),
  speaking: look('speaking'),
  done: look('done', { motions: ['Nod'], lastsMs: 1200 }),
  stopped: look('stopped', { motions: ['Nod'], lastsMs: 1200 }),
  error: look('error', { expressions: ['sad', 'worried'], fps: 12, lastsMs: 9000 }),
  offline: look('offline', { expressions: ['sleepy', 'sleep'], fps: 4 }),
  carried: look('carried', { expressions: ['surprised'] }),
  landed: look('landed', { lastsMs: 900 }),
  patted: look('patted', { expressions: ['happy', 'smile'], motions: ['TapBody', 'Tap'], lastsMs: 1600 }),
}

/** The table with an app's changes. */
export function stateMap(changes: { readonly [state in PetState]?: Partial<PetStateLook> } = {}): PetStateMap {
  return Object.fromEntries(
    Object.entries(petStates).map(([name, usual]) => [name, { ...usual, ...changes[name as PetState] }]),
  ) as unknown as PetStateMap
}

/** The first of the names that a model has, in any case of letters. */
export function firstOf(wanted: readonly string[], has: readonly string[]): string | undefined {
  for (const name of wanted) {
    const found = has.find((one) => one.toLowerCase() === name.toLowerCase())
    if (found !== undefined) return found
  }
  return undefined
}

type PetProp = NonNullable<PetStateDetail['prop']>

const props: readonly [RegExp, PetProp][] = [
  [/search|find|look ?up|query|grep|browse|fetch|read|weather|搜索|查询|天气/i, 'search'],
  [/mail|message|send|notify|post|letter|邮件|消息|发送/i, 'letter'],
  [/write|note|edit|file|draw|create|add|save|写|记|文件/i, 'write'],
]

/** Pictures of a card that it can hold. */
const propsOfIcons: { readonly [icon in IconName]?: PetProp } = {
  search: 'search',
  globe: 'search',
  weather: 'search',
  data: 'search',
  mail: 'letter',
  file: 'write',
  calendar: 'write',
  code: 'write',
}

/** What it has in its hand: by the picture that the tool brings, else by the words of its name, else of its tags. */
export function propOf(name: string, tags: readonly string[] = [], icon: string | undefined = undefined): PetProp {
  if ((iconNames as readonly (string | undefined)[]).includes(icon)) return propsOfIcons[icon as IconName] ?? 'tool'
  for (const text of [name.slice(0, 200), tags.join(' ').slice(0, 400)]) {
    const found = props.find(([words]) => words.test(text))
    if (found) return found[1]
  }
  return 'tool'
}
