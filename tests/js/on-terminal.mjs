// A command behind a pseudo-terminal.
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const main = fileURLToPath(new URL('../../js/dist/esm/cli/main.js', import.meta.url))

const script = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
})()
export const noTerminal = { skip: !script && '`script` of util-linux is not there' }

/** `steps`: what to wait for in what is new, and what to type then. Gives what came, and the steps that did not. */
export function onTerminal(args, steps, { columns = 80, rows = 24, env = { NO_COLOR: '1' } } = {}) {
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], { env: { ...process.env, TERM: 'xterm', ...env } })
  let out = ''
  let from = 0
  return new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
      const plain = out.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '') // a row that grows is drawn in pieces
      while (steps.length > 0) {
        const [wanted, typed] = steps[0]
        const at = plain.indexOf(wanted, from)
        if (at < 0) break
        from = at + wanted.length
        steps.shift()
        child.stdin.write(typed)
      }
    })
    const stuck = setTimeout(() => child.kill('SIGKILL'), 40_000)
    child.on('close', (code) => {
      clearTimeout(stuck)
      resolve({ code, out, left: steps })
    })
  })
}
