// A person who looks at a question, and an observer of what was in view meanwhile that knows nothing of how the
// elements find it out.

const surfaces = {
  inline: ([first]) => [show(live, {}), first],
  dock: ([first]) => [questions(), first],
  checklist: ([first, second]) => [questions(), first, second],
  dialog: ([first]) => [show(live, { approvals: 'dialog' }), first],
  'dialog checklist': ([first, second]) => [show(live, { approvals: 'dialog' }), first, second],
  bubble: ([first]) => [bubble(), first],
}

function questions() {
  const element = Object.assign(document.createElement('sluice-questions'), { message: live })
  document.querySelector('#stage').append(element)
  return element
}

/** The question as the bubble of a pet draws it. */
function bubble() {
  const element = document.createElement('div')
  live.subscribe(() => {
    const {
      questions: [ask],
      blocks,
    } = live.getSnapshot()
    if (ask && !element.firstChild)
      element.append(
        Object.assign(document.createElement('sluice-approval'), {
          ask,
          card: blocks[0],
          message: live,
          compact: true,
          name: 'Lulu',
        }),
      )
  })
  document.querySelector('#stage').append(element)
  return element
}

/** Asks one question anew, on a surface. `json`: the arguments. */
async function askOn(surface, { json, ask, card }) {
  document.querySelector('#stage').replaceChildren()
  window.live = new Live()
  const asked = [asking(0, 'shell.run', JSON.parse(json), { ask, card }), asking(1, 'notes.add', { text: 'x' })]
  const [element, ...deltas] = surfaces[surface](asked)
  window.element = element
  live.push(...deltas.flat())
  for (let tries = 0; !approval() && tries < 50; tries++) await frames(1)
  await approval().updateComplete
}

/** The first question, wherever it stands. */
const approval = () =>
  element.querySelector('sluice-approval') ??
  [element, ...(element.renderRoot?.querySelectorAll('sluice-questions, sluice-card') ?? [])]
    .map((one) => one.renderRoot?.querySelector('sluice-approval'))
    .find(Boolean)
const yes = () => approval().renderRoot.querySelector('.tick, .approve')
const canBeAllowed = () => yes().ariaDisabled === 'false'

/** Every line that is drawn of a question, with what of it was not in view yet. */
class Observed {
  #seen = new Map()

  look() {
    const root = approval().renderRoot
    const scroll = root.querySelector('.scroll').getBoundingClientRect()
    const { left, right, top, bottom } = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
    for (const line of root.querySelectorAll('.line, dt, .hidden, .about, .notice, .head > *:not(.counts)')) {
      const rects = rowsOf(line)
      const before = this.#seen.get(line)
      // Once all was seen less is drawn around it, and its rows wrap anew.
      if (before?.length !== rects.length)
        this.#seen.set(
          line,
          rects.map(() => before?.length > 0 && !before.includes(false)),
        )
      const box = line.getBoundingClientRect()
      const x = (box.left + box.right) / 2 // blanks at the end of a row hang over the edge
      const within = line.closest('.scroll') ? scroll : { top, bottom, left, right }
      for (const [at, rect] of rects.entries()) {
        const y = (rect.top + rect.bottom) / 2
        if (y > Math.max(top, within.top) && y < Math.min(bottom, within.bottom) && x > left && x < right)
          this.#seen.get(line)[at] = true
      }
    }
  }

  get unseen() {
    return [...this.#seen]
      .filter(([line, rows]) => line.isConnected && rows.includes(false))
      .map(([line]) => line.textContent.slice(0, 60))
  }
}

/** The rows of a text as it is wrapped. */
function rowsOf(element) {
  const range = document.createRange()
  range.selectNodeContents(element)
  return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
}

/**
 * Looks through a question, screen by screen, until it can be allowed: what was never in view then, and what stands in
 * the way after 60 s.
 */
async function lookThrough(observed) {
  for (const end = Date.now() + 60_000; Date.now() < end; await frames(1)) {
    observed.look()
    if (canBeAllowed()) return { unseen: observed.unseen }
    const { renderRoot } = approval()
    const all = [...renderRoot.querySelectorAll('.lines .more')].find((button) => !button.dataset.clicked)
    const more = renderRoot.querySelector('.missing .more')
    if (all) {
      all.dataset.clicked = 'yes'
      all.click()
    } else if (more) more.click()
    else renderRoot.querySelector('.question').scrollIntoView({ block: 'nearest' })
  }
  return { unseen: observed.unseen, stuck: approval().renderRoot.querySelector('.question').innerText.slice(-300) }
}

/** As long as arming would take, by the page's own clock and frames. */
const enough = () => new Promise((resolve) => setTimeout(() => frames(3).then(resolve), 1500))

/**
 * One way to hide on one surface: what a person sees of it, whether it could be allowed too early, and what is wrong in
 * the end.
 */
async function tried(surface, request) {
  const several = surface.endsWith('checklist')
  await askOn(surface, request)
  const observed = new Observed()
  const { renderRoot } = approval()
  const drawn = renderRoot.querySelector('.question').innerText
  element.scrollIntoView({ block: 'nearest' })
  observed.look()
  let early = false
  const folded = request.about && (several || innerHeight < 480)
  if ((request.long || request.cut) && !folded) {
    await enough()
    early = canBeAllowed()
    yes().click()
  }
  if (request.tall && (innerWidth < 900 || surface !== 'inline')) return { drawn, early, answers: live.answers }
  // In a checklist what nobody reads has no tick: its own button is held.
  const looked = request.unread && several ? { unseen: [] } : await lookThrough(observed)
  if (request.unread) yes().click()
  const parts = several ? [] : ['.head', '.deciding']
  const apart = parts.filter((part) => {
    const { top, bottom, height } = renderRoot.querySelector(part).getBoundingClientRect()
    return Math.min(bottom, innerHeight) - Math.max(top, 0) < 0.9 * height - 1
  })
  return {
    drawn,
    early,
    ...looked,
    apart,
    sideways: document.documentElement.scrollWidth > innerWidth,
    answers: live.answers,
  }
}

Object.assign(window, { tried, askOn, approval, yes, canBeAllowed, enough, lookThrough, Observed })
