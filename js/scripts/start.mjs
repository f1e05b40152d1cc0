// npm start: what is missing is installed and built, then the demo runs.
import { fileURLToPath } from 'node:url'
import { command } from './run.mjs'
import { setup } from './setup.mjs'

const [major] = process.versions.node.split('.')
if (Number(major) < 20) {
  console.error(`found Node ${process.versions.node}, expected 20 or later: https://nodejs.org`)
  process.exit(1)
}

await command(async () => {
  const help = process.argv.slice(2).some((word) => word === '--help' || word === '-h')
  if (!help) await setup()
  process.argv = process.argv.filter((word) => word !== '--no-install') // it is of the set-up
  process.argv[1] = fileURLToPath(new URL('../demo/main.mjs', import.meta.url))
  await import('../demo/main.mjs')
})
