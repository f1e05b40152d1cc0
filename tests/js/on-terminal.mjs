// A command behind a pseudo-terminal.
import { execFileSync, spawn } from 'node:child_process'
import { builtFile } from './dist.mjs'

export const main = builtFile('main')

const script = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
})()
export const noTerminal = { skip: !script && '`script` of util-linux is not there' }

/**
 * `steps`: what to wait for in what is new, and what to type then. Gives what came, and the steps that did not. Or a
 * function: it gets what is new, and gives what to type where that is all it waits for.
 */
export function onTerminal(args, steps, { columns = 80, rows = 24, env = { NO_COLOR: '1' }, file = main } = {}) {
  const command = [process.execPath, file, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm', ...env },
  })
  let out = ''
  let from = 0
  const next = (plain) => {
    if (typeof steps === 'function') {
      const typed = steps(plain.slice(from))
      from = typed === undefined ? from : plain.length
      return typed
    }
    const [wanted, typed] = steps[0] ?? []
    const at = wanted === undefined ? -1 : plain.indexOf(wanted, from)
    if (at < 0) return undefined
    from = at + wanted.length
    steps.shift()
    return typed
  }
  return new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
      const plain = out.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '') // a row that grows is drawn in pieces
      for (let typed = next(plain); typed !== undefined; typed = next(plain)) child.stdin.write(typed)
    })
    const stuck = setTimeout(() => child.kill('SIGKILL'), 40_000)
    child.on('close', (code) => {
      clearTimeout(stuck)
      resolve({ code, out, left: steps })
    })
  })
}
