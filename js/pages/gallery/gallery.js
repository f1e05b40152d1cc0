// Every element in every state, from a real host: each scene has a conversation of its own, begun anew with the page.
//   ?only=cards,lost   these groups and scenes alone      ?lang=zh  ?theme=dark
import { connect } from '/sluice/renderer/index.js'
import { postJson, webBridge } from '/sluice/renderer/web-bridge.js'
import '/sluice/ui/index.js'
import '/sluice/ui/math.js'
import { linked } from './links.js'
import { groups, scenes } from './scenes.js'
import { shows } from './shows.js'

const query = new URLSearchParams(location.search)
const lang = query.get('lang') ?? (navigator.language.startsWith('zh') ? 'zh' : 'en')
const only = query.get('only')?.split(',')
document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en'
if (query.get('theme')) document.documentElement.dataset.theme = query.get('theme')

const words =
  lang === 'zh'
    ? {
        title: 'Sluice 元素一览',
        language: '语言',
        theme: '配色',
        system: '跟随系统',
        light: '浅色',
        dark: '深色',
        tester: '测试页',
      }
    : {
        title: 'Sluice gallery',
        language: 'Language',
        theme: 'Scheme',
        system: 'as the system',
        light: 'light',
        dark: 'dark',
        tester: 'Tester',
      }

const h = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** `{ en, zh }` anywhere in a value becomes the text of the language. */
const read = (value) => {
  if (Array.isArray(value)) return value.map(read)
  if (typeof value !== 'object' || value === null) return value
  return 'en' in value && 'zh' in value
    ? value[lang]
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, read(inner)]))
}

function choice(name, label, options, value) {
  const select = h(
    'select',
    {
      onchange: () => {
        query.set(name, select.value)
        location.search = query
      },
    },
    ...options.map(([id, text]) => h('option', { value: id, selected: id === value }, text)),
  )
  return h('label', {}, label, select)
}

const bridge = webBridge()
const client = connect(bridge)
const run = Math.random().toString(36).slice(2)

async function show(scene, stage) {
  try {
    const { lost, client: its } = linked(client, bridge, scene.link)
    const conversation = `${scene.id}-${run}`
    const scenery = { scene, stage, client: its, conversation, read, h }
    // What is shown stands there first: a question that comes is then seen to come.
    const element = shows[scene.show](scenery)
    stage.append(element)
    if (scene.quiet || !scene.rounds?.length) return await element.updateComplete
    const live = await its.send({ text: read(scene.question), conversation })
    const when = (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          const found = wanted(live.getSnapshot())
          if (found) resolve(found), off?.()
        }
        const off = live.subscribe(look)
        look()
      })
    scenery.live = live
    scenery.follow?.(live)
    const entries = () => its.open(conversation).getSnapshot().entries
    if (scene.over) await live.done
    if (scene.then) await scene.then({ client: its, element, live, when, entries })
    if (lost)
      await when(({ blocks }) => blocks.length > 0 && new Promise((resolve) => setTimeout(resolve, 300))).then(lost)
  } catch (error) {
    stage.append(h('p', { className: 'failed' }, String(error)))
  } finally {
    await typed(scene, stage)
    stage.dataset.ready = ''
  }
}

/** What a person wrote, and sent. */
async function typed(scene, stage) {
  const element = stage.firstElementChild
  const field =
    element?.localName === 'sluice-composer' ? element : element?.shadowRoot?.querySelector('sluice-composer')
  // What is written while an answer comes waits for its end.
  while (scene.write && !scene.quiet && !field.busy) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const text of scene.write ?? []) {
    field.value = read(text)
    await field.send()
  }
  if (scene.draft) field.value = read(scene.draft)
  if (scene.files)
    field.attachments = [
      { name: 'rain.txt', mediaType: 'text/plain', bytes: new Uint8Array(5120) },
      { name: '', mediaType: 'text/plain', bytes: new Uint8Array(50_000) },
    ]
}

const main = h('main')
const nav = h('nav')
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      seen.unobserve(target)
      void show(target.scene, target)
    }
  },
  { rootMargin: '400px' },
)

for (const [id, title] of groups) {
  const shown = scenes.filter((scene) => scene.group === id && (!only || only.includes(id) || only.includes(scene.id)))
  if (shown.length === 0) continue
  const list = h('div', { className: 'scenes' })
  for (const scene of shown) {
    const stage = h('div', { className: 'stage', scene })
    stage.classList.toggle(
      'framed',
      ['chat', 'thread', 'composer', 'conversations', 'configuration', 'server'].includes(scene.show),
    )
    stage.classList.toggle('low', scene.group === 'ends')
    const section = h(
      'section',
      { id: scene.id, className: 'scene' },
      h('h3', {}, `${read(scene.title)} `, h('code', {}, scene.id)),
      stage,
    )
    section.classList.toggle('wide', scene.wide === true)
    list.append(section)
    seen.observe(stage)
  }
  main.append(h('h2', { id }, read(title)), list)
  nav.append(h('a', { href: `#${id}` }, read(title)))
}

document.title = words.title
const header = h(
  'header',
  {},
  h('h1', {}, words.title),
  choice(
    'lang',
    words.language,
    [
      ['en', 'English'],
      ['zh', '中文'],
    ],
    lang,
  ),
  choice(
    'theme',
    words.theme,
    [
      ['', words.system],
      ['light', words.light],
      ['dark', words.dark],
    ],
    query.get('theme') ?? '',
  ),
  nav,
)
document.body.append(header, main)
postJson('/api/tester', {}).then(
  ({ url }) => url && nav.append(h('a', { href: url }, words.tester)),
  () => {},
)
