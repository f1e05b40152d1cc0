// The conversation: what was said, what the last answer is up to, and what a person can say next.
import '/sluice/ui/index.js'
import { picturesOf, startAttaching } from './attach.js'
import { makeVersions } from './branches.js'
import { begin, current, doing, watchAnswer, watchConnection, watchConversation } from './conversation.js'
import { keepEnd } from './scroll.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

export function startChat({ client, demo }) {
  const [entries, text] = [$('#entries'), $('#text')]
  const { follow, jump } = keepEnd($('#log'), entries, $('#latest'))
  let answer // the last one, and what it looks like now
  let view
  let asked // the entry of the last question
  let editing // the question that is changed, if one is
  let attached // the pictures of the next message
  let choosing // the version that was asked for: { at, index, step }
  let settings = {}
  let configured = Promise.resolve(true) // what is asked now is answered with what was chosen before
  let { protocols } = demo

  attached = startAttaching({ chat: $('#chat'), text, button: $('#attach'), input: $('#files'), tray: $('#tray') }, { onChange: showState, refuse: showTrouble })

  // -- what was said --------------------------------------------------------------------------------------------------------

  let shown = { id: undefined, bubbles: new Map() } // by the ids of the entries, in their order: what the host forgets keeps its place here
  let unsaved // what the host could not save, as long as it cannot
  watchConversation(client, ({ id, entries: list, unsaved: trouble }) => {
    if (trouble !== unsaved) showTrouble(trouble === undefined ? '' : word('unsaved') + trouble)
    unsaved = trouble
    const known = list.some((entry) => shown.bubbles.has(entry.id))
    if (id !== shown.id || (!known && shown.bubbles.size > 0)) {
      entries.replaceChildren()
      shown = { id, bubbles: new Map() }
    }
    const other = forgetBranch(list)
    const fresh = list.filter((entry) => !shown.bubbles.has(entry.id))
    for (const entry of fresh) {
      const bubble = entry.role === 'user' ? mine(entry, client.open(id)) : theirs(client.message(entry.message))
      const versions = makeVersions((name, step) => acts[name](entry, step))
      if (entry.role === 'user') versions.add('edit', '✎')
      else versions.add('again', '↻')
      bubble.append(versions.line)
      shown.bubbles.set(entry.id, { bubble, versions })
      entries.append(bubble)
    }
    for (const { id, branch } of list) shown.bubbles.get(id).versions.show(branch)
    asked = list.findLast(({ role }) => role === 'user')
    $('#welcome').hidden = list.length > 0
    $('#strip').hidden = list.length === 0
    if (fresh.length > 0 && !other) jump()
    tellVersion(list)
    showState()
  })

  /** Takes away what belongs to a branch that is no longer shown. True if there was any. */
  function forgetBranch(list) {
    const ids = new Set(list.map(({ id }) => id))
    let [known, other] = [false, false]
    for (const [id, { bubble }] of shown.bubbles) {
      if (ids.has(id)) known = true
      else if (known) {
        bubble.remove()
        shown.bubbles.delete(id)
        other = true
      }
    }
    return other
  }

  /** The version that a person asked for is there: the focus goes on from where it was, and it is read out. */
  function tellVersion(list) {
    const entry = choosing && list[choosing.at]
    if (!entry?.branch || entry.branch.index !== choosing.index) return
    shown.bubbles.get(entry.id).versions.focus(choosing.step)
    choosing = undefined
    setText($('#version'), word('version').replace('{}', entry.branch.index + 1).replace('{}', entry.branch.count))
  }

  const acts = {
    choose({ id }, step) {
      const { branch } = shown.bubbles.get(id).versions
      const at = client.open(current()).getSnapshot().entries.findIndex((entry) => entry.id === id)
      choosing = { at, index: branch.index + step, step }
      return attempt(() => client.choose(id, branch.index + step))
    },
    async again({ id }) {
      if (doing(view) !== 'idle') return
      await configured
      if (await attempt(() => client.regenerate(id))) $('#log').focus({ preventScroll: true })
    },
    edit(entry) {
      editing = entry.id
      text.value = entry.text
      hint('editing')
      showState()
      text.focus()
    },
  }

  function leaveEdit() {
    editing = undefined
    text.value = ''
    hint()
    showState()
  }

  // -- what goes on ---------------------------------------------------------------------------------------------------------

  watchAnswer(client, (now, live) => {
    const before = view?.outcome
    view = now
    answer = live
    showState()
    if (now?.outcome !== before || !now) offer()
  })
  watchConnection(client, showState)

  function showState() {
    const { connection } = client
    const state = connection.state === 'connected' ? doing(view) : 'offline'
    $('#chat').dataset.state = state
    setText($('#status'), word(state)) // what an answer is up to is read out by its message
    setText($('#told'), state === 'offline' || $('#told').textContent !== '' ? word(state === 'offline' ? state : 'online') : '')
    const busy = state !== 'idle'
    const answers = busy && state !== 'offline' // what can be stopped
    $('#stop').hidden = !answers
    $('#send').hidden = answers
    $('#send').disabled = busy || (text.value.trim() === '' && !(attached?.files.length > 0))
    for (const button of document.querySelectorAll('.scene')) button.disabled = busy
    for (const line of document.querySelectorAll('.versions')) line.inert = busy
    $('#strip').inert = busy
    $('#offline').hidden = state !== 'offline'
    if (state === 'offline') {
      const seconds = Math.max(0, Math.ceil(((connection.retryAt ?? 0) - Date.now()) / 1000))
      setText($('#offline-text'), connection.retryAt === undefined || seconds === 0 ? word('offlineNow') : word('offlineIn').replace('{}', seconds))
    }
    if (editing === undefined && (!busy || $('#hint').dataset.t === 'offlineHint' !== (state === 'offline'))) hint()
  }

  $('#retry').addEventListener('click', () => client.connection.retry())

  /** What Enter did, where it did not send. */
  function hint(name) {
    $('#hint').hidden = name === undefined
    $('#hint').dataset.t = name ?? ''
    setText($('#hint'), name === undefined ? '' : word(name))
  }

  /** After a provider refused the tools: the way on is one button, and it is the person's. */
  function offer() {
    const refused = view?.outcome === 'failed' && view.blocks.some((block) => block?.type === 'error' && block.code === 'tools_unsupported')
    const buttons = []
    const again = () => (asked.parts ? attempt(() => client.regenerate(asked.id)) : say(asked.text)) // with the same pictures
    if (refused) buttons.push(['switchToText', async () => (await configure({ mode: 'text' })) && again()])
    else if (view?.outcome === 'failed') buttons.push(['askAgain', again])
    $('#next').replaceChildren(...buttons.map(([name, act], index) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = index === 0 && refused ? 'primary' : 'secondary'
      button.dataset.t = name
      button.textContent = word(name)
      button.addEventListener('click', () => {
        button.disabled = true
        void act().then((done) => (button.disabled = done !== false))
      })
      return button
    }))
    follow()
  }

  // -- what a person says ---------------------------------------------------------------------------------------------------

  async function say(words, parts = []) {
    if ((words.trim() === '' && parts.length === 0) || doing(view) !== 'idle') return false
    await configured
    return attempt(() => client.send({ text: words, conversation: current(), ...(parts.length > 0 ? { parts } : {}) }))
  }

  function showTrouble(words) {
    $('#trouble').textContent = words
    $('#trouble').hidden = words === ''
  }

  /** False, and the reason on the page, where it fails. */
  async function attempt(act) {
    showTrouble('')
    try {
      await act()
      return true
    } catch (error) {
      showTrouble([word('failed') + (error.detail ?? error.message), error.hint].filter(Boolean).join(' '))
      return false
    }
  }

  $('#compose').addEventListener('submit', async (event) => {
    event.preventDefault()
    const words = text.value
    const state = $('#chat').dataset.state
    const { files } = attached
    if ((words.trim() !== '' || files.length > 0) && state !== 'idle') return hint(state === 'offline' ? 'offlineHint' : 'busyHint')
    if (editing !== undefined) {
      if (words.trim() !== '' && (await attempt(() => client.edit(editing, words)))) leaveEdit()
    } else if (await say(words, files)) {
      if (text.value === words) text.value = ''
      if (files.length > 0) attached.clear()
      showState()
    } else return
    text.focus()
  })
  text.addEventListener('input', showState)
  text.addEventListener('keydown', (event) => {
    if (event.isComposing) return // Enter takes what an input method offers
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !$('#stop').hidden) {
      event.preventDefault()
      if (!event.repeat) void instead()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (!event.repeat) $('#compose').requestSubmit()
    } else if (event.key === 'Escape' && doing(view) !== 'idle') stop()
    else if (event.key === 'Escape' && editing !== undefined) leaveEdit()
  })
  const stop = () => attempt(() => answer.cancel())
  /** Stops the answer, and sends what is written. */
  async function instead() {
    const done = answer.done.catch(() => {})
    if (text.value.trim() === '' || !(await stop())) return
    await done
    $('#compose').requestSubmit()
  }
  $('#strip').addEventListener('wheel', (event) => {
    if (event.deltaX !== 0 || event.shiftKey) return // a wheel that goes sideways does so by itself
    event.preventDefault()
    $('#strip').scrollLeft += event.deltaY
  }, { passive: false })
  $('#stop').addEventListener('click', () => {
    void stop()
    text.focus()
  })
  $('#new').addEventListener('click', () => {
    if (editing !== undefined) leaveEdit()
    begin()
    text.focus()
  })

  // -- scenes ---------------------------------------------------------------------------------------------------------------

  onLook(() => {
    const groups = ['talk', 'pet', 'approval', 'trouble'].map((group) => {
      const title = document.createElement('h3')
      title.textContent = word(group === 'pet' ? 'petGroup' : group)
      const cards = document.createElement('div')
      cards.className = 'cards'
      cards.append(...demo.scenarios.filter((scene) => scene.group === group).map((scene) => sceneButton(scene, true)))
      return [title, cards]
    })
    $('#scenes').replaceChildren(...groups.flat())
    $('#strip').replaceChildren(...demo.scenarios.map((scene) => sceneButton(scene, false)))
    for (const { versions } of shown.bubbles.values()) versions.show(versions.branch)
    showState()
    showHow()
  })

  function sceneButton({ id, title, question }, large) {
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.scene = id
    const name = document.createElement(large ? 'strong' : 'span')
    name.textContent = title[look.language]
    button.append(name)
    if (large) {
      button.className = 'scene'
      const quote = document.createElement('span')
      quote.textContent = question[look.language]
      button.append(quote)
    } else button.title = question[look.language]
    button.addEventListener('click', async () => {
      if (await say(question[look.language])) $('#log').focus({ preventScroll: true }) // where a question may take it
    })
    return button
  }

  // -- how tools are called -------------------------------------------------------------------------------------------------

  function configure(settings) {
    return (configured = attempt(async () => readSettings(await client.configure({ settings }))))
  }

  function readSettings(configuration) {
    settings = { ...configuration.defaults, ...configuration.settings }
    protocols = configuration.protocols
    showHow()
  }

  function showHow() {
    const mode = settings.mode ?? 'auto'
    for (const radio of document.querySelectorAll('#modes input')) radio.checked = radio.value === mode
    $('.protocol').classList.toggle('idle', mode !== 'text')
    const chosen = idOf(settings.protocol)
    const scripted = protocols.length > 0 ? demo.protocols.filter((id) => protocols.includes(id)) : demo.protocols
    const others = protocols.filter((id) => !scripted.includes(id)).sort((a, b) => a.localeCompare(b, 'en'))
    $('#protocol').replaceChildren(group(word('inScript'), scripted), ...byLetter(others).map(([letters, ids]) => group(`${word('otherProtocols')} ${letters}`, ids)))
    if (![...scripted, ...others].includes(chosen)) $('#protocol').append(new Option(chosen))
    $('#protocol').value = chosen
  }

  function group(label, ids) {
    const element = document.createElement('optgroup')
    element.label = label
    element.append(...ids.map((id) => new Option(id)))
    return element
  }

  const refresh = () => attempt(async () => readSettings(await client.configuration()))
  $('#modes').addEventListener('change', ({ target }) => configure({ mode: target.value }))
  $('#protocol').addEventListener('change', ({ target }) => configure({ protocol: target.value }))
  addEventListener('focus', refresh) // another window may have changed them
  void refresh()

  text.focus()
  return { refresh }
}

const idOf = (protocol) => (Array.isArray(protocol) ? idOf(protocol[0]) : protocol?.id ?? protocol ?? 'vcp')

/** A long list in groups: typing the first letters of a name finds it in each. */
function byLetter(ids) {
  const groups = ['A–F', 'G–L', 'M–R', 'S–Z'].map((letters) => [letters, ids.filter((id) => {
    const first = id[0].toUpperCase()
    return letters[0] <= first && first <= letters[2]
  })])
  return groups.filter(([, of]) => of.length > 0)
}

/** What a person wrote, and the pictures beside it; a long text is folded until somebody wants to see it. */
function mine({ text, parts }, conversation) {
  const bubble = document.createElement('div')
  bubble.className = 'mine'
  const who = document.createElement('span')
  who.className = 'quiet'
  who.dataset.t = 'you'
  who.textContent = word('you')
  const words = document.createElement('div')
  words.className = 'words-of-mine'
  words.textContent = text
  bubble.append(who, ...(parts ? [picturesOf(conversation, parts)] : []), words)
  if (text.length > longText || text.split('\n').length > longLines) bubble.append(fold(words))
  return bubble
}

const longText = 1200
const longLines = 14

function fold(words) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'unfold'
  const show = (open) => {
    words.classList.toggle('folded', !open)
    button.setAttribute('aria-expanded', String(open))
    button.dataset.t = open ? 'showLess' : 'showMore'
    button.textContent = word(button.dataset.t)
  }
  button.addEventListener('click', () => show(words.classList.contains('folded')))
  show(false)
  return button
}

function theirs(message) {
  const bubble = document.createElement('div')
  bubble.className = 'theirs'
  const element = document.createElement('sluice-message')
  element.message = message
  bubble.append(element)
  return bubble
}

/** Nothing to do, and nothing to say for a screen reader, where it is there already. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}
