// npm run build:addon: builds sluice.node for the machine it runs on, in an installed package as well as in a checkout.
// What the package's users do not have, the headers of Node-API and simdjson, is installed into the build folder.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, quietly, root, say, Stop, which } from './run.mjs'

const needed = ['@nozbe/simdjson', 'node-addon-api', 'node-api-headers']

await command(async () => {
  if (!which('cmake')) throw new Stop('CMake 3.25 or newer is needed to build sluice.node, and a C++20 compiler')
  const modules = await nodeModules()
  const generator = !process.env.CMAKE_GENERATOR && which('ninja') ? { CMAKE_GENERATOR: 'Ninja' } : {}
  await quietly('configuring build/addon', 'cmake', ['--preset', 'addon', `-DSLUICE_NODE_MODULES=${modules}`], {
    env: generator,
  })
  await quietly('building build/addon', 'cmake', ['--build', '--preset', 'addon', '--parallel'])
  const { loadAddon } = await import('../dist/esm/engine/core/addon.js')
  const addon = loadAddon()
  if ('message' in addon) throw new Stop(`${addon.message} (${addon.hint})`)
  say('built build/release/sluice.node')
})

/** The folder that has them: the checkout's, else one of our own. */
async function nodeModules() {
  const has = (folder) => needed.every((name) => existsSync(join(folder, name, 'package.json')))
  const own = join(root, 'node_modules')
  if (has(own)) return own
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = join(root, 'build/addon/npm')
  mkdirSync(folder, { recursive: true })
  const packages = needed.map((name) => `${name}@${devDependencies[name]}`)
  const options = [
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--location=project',
    '--omit=dev',
  ]
  if (!has(join(folder, 'node_modules')))
    await quietly(`installing ${packages.join(' ')}`, 'npm', ['install', '--prefix', folder, ...options, ...packages])
  return join(folder, 'node_modules')
}
