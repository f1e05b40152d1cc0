// What a person decided about a question: read from what a client sent, and carried out.
import type { ApprovalDuration } from '../../engine/core/approvals.js'
import { countingIn, type Counting } from '../../engine/core/counting.js'
import { SluiceError } from '../../engine/core/errors.js'
import type { ApprovalEvent, AssistantMessage, JsonObject, ToolUseBlock } from '../../engine/core/events.js'
import { isObject, shown } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { Refusal } from './leg-refusal.js'

/** A decision of a person about one question. */
export interface Decision {
  approved: boolean
  reason?: string
  arguments?: JsonObject
  remember?: ApprovalDuration
  exact?: boolean
}

const lengths: readonly ApprovalDuration[] = ['once', 'turn', 'session', 'always']

/** Throws Refusal where a member is of another kind: nothing is run by half of what a person meant. */
export function decisionOf({
  approved,
  reason,
  arguments: args,
  remember,
  exact,
}: {
  [member: string]: unknown
}): Decision {
  if (typeof approved !== 'boolean')
    throw new Refusal(400, `approved: found ${shown(approved)}, expected true or false`)
  if (args != null && !isObject(args)) throw new Refusal(400, `arguments: found ${shown(args)}, expected an object`)
  if (remember != null && !(lengths as readonly unknown[]).includes(remember))
    throw new Refusal(400, `remember: found ${shown(remember)}, expected ${lengths.join(' | ')}`)
  return {
    approved,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(args == null ? {} : { arguments: args as JsonObject }),
    ...(remember == null ? {} : { remember: remember as ApprovalDuration }),
    ...(exact === true ? { exact } : {}),
  }
}

/** What `decide` says of a question that was decided meanwhile, or of a run that has ended. */
export const NOT_WAITING = 'this question does not wait any more'

/** @returns what is wrong with the decision, if anything: then nothing was decided. */
export function decide(
  run: Run,
  event: ApprovalEvent,
  { approved, reason, arguments: args, remember = 'once', exact }: Decision,
  most: ApprovalDuration,
): string | undefined {
  try {
    const decided = !approved
      ? run.deny(event, reason)
      : event.stage === 'result'
        ? run.release(event)
        : run.approve(event, {
            remember: cut(remember, most),
            ...(args ? { arguments: args } : {}),
            ...(exact ? { exact } : {}),
          })
    return decided ? undefined : NOT_WAITING
  } catch (error) {
    if (SluiceError.is(error)) return error.message
    throw error
  }
}

export type { Counting }

/** What the message says of a question that was decided, by the name of the question. */
export function countsOn(messageId: string, { blocks }: Pick<AssistantMessage, 'blocks'>, name: string): Counting {
  const [call, stage] = name.startsWith(`${messageId}:`) ? name.slice(messageId.length + 1).split(':') : []
  const block = blocks.find((one): one is ToolUseBlock => one.type === 'tool_use' && String(one.call) === call)
  return countingIn(block?.approvals, stage)
}

/** For people: a decision does not count. */
export const notCounting = (said: 'stale' | 'over', { decision, by }: Counting): string =>
  decision === undefined
    ? said === 'over'
      ? 'the answer is over: this decision does nothing'
      : 'this question does not wait any more: this decision does nothing'
    : `${by ?? 'somebody'} ${decision === 'approve' ? 'approved' : 'denied'} it before you: this decision does nothing`

/** The answer to one decision that does not count. */
export const staleDecision = (said: 'stale' | 'over', counts: Counting): Refusal =>
  new Refusal(409, notCounting(said, counts), { decided: false, reason: said, ...counts })

/** For how long it is remembered at most. */
export const cut = (remember: ApprovalDuration, most: ApprovalDuration): ApprovalDuration =>
  lengths[Math.min(lengths.indexOf(remember), lengths.indexOf(most))] as ApprovalDuration
