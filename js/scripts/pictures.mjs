// npm run pictures: the pictures of the README, from the real pages, by a clock of their own. Stills come out the same
// each time, films nearly. Words behind it choose pictures: `npm run pictures -- turn states`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, root, say, Stop } from './run.mjs'
import { browser as findBrowser, setup } from './setup.mjs'

const folder = join(root, 'js/pictures')

await command(async () => {
  await setup({ tests: true })
  const executablePath = findBrowser()
  if (!executablePath) throw new Stop('no Chromium was found; $SLUICE_CHROMIUM may name one')
  const [{ chromium }, { launchOptions }, { pictures }] = await Promise.all([
    import('playwright-core'),
    import('./pictures/stage.mjs'),
    import('./pictures/scenes.mjs'),
  ])
  const chosen = process.argv.slice(2)
  const wrong = chosen.find((name) => !pictures.some((one) => one.name === name))
  if (wrong !== undefined)
    throw new Stop(`${wrong}: no such picture; there are ${pictures.map(({ name }) => name).join(', ')}`)
  mkdirSync(folder, { recursive: true })
  const browser = await chromium.launch(launchOptions(executablePath))
  try {
    for (const { name, kind, most, make } of pictures) {
      if (chosen.length > 0 && !chosen.includes(name)) continue
      for (const scheme of ['light', 'dark']) {
        const file = `${name}-${scheme}.${kind}`
        const bytes = await make(browser, scheme)
        say(`${file}: ${(bytes.length / 1000).toFixed(0)} kB`)
        if (bytes.length > most) throw new Stop(`${file} has ${bytes.length} bytes, more than ${most}`)
        writeFileSync(join(folder, file), bytes)
      }
    }
  } finally {
    await browser.close()
  }
})
