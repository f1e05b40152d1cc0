// The tester: three tabs over one server that knows the tools. Language and theme are remembered by the browser.
import '/sluice/ui/index.js'
import { h } from './dom.js'
import { languages } from './strings.js'
import { toolsTab } from './tools.js'
import { parseTab } from './parse.js'
import { runTab } from './run.js'

const kinds = { tools: toolsTab, parse: parseTab, run: runTab }
const names = Object.keys(kinds)
const themes = ['auto', 'light', 'dark']

/** What the tabs share. */
const app = {
  text: languages.en,
  /** Members of the engine's configuration that were changed here. */
  settings: {},
  model: '',
  /** Called with what the tools are now. */
  onTools: new Set(),
  tools: undefined,
  /** Shows a tab; `tool`: with this tool chosen. */
  go(tab, tool) {
    location.hash = tool === undefined ? tab : `${tab}/${encodeURIComponent(tool)}`
  },
}

const tabs = Object.fromEntries(names.map((name) => [name, kinds[name](app)]))
let buttons = {}
let panels = {}

function route() {
  const [tab, tool] = location.hash.slice(1).split('/')
  return { tab: names.includes(tab) ? tab : 'tools', tool: tool === undefined ? undefined : decode(tool) }
}

function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function show(focus) {
  const { tab, tool } = route()
  for (const name of names) {
    buttons[name].setAttribute('aria-selected', String(name === tab))
    buttons[name].tabIndex = name === tab ? 0 : -1
    panels[name].hidden = name !== tab
  }
  if (tool !== undefined) tabs[tab].choose?.(tool)
  if (focus) buttons[tab].focus()
}

function key(event) {
  const at = names.indexOf(route().tab)
  const to = { ArrowRight: at + 1, ArrowLeft: at + names.length - 1, Home: 0, End: names.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  history.replaceState(null, '', `#${names[to % names.length]}`)
  show(true)
}

/** All anew, with what the tabs remember: the language changed. */
function draw() {
  const { text } = app
  document.title = text.title
  buttons = Object.fromEntries(
    names.map((name) => [
      name,
      h(
        'button',
        {
          role: 'tab',
          id: `tab-${name}`,
          'aria-controls': `panel-${name}`,
          onclick: () => app.go(name),
        },
        text.tabs[name],
      ),
    ]),
  )
  panels = Object.fromEntries(
    names.map((name) => [
      name,
      h(
        'div',
        {
          role: 'tabpanel',
          id: `panel-${name}`,
          'aria-labelledby': `tab-${name}`,
          class: name,
        },
        tabs[name].draw(),
      ),
    ]),
  )
  const language = h(
    'button',
    {
      class: 'quiet',
      'aria-label': text.languageLabel,
      onclick: () => setLanguage(document.documentElement.lang === 'zh' ? 'en' : 'zh'),
    },
    text.language,
  )
  const theme = h(
    'button',
    {
      class: 'quiet',
      id: 'theme',
      onclick: () => setTheme(themes[(themes.indexOf(themeNow()) + 1) % themes.length]),
    },
    text.theme[themeNow()],
  )
  document.body.replaceChildren(
    h(
      'header',
      {},
      h('h1', {}, text.title),
      h(
        'div',
        { role: 'tablist', 'aria-label': text.title, onkeydown: key },
        names.map((name) => buttons[name]),
      ),
      h('div', { class: 'corner' }, theme, language),
    ),
    h(
      'main',
      {},
      names.map((name) => panels[name]),
    ),
  )
  show()
}

function setLanguage(lang) {
  const focused = document.activeElement?.getAttribute('aria-label') === app.text.languageLabel
  document.documentElement.lang = lang
  app.text = languages[lang]
  remember('language', lang)
  draw()
  if (focused) document.querySelector(`[aria-label="${app.text.languageLabel}"]`).focus()
}

const themeNow = () => document.documentElement.dataset.theme ?? 'auto'

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  remember('theme', theme)
  document.getElementById('theme').textContent = app.text.theme[theme]
}

function remember(name, value) {
  try {
    localStorage.setItem(`sluice-tester-${name}`, value)
  } catch {} // a browser that keeps nothing
}

function recall(name, allowed, otherwise) {
  try {
    const value = localStorage.getItem(`sluice-tester-${name}`)
    return allowed.includes(value) ? value : otherwise
  } catch {
    return otherwise
  }
}

addEventListener('hashchange', () => show())
const theme = recall('theme', themes, 'auto')
if (theme !== 'auto') document.documentElement.dataset.theme = theme
setLanguage(recall('language', Object.keys(languages), navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'))
