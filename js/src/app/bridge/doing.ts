// What goes on with an answer, and what that is called: one table for the header of a chat, for a pet, and for whoever
// reads a pet out.
import { isCommentary } from './commentary.js'
import type { CardView, MessageView } from './messages.js'

/** What goes on, in both languages. A pet has a look for each (`petStates`). */
export const stateWords = {
  idle: { en: 'here for you', zh: '在这里陪你' },
  dozing: { en: 'asleep', zh: '睡着了' },
  waking: { en: 'here for you', zh: '在这里陪你' },
  listening: { en: 'listening …', zh: '正在听……' },
  thinking: { en: 'thinking …', zh: '正在想……' },
  busy: { en: 'using a tool …', zh: '正在使用工具……' },
  asking: { en: 'waits for your word', zh: '等你点头' },
  speaking: { en: 'speaking …', zh: '正在说……' },
  done: { en: 'here for you', zh: '在这里陪你' },
  stopped: { en: 'here for you', zh: '在这里陪你' },
  error: { en: 'something went wrong', zh: '出了点问题' },
  offline: { en: 'not connected', zh: '未连接' },
  carried: { en: 'held', zh: '被拎起来了' },
  landed: { en: 'here for you', zh: '在这里陪你' },
  patted: { en: 'here for you', zh: '在这里陪你' },
}

/** Those of them that a conversation can be in. */
export type Doing = 'idle' | 'thinking' | 'speaking' | 'busy' | 'asking' | 'offline'

/** Of an answer that a window is connected to. */
export function doingOf(view: MessageView | undefined): Exclude<Doing, 'offline'> {
  if (!view || view.outcome !== undefined) return 'idle'
  if (view.questions.length > 0) return 'asking'
  if (workingCard(view)) return 'busy'
  return writes(view) ? 'speaking' : 'thinking'
}

/** The call that has worked longest and still does. */
export function workingCard(view: MessageView): CardView | undefined {
  return view.blocks.find((block): block is CardView => block?.type === 'tool_use' && block.status === 'executing')
}

/** Its last words are what a person reads now. */
export function writes(view: MessageView): boolean {
  const last = view.blocks.at(-1)
  return last?.type === 'text' && !isCommentary(last) && last.text.trim() !== '' && !view.retry
}
