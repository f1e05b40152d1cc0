// The line below a question or an answer: which of its versions is shown, and ways to another one.
import { word } from './words.js'

/** The line of an entry. `act(name, step)` does what a button says: `choose`, `again` or `edit`. */
export function makeVersions(act) {
  const line = document.createElement('div')
  line.className = 'versions'
  const [before, count, behind] = [arrow('previousVersion', '‹', -1), document.createElement('span'), arrow('nextVersion', '›', 1)]
  const group = document.createElement('div')
  group.setAttribute('role', 'group')
  group.append(before, count, behind)
  group.addEventListener('keydown', ({ key }) => {
    const way = { ArrowLeft: before, ArrowRight: behind }[key]
    if (way && way.getAttribute('aria-disabled') === 'false') way.click()
  })
  line.append(group)
  let shown

  function arrow(name, sign, step) {
    const button = labelled(name, sign)
    button.addEventListener('click', () => button.getAttribute('aria-disabled') === 'false' && act('choose', step))
    return button
  }

  return {
    line,
    /** Adds a button for what else can be done with the entry. */
    add(name, sign) {
      const button = labelled(name, sign)
      button.addEventListener('click', () => act(name))
      line.append(button)
    },
    /** `branch` of the entry. Arrows that lead nowhere keep the focus. */
    show(branch) {
      shown = branch
      group.hidden = branch === undefined
      if (branch === undefined) return
      const { index, count: all } = branch
      count.textContent = `${index + 1} / ${all}`
      group.setAttribute('aria-label', word('version').replace('{}', index + 1).replace('{}', all))
      before.setAttribute('aria-disabled', String(index === 0))
      behind.setAttribute('aria-disabled', String(index + 1 === all))
    },
    get branch() { return shown },
    focus(step) {
      ;(step < 0 ? before : behind).focus({ preventScroll: true })
    },
  }
}

function labelled(name, sign) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: sign, title: word(name) })
  button.dataset.label = name
  button.setAttribute('aria-label', word(name))
  return button
}
