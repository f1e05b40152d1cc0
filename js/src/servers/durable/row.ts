// What stores share: which turns a filter means, what a list has of a turn, and what no row of a turn looks like.
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { warn } from '../../engine/core/warning.js'
import type { ListedTurnRow, TurnRowFilter } from './durable-types.js'

/** @param waits the turn waits, and something came for it */
export function fits(
  { thread, phase, wakeAt, questions }: ListedTurnRow,
  filter: TurnRowFilter,
  waits: boolean,
): boolean {
  if (filter.thread !== undefined && filter.thread !== thread) return false
  if (filter.asking === true && questions === null) return false
  return filter.due === undefined || (phase !== 'done' && ((wakeAt !== null && wakeAt <= filter.due) || waits))
}

export const listed = ({
  id,
  thread,
  rev,
  logNumber,
  phase,
  wakeAt,
  updated,
  questions,
}: ListedTurnRow): ListedTurnRow => ({ id, thread, rev, logNumber, phase, wakeAt, updated, questions })

/** What is wrong with a row that was read; undefined: nothing. */
export function faultIn({ rev, logNumber, phase, wakeAt }: Partial<ListedTurnRow>): string | undefined {
  if (!['running', 'waiting', 'done'].includes(phase as string))
    return `found phase ${JSON.stringify(phase)}, expected running | waiting | done`
  if (!Number.isSafeInteger(rev) || (rev as number) < 1)
    return `found rev ${String(rev)}, expected a whole number from 1`
  if (!Number.isSafeInteger(logNumber) || (logNumber as number) < 0)
    return `found logNumber ${String(logNumber)}, expected a whole number from 0`
  return wakeAt === null || typeof wakeAt === 'number'
    ? undefined
    : `found wakeAt ${String(wakeAt)}, expected a number or null`
}

/** Throws SluiceError `storage` for a damaged row: nothing is written over it. */
export function checked<R extends ListedTurnRow>(row: R): R {
  const fault = faultIn(row)
  if (fault !== undefined)
    throw new SluiceError({
      code: 'storage',
      path: row.id,
      detail: `the row of the turn is damaged: ${fault}`,
      hint: 'mend or remove it: until then nothing is written to it',
    })
  return row
}

/** Those of a list that are whole. One that is damaged hides no other. */
export function sound(rows: readonly ListedTurnRow[]): ListedTurnRow[] {
  return rows.flatMap((row) => {
    try {
      return [listed(checked(row))]
    } catch (error) {
      warn(`a turn is passed over: ${messageOf(error)}`)
      return []
    }
  })
}
