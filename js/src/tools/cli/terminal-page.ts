// Serves a page for a command: prints its URL, opens a browser, and serves until the person ends the command.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PageRoots } from '../../app/web/web-files.js'
import { whole, type Options, type Values } from './command.js'

export const pageOptions = { port: { type: 'string' }, 'no-open': { type: 'boolean' } } as const satisfies Options

export const pageHelp = `  --port NUMBER       where the page is (default: any port that is free)
  --no-open           only print the URL, open no browser`

export const readPort = (values: Values): number | undefined => whole(values, 'port', 0, 65535)

/** The files of a page of `js/pages`, and what those pages share. */
export const pageRoots = (name: string): PageRoots => ({ '/': folderOf(name), '/shared/': folderOf('shared') })

const folderOf = (name: string): string => fileURLToPath(new URL(`../../../../pages/${name}/`, import.meta.url))

/** Serves until Ctrl-C. Resolves to the exit code. `note`: a line more. */
export async function showPage(
  what: string,
  { url, close, note }: { url: string; close(): Promise<void>; note?: string },
  values: Values,
): Promise<number> {
  console.log(`${what}: ${url}`)
  if (note !== undefined) console.log(note)
  console.log('The URL is for you alone; Ctrl-C ends it.')
  const forget = !values['no-open'] && process.stdout.isTTY ? open(url) : () => {}
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  forget()
  await close()
  return 0
}

const openers: { [platform: string]: string[] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** How long a starting browser has to read the file. */
const READ_MS = 60_000

/**
 * Opens the URL in a browser, without a shell. If there is no browser, the printed URL remains. Everybody on the
 * machine can read a program's arguments in the list of processes, so the browser gets a file that only this user may
 * read and that redirects to the URL. Returns a function that removes the file.
 */
function open(url: string): () => void {
  const { platform, env } = process
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return () => {}
  const folder = mkdtempSync(join(tmpdir(), 'sluice-open-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, 'open.html')
  try {
    writeFileSync(
      file,
      `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Sluice</a>\n`,
      { mode: 0o600, flag: 'wx' },
    )
  } catch {
    remove() // without room for it the printed URL remains
    return () => {}
  }
  setTimeout(remove, READ_MS).unref()
  const [program, ...args] = openers[platform] ?? ['xdg-open']
  const child = spawn(program as string, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
  return remove
}
