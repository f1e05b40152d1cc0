// The pages of the installed package: everything they load is in the tarball.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { installed, plainEnvironment } from './support.mjs'

describe('pages of the installed package', () => {
  let folder
  before(() => (folder = installed()))

  for (const command of ['demo', 'tester']) {
    test(`npx sluice ${command} serves all that its page loads`, async (t) => {
      const main = join(folder, 'node_modules/sluice/js/dist/esm/tools/cli/main.js')
      const child = spawn(process.execPath, [main, command, '--no-open'], {
        cwd: folder,
        env: plainEnvironment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      t.after(() => child.kill())
      const loaded = await crawl(await urlSaidBy(child))
      for (const name of ['/sluice/ui/index.js', '/sluice/renderer/web-bridge.js'])
        assert.ok(loaded.has(name), `${name} is among ${[...loaded]}`)
      t.diagnostic(`${loaded.size} files`)
    })
  }
})

/** The first URL that it says. Its output is read on, or it could not write any more. */
function urlSaidBy(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      said += piece
      const [, url] = /(http:\/\/\S+)\n/.exec(said) ?? []
      if (url) resolve(url)
    })
    child.on('close', () => reject(new Error(`it ended without a URL: ${said}`)))
  })
}

/** Loads the page and what it names, and what that names. */
async function crawl(start) {
  const first = await fetch(start, { redirect: 'manual' })
  const cookie = first.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const loaded = new Set()
  const waiting = [new URL(first.headers.get('location') ?? start, start)]
  while (waiting.length > 0) {
    const url = waiting.pop()
    if (loaded.has(url.pathname)) continue
    loaded.add(url.pathname)
    const response = await fetch(url, { headers: { cookie } })
    assert.equal(response.status, 200, url.pathname)
    const text = await response.text()
    for (const name of namesIn(text, response.headers.get('content-type') ?? '')) waiting.push(new URL(name, url))
  }
  return loaded
}

function namesIn(text, type) {
  if (type.includes('html'))
    return [...text.matchAll(/<(?:script|link|img)\b[^>]*\s(?:src|href)="([^"#:]+)"/g)].map((match) => match[1])
  // The bundle of the elements needs no further file.
  if (type.includes('javascript') && text.length < 100_000) {
    return [...text.matchAll(/\b(?:import\s*\(?|(?:import|export)\b[^'"();=]*?\bfrom)\s*['"]([./][^'"]+)['"]/g)].map(
      (match) => match[1],
    )
  }
  return []
}
