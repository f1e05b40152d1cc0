// What the scripts behind npm share: where the project is, progress, commands whose output matters only when they fail.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(fileURLToPath(import.meta.url), '../../..')

const started = performance.now()

/** One line of progress, with the time since the start. */
export function say(text) {
  console.log(`[${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s] ${text}`)
}

/** A failure that is told without a stack. */
export class Stop extends Error {}

/** Runs `main` and ends the process the way a person expects. */
export async function command(main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error)
    process.exitCode = 1
  }
}

export function which(program) {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program]
  return (process.env.PATH ?? '').split(delimiter).flatMap((dir) => names.map((name) => join(dir, name))).find((file) => existsSync(file))
}

/** Lets others have the processor first: a program, and all that it starts from here on. */
export function lower(child) {
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // it could not be started, or has ended: both are told otherwise
  }
}

/** Runs a command whose output matters only when it fails; says every `everyMs` what it is at. Throws Stop. */
export async function quietly(what, program, args, { env = {}, low = false, everyMs = 10_000 } = {}) {
  say(`${what} …`)
  const child = spawn(program, args, {
    cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32',
  })
  if (low) lower(child)
  let output = ''
  const collect = (data) => (output += data)
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const status = () => {
    const line = output.trimEnd().split('\n').at(-1) || 'still at it'
    say(`${what}: ${line.trim().slice(0, 110)}`)
  }
  const timer = setInterval(status, everyMs)
  const code = await new Promise((done) => child.on('error', (error) => done(error.message)).on('close', done))
  clearInterval(timer)
  if (code !== 0) {
    const tail = output.trimEnd().split('\n').slice(-60).join('\n')
    throw new Stop(`${tail}\n\n${what}: \`${[program, ...args].join(' ')}\` ended with ${code}`)
  }
  return output
}
