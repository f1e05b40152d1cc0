// The open questions of durable turns: each is read and decided by the approval element, and decided for what was seen.
// Language and theme are remembered by the browser.
import '/sluice/ui/index.js'
import { postJson } from '/sluice/renderer/web-bridge.js'
import { splitInvisible } from '/sluice/app/bridge/invisible.js'
import { languages } from './strings.js'

const themes = ['auto', 'light', 'dark']
const LOOK_MS = 1500
const HIDDEN_MS = 10_000

/** Open questions by name, in their order: what was sent of each, and its elements. */
const shown = new Map()
/** Names of what was decided here, until the store shows it: a worker takes it when it comes to it. */
const decided = new Set()
let text = languages.en
let [by, more, fault, lost] = [undefined, false, undefined, undefined]
let looked = false

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}
/** Names of the app, of turns and of tools: what has no glyph of its own is shown by its code point. */
const foreign = (given) =>
  splitInvisible(given).map((run, at) => (at % 2 ? element('span', { class: 'code-point' }, `⟨${run}⟩`) : run))
const escaped = (given) =>
  splitInvisible(given)
    .map((run, at) => (at % 2 ? `⟨${run}⟩` : run))
    .join('')

// -- around the questions, once
const [heading, count, who] = [
  element('h1'),
  element('p', { id: 'count', tabindex: '-1', role: 'status' }),
  element('p', { class: 'who' }),
]
const [theme, language] = [
  element('button', { type: 'button', class: 'quiet', id: 'theme' }),
  element('button', { type: 'button', class: 'quiet', id: 'language' }),
]
const news = element('div', { id: 'news', role: 'log', 'aria-live': 'polite' })
const trouble = element('p', { class: 'fault', role: 'alert', hidden: '' })
const list = element('ol', { id: 'questions' })
const empty = element('p', { class: 'empty', hidden: '' })
document.body.replaceChildren(
  element('header', {}, heading, who, element('div', { class: 'corner' }, theme, language)),
  element('main', {}, count, trouble, news, list, empty),
)

// -- reading ----------------------------------------------------------------------------------------------------------

/** So many names are sent at most; questions beyond them come with each reply. */
const MOST_KNOWN = 1000
let looks = 0

async function look() {
  const own = ++looks
  try {
    const reply = await postJson('/api/questions', { known: [...shown.keys()].slice(-MOST_KNOWN) })
    if (own !== looks) return // a later one knows better
    ;({ by, more, fault } = reply)
    lost = undefined
    take(reply)
  } catch (error) {
    if (own !== looks) return
    lost = error.detail ?? error.message
  }
  looked = true
  tell()
  next()
}

let timer
function next() {
  clearTimeout(timer)
  timer = setTimeout(look, document.hidden ? HIDDEN_MS : LOOK_MS)
}
document.addEventListener('visibilitychange', () => document.hidden || look())

/**
 * What is open by the store. What was decided here stays away until the store knows. Where not all could be listed, a
 * question that is missing is closed only if it is asked in another way now, or its decision was not taken.
 */
function take({ open: listed, fresh, more, fault }) {
  const open = new Set(listed)
  const places = new Set(listed.map(placeIn))
  const isAll = !more && fault === undefined
  const isClosed = (name) => !open.has(name) && (isAll || closed.has(name) || places.has(placeIn(name)))
  for (const name of decided) if (isClosed(name)) keptFor(name)
  for (const [name, { item, question }] of shown) {
    if (!isClosed(name)) continue
    const focused = item.contains(document.activeElement)
    const at = placeOf(item)
    item.remove()
    shown.delete(name)
    closed.delete(name)
    if (!decided.has(name)) say('gone', question)
    if (focused) focusAt(at)
  }
  for (const question of fresh)
    if (!shown.has(question.name) && !decided.has(question.name)) shown.set(question.name, draw(question))
  const inOrder = [...shown.values()].sort(
    ({ question: a }, { question: b }) => a.askedAt - b.askedAt || a.ask.call - b.ask.call,
  )
  for (const [at, { item }] of inOrder.entries())
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null)
}
/** Names of questions that take no decision any more. */
const closed = new Set()

/** A decision that the store shows no more was used: its question comes again only if it changed. */
const LAST = 200
function keptFor(name) {
  decided.delete(name)
  answered.add(placeIn(name))
  if (answered.size > LAST) answered.delete(answered.values().next().value)
}
/** Turn, call and stage of questions that were decided here. */
const answered = new Set()

// -- one question -----------------------------------------------------------------------------------------------------

/** Turn, call and stage of a question. */
const placeIn = (name) => name.slice(0, name.lastIndexOf(':'))

function draw(question) {
  const { turn, thread, askedAt, ask, name } = question
  const about = element('dl', { class: 'about' })
  const again = element('p', { class: 'again', hidden: '' })
  again.hidden = !answered.has(placeIn(name)) && ![...decided].some((one) => placeIn(one) === placeIn(name))
  const approval = element('sluice-approval')
  approval.message = {
    approve: (_, options) => decide(question, 'approve', options),
    release: () => decide(question, 'approve'),
    deny: (_, reason) => decide(question, 'deny', reason === undefined ? {} : { reason }),
  }
  approval.ask = ask
  const item = element('li', { class: 'question' }, again, approval, about)
  const write = () => {
    again.textContent = text.again
    const short = name.slice(0, name.length - ask.digest.length + 12)
    const time = element(
      'time',
      { datetime: new Date(askedAt).toISOString() },
      new Date(askedAt).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' }),
    )
    const rows = [
      [text.asked, [time]],
      ...(thread === undefined ? [] : [[text.thread, foreign(thread)]]),
      [text.turn, foreign(turn)],
      [text.name, foreign(short)],
    ]
    about.replaceChildren(
      ...rows.map(([what, of]) => element('div', {}, element('dt', {}, what), element('dd', {}, ...of))),
    )
  }
  write()
  return { item, question, approval, write }
}

/** Where it was not taken, the reply names the decision that counts: the element says who made it. */
async function decide(question, decision, options = {}) {
  const {
    name,
    turn,
    ask: { call, stage, digest },
  } = question
  const { said, ...counts } = await postJson('/api/decide', { turn, call, stage, digest, decision, ...options })
  if (said !== 'accepted') {
    closed.add(name)
    if (counts.decision) say('faster', question, counts)
    else say(said, question)
    void look()
    return { decided: false, ...counts }
  }
  decided.add(name)
  say(decision === 'approve' && stage === 'result' ? 'release' : decision, question)
  const { item } = shown.get(name) ?? {}
  const at = item ? placeOf(item) : 0
  const focused = item?.contains(document.activeElement)
  item?.remove()
  shown.delete(name)
  tell()
  if (focused) focusAt(at)
  return true
}

const placeOf = (item) => [...list.children].indexOf(item)

/** The next question, where there is one: keys that are still held do not answer it. */
function focusAt(at) {
  const item = list.children[Math.min(at, list.children.length - 1)]
  if (item) item.querySelector('sluice-approval').present()
  else count.focus()
}

/** For people who do not see what went away, and for those who wonder where it went. */
const MOST_NEWS = 5
function say(what, { ask }, { decision, by } = {}) {
  const entry = element(
    'p',
    { class: what },
    text.said[what](escaped(ask.title ?? ask.name), decision, by === undefined ? undefined : escaped(by)),
  )
  news.append(entry)
  while (news.children.length > MOST_NEWS) news.firstElementChild.remove()
}

// -- words and colours ------------------------------------------------------------------------------------------------

function tell() {
  const open = shown.size
  const line = text.count(open, more)
  if (looked && count.textContent !== line) count.textContent = line
  document.title = open > 0 ? `(${open}) ${text.title}` : text.title
  who.textContent = by === undefined ? '' : text.who(escaped(by))
  empty.hidden = !looked || open > 0 || lost !== undefined
  const wrong = lost !== undefined ? text.lost(lost) : fault !== undefined ? text.fault(fault) : ''
  if (trouble.textContent !== wrong) trouble.textContent = wrong
  trouble.hidden = wrong === ''
}

function setLanguage(lang) {
  document.documentElement.lang = lang
  text = languages[lang]
  remember('language', lang)
  heading.textContent = text.title
  language.textContent = text.language
  language.setAttribute('aria-label', text.languageLabel)
  empty.textContent = text.none
  for (const { write } of shown.values()) write()
  setTheme(themeNow())
  tell()
}

const themeNow = () => document.documentElement.dataset.theme ?? 'auto'

function setTheme(to) {
  if (to === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = to
  remember('theme', to)
  theme.textContent = text.theme[to]
}

function remember(name, value) {
  try {
    localStorage.setItem(`sluice-questions-${name}`, value)
  } catch {} // a browser that keeps nothing
}

function recall(name, allowed, otherwise) {
  try {
    const value = localStorage.getItem(`sluice-questions-${name}`)
    return allowed.includes(value) ? value : otherwise
  } catch {
    return otherwise
  }
}

theme.addEventListener('click', () => setTheme(themes[(themes.indexOf(themeNow()) + 1) % themes.length]))
language.addEventListener('click', () => setLanguage(document.documentElement.lang === 'zh' ? 'en' : 'zh'))
setTheme(recall('theme', themes, 'auto'))
setLanguage(recall('language', Object.keys(languages), navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'))
void look()
