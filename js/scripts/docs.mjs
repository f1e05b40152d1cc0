// npm run docs: the API reference, made from the comments of the sources, as pages in build/docs. Nothing of it is
// committed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, root, say, Stop } from './run.mjs'
import { installNpmPackages } from './setup.mjs'

/**
 * Writes the reference of every subpath into `out`. Resolves to how many names it has; throws where typedoc finds a
 * fault.
 */
export async function makeReference(out) {
  const { Application, Converter, ReflectionKind } = await import('typedoc')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const sources = Object.entries(manifest.exports).flatMap(([path, { import: module, types = module?.types }]) => {
    const source = /^\.\/js\/dist\/esm\/(.*)\.d\.ts$/.exec(types ?? '')?.[1]
    return source === undefined ? [] : [[path.replace('.', manifest.name), `js/src/${source}.ts`]]
  })
  const app = await Application.bootstrap({
    entryPoints: sources.map(([, source]) => join(root, source)),
    tsconfig: join(root, 'js/tsconfig.docs.json'),
    name: manifest.name,
    readme: 'none',
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    hideGenerator: true,
    logLevel: 'Warn',
    validation: { notExported: false, invalidLink: true, rewrittenLink: true, notDocumented: false },
    treatWarningsAsErrors: true,
  })
  const names = new Map(sources.map(([name, source]) => [join(root, source), name]))
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const file =
      reflection.sources?.[0]?.fullFileName ?? reflection.project.getSymbolIdFromReflection(reflection)?.fileName
    reflection.name = names.get(file) ?? reflection.name
  })
  const project = await app.convert()
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Stop('typedoc found faults in the comments: they are above')
  await app.generateDocs(project, out)
  return Object.keys(project.reflections).length
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await installNpmPackages()
    const out = join(root, 'build/docs')
    say(`wrote the reference of ${await makeReference(out)} names: ${join(out, 'index.html')}`)
  })
}
