// The licences of the packages that a bundle holds: each text once, with the names and copyrights of those under it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

/**
 * A comment for the end of a bundle, of the outputs of esbuild's metafile. What a file imports before it runs names its
 * licences itself.
 */
export function licencesOf(file, outputs) {
  const folders = packagesOf(outputs[file])
  for (const other of importedBy(file, outputs)) for (const folder of packagesOf(outputs[other])) folders.delete(folder)
  if (folders.size === 0) return ''
  const byText = new Map()
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e(?:-MIT)?(\.|$)/i.test(one))
    if (!file || !existsSync(join(root, folder, file))) throw new Error(`${folder} has no licence in a file`)
    const lines = readFileSync(join(root, folder, file), 'utf8')
      .split('\n')
      .map((line) => line.trim())
    const copyright = lines.filter((line) => /^copyright\b(?! notice| holder| owner)/i.test(line))
    const text = lines
      .filter((line) => !copyright.includes(line) && !/^(\(?the \)?)?(mit|bsd|isc)\b.{0,30}licen[cs]e\)?$/i.test(line))
      .join(' ')
      .replace(/\s+/g, ' ')
      .replaceAll('*/', '* /')
      .trim()
    const key = text.toLowerCase().replace(/[^a-z]/g, '')
    const found = byText.get(key) ?? { text, names: [] }
    found.names.push(`${name} ${version} (${license}): ${copyright.join('; ').replaceAll('*/', '* /')}`)
    byText.set(key, found)
  }
  return `/*! Licences of what is bundled here.\n\n${[...byText.values()].map(({ names, text }) => `${names.join('\n')}\n\n${text}`).join('\n\n')}\n*/\n`
}

/** The folders of the packages that an output holds code of. */
function packagesOf({ inputs }) {
  const held = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return new Set(held.flatMap(([path]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
}

function importedBy(file, outputs, found = new Set()) {
  for (const { path, kind } of outputs[file].imports) {
    if (kind !== 'import-statement' || !outputs[path] || found.has(path)) continue
    found.add(path)
    importedBy(path, outputs, found)
  }
  return found
}
