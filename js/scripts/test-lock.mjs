// Two `npm test` in one checkout would build into the same folders: the second one stops before any work.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, Stop } from './run.mjs'

/**
 * Takes the lock until this process ends. Throws Stop if another process that runs has it; a file that a dead process
 * left is replaced.
 */
export function lock(file = join(root, 'build/npm-test.lock')) {
  mkdirSync(dirname(file), { recursive: true })
  for (let tries = 0; !take(file); tries++) {
    const pid = Number(read(file))
    if (runs(pid) || tries > 2)
      throw new Stop(
        `another npm test runs in this checkout: process ${pid}. Wait for its end, or end it (kill ${pid})`,
        2,
      )
    rmSync(file, { force: true })
  }
  process.on('exit', () => rmSync(file, { force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      rmSync(file, { force: true })
      process.kill(process.pid, signal)
    })
  }
}

/** A link appears with its content, or not at all. */
function take(file) {
  const own = `${file}.${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it was removed meanwhile
  }
}

/**
 * Whether the process runs, and runs tests: after a restart of the machine, or in another container, another one may
 * have its number.
 */
function runs(pid) {
  if (!(pid > 0) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  const command = read(`/proc/${pid}/cmdline`) // Linux
  return command === '' || /test[^\0/]*\.mjs/.test(command)
}
