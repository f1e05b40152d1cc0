// Runs jobs in lanes: jobs of different lanes run beside each other, those of one lane one by one, in the order of the
// list. `npm test` has two: jobs that use every processor they get, and jobs that mostly wait for pages, servers and
// other processes.

/**
 * A job is `{ name, lane, needs, after, run }`. `needs` names jobs that must have succeeded, `after` jobs that must
 * have ended; names that are not in the list are ignored. A job whose `run` throws has failed, and keeps no other from
 * running but those that need it. While `mayBegin` returns false, nothing begins.
 *
 * Resolves when nothing runs any more. `failed`: name → error; `unmet`: name → the failed job that it needs; `late`:
 * the names of those that `mayBegin` kept back.
 */
export function runInLanes(jobs, { mayBegin = () => true } = {}) {
  const failed = new Map()
  const unmet = new Map()
  const busy = new Set()
  const pending = new Map(jobs.map((job) => [job.name, job]))
  const open = new Set(pending.keys()) // those that have not ended
  refuseCircles(jobs)

  function giveUp({ name, needs = [] }) {
    const cause = needs.find((other) => failed.has(other) || unmet.has(other))
    if (cause === undefined) return false
    unmet.set(name, unmet.get(cause) ?? cause)
    pending.delete(name)
    open.delete(name)
    return true
  }
  const ready = ({ lane, needs = [], after = [] }) =>
    !busy.has(lane) && ![...needs, ...after].some((other) => open.has(other))

  return new Promise((resolve) => {
    async function start({ name, lane, run }) {
      pending.delete(name)
      busy.add(lane)
      try {
        await run()
      } catch (error) {
        failed.set(name, error)
      }
      busy.delete(lane)
      open.delete(name)
      next()
    }
    function next() {
      while ([...pending.values()].some(giveUp));
      for (const job of pending.values()) if (ready(job) && mayBegin()) start(job)
      if (busy.size === 0) resolve({ failed, unmet, late: [...pending.keys()] })
    }
    next()
  })
}

/** Jobs that wait for each other would never begin. */
function refuseCircles(jobs) {
  const before = new Map(jobs.map(({ name, needs = [], after = [] }) => [name, [...needs, ...after]]))
  const visit = (name, path) => {
    if (path.includes(name))
      throw new Error(`jobs wait for each other: ${[...path.slice(path.indexOf(name)), name].join(' → ')}`)
    for (const other of before.get(name) ?? []) visit(other, [...path, name])
  }
  for (const name of before.keys()) visit(name, [])
}
