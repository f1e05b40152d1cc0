// How a person can go on behind an answer that did not end as it should. No DOM.
import { endingOf } from '../../../app/bridge/ending.js'
import { hasText } from '../shared/ends.js'
import type { MessageView } from '../ui-types.js'

/** Errors after which the text that is there can be gone on with: the answer broke off. */
const broken = new Set([
  'unfinished',
  'stream_broken',
  'network',
  'connection',
  'first_byte_timeout',
  'idle_timeout',
  'timeout',
  'provider',
  'http',
  'oversize',
  'parse',
  'broken_event',
])

/** What is offered behind an answer, in this order; nothing behind one that goes on or ended well. */
export function waysOn(view: MessageView | undefined): ('goOn' | 'again')[] {
  switch (view?.outcome) {
    case 'completed':
      switch (endingOf(view)) {
        case 'length':
        case 'pause':
          return ['goOn', 'again']
        case 'empty':
        case 'content_filter':
          return ['again']
        default:
          return []
      }
    case 'limit':
      return ['goOn']
    case 'cancelled':
      return hasText(view.blocks) ? ['goOn', 'again'] : ['again']
    case 'failed': {
      if (view.interrupted) return hasText(view.blocks) ? ['goOn', 'again'] : ['again']
      const error = view.blocks.findLast((block) => block?.type === 'error')
      return error?.type === 'error' && broken.has(error.code) && hasText(view.blocks) ? ['goOn', 'again'] : ['again']
    }
    default:
      return []
  }
}
