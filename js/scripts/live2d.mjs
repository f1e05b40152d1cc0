// npm run live2d: a real Live2D model for the demo pet, for those who accept Live2D's licences. What is installed goes
// to build/live2d, which is neither committed nor published, and nothing depends on it: without it the pet is a
// drawing.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { expressions } from './live2d-expressions.mjs'
import { command, quietly, root, say, Stop } from './run.mjs'

const target = join(root, 'build/live2d')
const work = join(root, 'build/live2d-part')

const packages = ['untitled-pixi-live2d-engine@1.4.0', 'pixi.js@8.22.0', 'wl-live2d@1.0.8', 'live2d-renderer@0.6.6']
const coreFile = 'wl-live2d/dist/packages/live2dcubism4core.min.js'
const modelFile = 'live2d-renderer/assets/Hiyori.zip'

const notice = `A real Live2D model for the demo pet. It takes npm packages with these things in them:

  Live2D Cubism Core   © Live2D Inc., proprietary: Live2D Proprietary Software License Agreement
                       https://www.live2d.com/eula/live2d-proprietary-software-license-agreement_en.html
  Hiyori (the model)   © Live2D Inc., sample data: Free Material License Agreement and Terms of Use for Cubism Sample Data
                       https://www.live2d.com/eula/live2d-free-material-license-agreement_en.html
                       https://www.live2d.com/eula/live2d-sample-model-terms_en.html
  untitled-pixi-live2d-engine and PixiJS   MIT

The packages that carry the first two (wl-live2d, live2d-renderer) say MIT on npm: that is true of their own code only. Whoever publishes an
app with Cubism Core may need a Cubism SDK Release License, and an app into which people load models of their own ("expandable application")
needs a contract with Live2D: https://www.live2d.com/en/sdk/license/

All of it goes to ${relative(root, target)}, for this machine only. Do not commit, publish or pass it on.`

const help = `npm run live2d -- --accept-licences   you have read Live2D's licences and accept them: install
npm run live2d -- --remove            take it away again`

await command(async () => {
  const { acceptLicences, remove } = readOptions(process.argv.slice(2))
  if (remove) {
    for (const dir of [target, work]) rmSync(dir, { recursive: true, force: true })
    return say(`removed ${relative(root, target)}`)
  }
  console.log(`${notice}\n`)
  if (!acceptLicences) throw new Stop(`Nothing was installed.\n\n${help}`)
  await install()
})

function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        'accept-licences': { type: 'boolean' },
        'accept-licenses': { type: 'boolean' },
        remove: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      console.log(`${notice}\n\n${help}`)
      process.exit(0)
    }
    return { acceptLicences: values['accept-licences'] || values['accept-licenses'], remove: values.remove }
  } catch (error) {
    throw new Stop(`${error.message}\n\n${help}`)
  }
}

/** In a folder of its own, which takes its place when all of it is there. */
async function install() {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(join(work, 'packages'), { recursive: true })
  try {
    writeFileSync(join(work, 'packages/package.json'), '{ "private": true }\n')
    await quietly('installing the packages', 'npm', [
      'install',
      '--prefix',
      join(work, 'packages'),
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-save',
      ...packages,
    ])
    const modules = join(work, 'packages/node_modules')
    writeFileSync(join(work, 'core.js'), readFileSync(needed(modules, coreFile)))
    const model = await unpack(modules)
    addExpressions(join(work, model))
    await bundle(modules)
    writeFileSync(join(work, 'LICENCES.txt'), `${notice}\n`)
    writeFileSync(
      join(work, 'manifest.json'),
      `${JSON.stringify({ core: 'core.js', engine: 'engine.js', model, packages }, null, 2)}\n`,
    )
    rmSync(join(work, 'packages'), { recursive: true, force: true })
    rmSync(target, { recursive: true, force: true })
    renameSync(work, target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  say(`installed to ${relative(root, target)}: npm start -- --web shows it; npm run live2d -- --remove takes it away`)
}

function needed(modules, file) {
  const path = join(modules, file)
  if (!existsSync(path))
    throw new Stop(`${file} was not found: the package is not what it was when this script was written`)
  return path
}

/** The model's files to `model/`; gives the path of its model3.json. */
async function unpack(modules) {
  say('unpacking the model …')
  const JSZip = createRequire(join(modules, 'live2d-renderer/package.json'))('jszip')
  const zip = await JSZip.loadAsync(readFileSync(needed(modules, modelFile)))
  const base = join(work, 'model')
  const files = Object.values(zip.files).filter(({ dir, name }) => !dir && !/(^|\/)(\.|__MACOSX\/)/.test(name))
  for (const file of files) {
    const path = resolve(base, file.name)
    if (!path.startsWith(base + sep)) throw new Stop(`${modelFile} has a file outside of itself: ${file.name}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, await file.async('nodebuffer'))
  }
  const settings = files.find(({ name }) => name.endsWith('.model3.json'))
  if (!settings) throw new Stop(`${modelFile} has no model3.json`)
  return `model/${settings.name}`
}

/** The sample has none: these are ours, made of the usual parameters. */
function addExpressions(settingsFile) {
  const settings = JSON.parse(readFileSync(settingsFile, 'utf8'))
  const dir = dirname(settingsFile)
  mkdirSync(join(dir, 'expressions'), { recursive: true })
  settings.FileReferences.Expressions = Object.entries(expressions).map(([name, parameters]) => {
    const file = `expressions/${name}.exp3.json`
    const list = parameters.map(([Id, Value, Blend = 'Add']) => ({ Id, Value, Blend }))
    writeFileSync(
      join(dir, file),
      JSON.stringify({ Type: 'Live2D Expression', FadeInTime: 0.35, FadeOutTime: 0.35, Parameters: list }, null, 2),
    )
    return { Name: name, File: file }
  })
  writeFileSync(settingsFile, JSON.stringify(settings, null, 2))
}

/** One module for a page without a bundler. `unsafe-eval` is Pixi's name for its code that does without. */
async function bundle(modules) {
  say('bundling the engine …')
  const { build } = await import('esbuild')
  const entry = `
    import 'pixi.js/unsafe-eval'
    export { Application, extensions, loadTextures, Ticker } from 'pixi.js'
    export { configureCubismSDK, Live2DModel, Live2DPlugin } from 'untitled-pixi-live2d-engine/cubism'
  `
  await build({
    stdin: { contents: entry, resolveDir: dirname(modules) },
    outfile: join(work, 'engine.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'eof',
    logLevel: 'error',
    external: ['@pixi/sound'],
  })
}
