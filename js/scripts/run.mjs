// What the scripts behind npm share: where the project is, progress, commands whose output matters only when they fail.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { begin, clear, end, reach, say } from './progress.mjs'

export const root = resolve(fileURLToPath(import.meta.url), '../../..')

export { say }

/**
 * A failure that `command` prints without its stack. `code` is the exit code of the process; 2 means that nothing was
 * begun.
 */
export class Stop extends Error {
  constructor(message, code = 1) {
    super(message)
    this.code = code
  }
}

/** The oldest Node that the package runs in. */
const OLDEST_NODE = 20

/** Runs `main` and ends the process the way a person expects. */
export async function command(main) {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    console.error(`found Node ${process.versions.node}, expected Node ${OLDEST_NODE} or later`)
    process.exitCode = 2
    return
  }
  try {
    await main()
    clear()
  } catch (error) {
    clear()
    console.error(error instanceof Stop ? `\n${error.message}` : error)
    process.exitCode = error instanceof Stop ? error.code : 1
  }
}

export function which(program) {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program]
  return (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((dir) => names.map((name) => join(dir, name)))
    .find((file) => existsSync(file))
}

/**
 * Lets others have the processor first: a program, and all that it starts from here on. Not so low that a test waits
 * for minutes.
 */
export function lower(child) {
  try {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // it could not be started, or has ended: both are told otherwise
  }
}

/** A line of ninja that counts a step. */
const STEP = /^\[ *\d+\/\d+\]/

/** Runs a command whose output matters only when it fails; a line of it that says `[3/17]` is progress. Throws Stop. */
export async function quietly(what, program, args, { env = {}, low = false } = {}) {
  begin(what)
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: which(program)?.endsWith('.cmd') ?? false,
  })
  if (low) lower(child)
  let output = ''
  const collect = (data) => {
    output += data
    const [, done, total] = [...data.matchAll(/^\[ *(\d+)\/(\d+)\]/gm)].at(-1) ?? []
    if (total) reach(what, Number(done), Number(total))
  }
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const how = (code, signal) => (signal ? `was killed by ${signal}` : `ended with ${code}`)
  const fault = await new Promise((done) => {
    child.on('error', (error) => done(`could not be started: ${error.message}`))
    child.on('close', (code, signal) => done(code === 0 ? undefined : how(code, signal)))
  })
  end(what)
  if (fault !== undefined) {
    const lines = output.trimEnd().split('\n')
    const tail = lines
      .filter((line) => !STEP.test(line))
      .slice(-60)
      .join('\n')
    throw new Stop(`${tail}\n\n${what}: \`${[program, ...args].join(' ')}\` ${fault}`)
  }
  return output
}
