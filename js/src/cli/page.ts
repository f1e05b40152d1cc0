// A page that a command shows: its URL is printed, a browser opened, and then it is served until somebody ends it.
import { spawn } from 'node:child_process'
import { whole, type Options, type Values } from './command.js'

export const pageOptions = { port: { type: 'string' }, 'no-open': { type: 'boolean' } } as const satisfies Options

export const pageHelp = `  --port NUMBER       where the page is (default: any port that is free)
  --no-open           only print the URL, open no browser`

export const readPort = (values: Values): number | undefined => whole(values, 'port', 0, 65535)

/** Until Ctrl-C. Resolves to the exit code. */
export async function showPage(what: string, { url, close }: { url: string; close(): Promise<void> }, values: Values): Promise<number> {
  console.log(`${what}: ${url}`)
  console.log('The URL is for you alone; Ctrl-C ends it.')
  if (!values['no-open'] && process.stdout.isTTY) open(url)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  await close()
  return 0
}

const openers: { [platform: string]: string[] } = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }

/** Without a shell; where there is no browser, the printed URL has to do. */
function open(url: string): void {
  const { platform, env } = process
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return
  const [program, ...args] = openers[platform] ?? ['xdg-open']
  const child = spawn(program as string, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
