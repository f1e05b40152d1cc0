// What stores share: which turns a filter means, and what a list has of a turn.
import type { ListedRow, RowFilter } from './types.js'

/** @param waits the turn waits, and something came for it */
export function fits({ thread, phase, wakeAt, questions }: ListedRow, filter: RowFilter, waits: boolean): boolean {
  if (filter.thread !== undefined && filter.thread !== thread) return false
  if (filter.asking === true && questions === null) return false
  return filter.due === undefined || (phase !== 'done' && ((wakeAt !== null && wakeAt <= filter.due) || waits))
}

export const listed = ({ id, thread, rev, epoch, phase, wakeAt, updated, questions }: ListedRow): ListedRow => ({ id, thread, rev, epoch, phase, wakeAt, updated, questions })
