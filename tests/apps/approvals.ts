// Questions in the app's own interface: everything they need is in the event.
import type { ApprovalRequest, Run } from 'sluice'

export type Decision = { yes: boolean; always?: boolean; reason?: string }

export async function answer(
  run: Run,
  ask: (question: ApprovalRequest & { stage: string }) => Promise<Decision>,
): Promise<void> {
  for await (const event of run) {
    if (event.type !== 'approval') continue
    const { yes, always, reason } = await ask(event)
    if (!yes) run.deny(event, reason)
    else if (event.stage === 'result') run.release(event)
    else run.approve(event, { remember: always ? 'always' : 'once' })
  }
}
