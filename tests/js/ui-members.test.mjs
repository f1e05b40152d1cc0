// What elements.ts tells of the elements is what they have: properties, methods, events, slots and parts.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'

const { partsOf } = await built('parts')

const folder = fileURLToPath(new URL('../../js/src/view/ui/', import.meta.url))
const sources = new Map(
  readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(folder + name, 'utf8')]),
)
const told = sources.get('elements.ts')
const baseOf = (name) => name.replace(/^.*\//, '').replace(/\.ts$/, '')
const parts = partsOf()

/** The files in which an element stands: its own first. Those of an element inside of it are not among them. */
const text = ['typeset', 'text-tree', 'code-view', 'cue-view', 'link-question', 'actions']
const inFolder = (folder, except = []) =>
  [...sources.keys()]
    .filter((name) => name.startsWith(`${folder}/`))
    .map(baseOf)
    .filter((name) => !except.includes(name))
const files = {
  'sluice-text': ['text-element', ...text],
  'sluice-approval': [
    'approval-element',
    ...inFolder('approval', ['arguments', 'question-events', 'form', 'json-editor']),
  ],
  'sluice-card': [
    'card-element',
    'arguments',
    'mark-invisible',
    'lightbox',
    ...inFolder('card', ['json-view']),
    'made-view',
  ],
  'sluice-message': ['message-element', 'made-view', 'stream-text', 'question-events', ...inFolder('message')],
  'sluice-questions': ['questions-element', 'question-events'],
  'sluice-thread': ['thread', 'entry', 'entry-list', 'toolbar'],
  'sluice-composer': ['composer', 'chips', 'sending'],
  'sluice-chat': ['chat-element'],
  'sluice-conversations': ['conversations-element'],
  'sluice-configuration': ['configuration-element', 'late-configuration', 'late-element'],
  'sluice-server': ['server-panel-element', 'steps', 'late-server-panel', 'late-element'],
}
/** For other elements of the kit. */
const ours = {
  'sluice-card': ['compact', 'armMs', 'quiet'],
  'sluice-approval': ['row', 'grouped', 'docked'],
  'sluice-questions': ['events'],
}
const own = ['sluice-ready'] // what a question tells the element around it

const textOf = (name) => sources.get([...sources.keys()].find((file) => baseOf(file) === name))
const sourceOf = (tag) => [...new Set(files[tag])].map(textOf).join('\n')
const sorted = (names) => [...new Set(names)].sort()

/** The interface of an element: { about, members }. */
function interfaceOf(tag) {
  const name = `Sluice${tag.slice(7)[0].toUpperCase()}${tag.slice(8)}Element`
  const [, about, body] = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport interface ${name} extends HTMLElement \\{\\n([\\s\\S]*?)\\n\\}`,
  ).exec(told)
  return {
    about,
    members: [...body.matchAll(/^ {2}(readonly )?(\w+)(\(|:)/gm)].map(([, readonly, name, kind]) => ({
      name,
      method: kind === '(',
      readonly: readonly !== undefined,
    })),
  }
}
const named = (about, what) =>
  [...(new RegExp(`${what}:((?:[^.]|\\.(?=\\w))*)`).exec(about)?.[1] ?? '').matchAll(/`([^`]+)`/g)]
    .flatMap(([, names]) => names.split(/\s+/))
    .filter((name) => /^[a-z-]*[a-z]$/.test(name))

for (const tag of Object.keys(files)) {
  const { about, members } = interfaceOf(tag)
  const main = textOf(files[tag][0])

  test(`${tag}: its properties and methods are told, and there`, () => {
    const source = files[tag].includes('late-element') ? textOf('late-element') : main
    const block = /static override properties(?:: \w+)? = \{([\s\S]*?)\n? *\}\n/.exec(source)[1]
    const properties = [...block.matchAll(/(\w+): \{([^}]*)\}/g)]
      .filter(([, , options]) => !options.includes('state: true'))
      .map(([, name]) => name)
    if (/extends FollowingElement/.test(main)) properties.push('client')
    assert.deepEqual(
      sorted(properties.filter((name) => !ours[tag]?.includes(name) && !members.some((one) => one.name === name))),
      [],
      'not told',
    )
    const there = (name) =>
      properties.includes(name) || new RegExp(`^ {2}(?:override |async |get )*${name}\\(`, 'm').test(source)
    assert.deepEqual(
      members.map(({ name }) => name).filter((name) => !there(name)),
      [],
      'not there',
    )
  })

  test(`${tag}: its events and slots are told, and there`, () => {
    const inside = sourceOf(tag)
    const events = [...inside.matchAll(/(?:CustomEvent(?:<\w+>)?\(|fire\(\w*,? ?|type: )'(sluice-[\w-]+)'/g)].map(
      ([, name]) => name,
    )
    if (/new CustomEvent\(`sluice-\$\{what\}`/.test(inside))
      events.push('sluice-open', 'sluice-delete', 'sluice-rename')
    if (tag === 'sluice-composer') events.push('sluice-send', 'sluice-stop')
    if (/new QuestionEvents/.test(inside)) events.push('sluice-ask', 'sluice-settled')
    if (tag === 'sluice-message') events.push('sluice-link', 'sluice-copy') // of its texts
    for (const name of sorted(events).filter((one) => !own.includes(one))) {
      assert.ok(about.includes(`\`${name}\``), `${name} is not told`)
      assert.ok(told.includes(`    '${name}': CustomEvent<`), `${name} has no type`)
    }
    for (const [, name] of about.matchAll(/`(sluice-[\w-]+)`/g))
      assert.ok(events.includes(name), `${name} is told, and never fired`)
    const slots = [...inside.matchAll(/<slot name="([\w-]+)"/g)]
      .map(([, name]) => name)
      .filter((name) => !['card'].includes(name))
    assert.deepEqual(sorted(named(about, 'Slots')), sorted(slots))
  })

  test(`${tag}: its parts are told, and there`, () => {
    assert.deepEqual(sorted(named(about, 'Parts')), sorted(parts[tag] ?? []))
    const inside = sourceOf(tag)
    const used = [
      ...[...inside.matchAll(/ part="([^"]*)"/g)].flatMap(([, names]) => names.replace(/\$\{[^}]*\}/g, '?').split(' ')),
      ...[...inside.matchAll(/setAttribute\('part', '([^']*)'\)/g)].map(([, name]) => name),
      ...[...inside.matchAll(/\bpart: '([^']*)'/g)].map(([, name]) => name),
      ...[...inside.matchAll(/ part=\$\{\w+ \? '([\w-]+)' : '([\w-]+)'\}/g)].flatMap(([, ...names]) => names),
    ].filter((name) => !name.includes('?'))
    assert.deepEqual(
      sorted(
        used.filter(
          (name) =>
            name !== 'section-rewritten' &&
            !parts[tag]?.includes(name) &&
            !parts[tag]?.includes(`${tag.slice(7)}-${name}`),
        ),
      ),
      [],
      'not told',
    )
  })
}

test('what is told of parts is drawn by somebody', () => {
  const all = [...sources]
    .filter(([name]) => !['parts.ts', 'elements.ts'].includes(name))
    .map(([, source]) => source)
    .join('\n')
  const names = sorted(Object.values(parts).flat()).map((name) =>
    name.replace(/^(?:(?:thread|composer)-(?=trouble$)|error-(?=hint$)|question-(?=(?:tool|missing)$))/, ''),
  )
  // Made of the look of a block: `${look}`, `${look}-text`; of the mark of a run of text.
  const made = /^(reasoning|fabricated|retracted|commentary|strong|blank|cut|script)(-text)?$/
  assert.deepEqual(
    names.filter(
      (name) =>
        !made.test(name) &&
        !new RegExp(`part(=|', |: )["'](?:[^"'\`]* )?${name}[ "']|'${name}' : '|\\? '${name}'|: '${name}'\\}`).test(
          all,
        ),
    ),
    [],
  )
})
