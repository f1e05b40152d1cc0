// How a call looks in each of its states.
import type { CardStatus } from '../../../engine/core/events.js'
import type { IconName } from '../shared/icons.js'

export type Tone = 'busy' | 'wait' | 'good' | 'bad' | 'off'

export const looks: { [status in CardStatus]: [Tone, IconName?] } = {
  streaming: ['busy'],
  pending: ['off', 'clock'],
  awaiting_approval: ['wait', 'shield'],
  executing: ['busy'],
  awaiting_result_approval: ['wait', 'eye'],
  success: ['good', 'check'],
  error: ['bad', 'warning'],
  denied: ['off', 'cross'],
  result_rejected: ['off', 'eye'],
  not_found: ['bad', 'question'],
  invalid: ['bad', 'warning'],
  timeout: ['bad', 'hourglass'],
  expired: ['off', 'hourglass'],
  cancelled: ['off', 'cross'],
  unknown: ['bad', 'question'],
}
