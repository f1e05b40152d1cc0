// The end of the log stays in sight, unless a person looks further up.

/** `content` is what grows in `log`; `latest` leads back to the end. */
export function keepEnd(log, content, latest) {
  let sticks = true
  let top = 0
  const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 40
  const follow = () => {
    if (sticks) log.scrollTop = content.firstChild ? log.scrollHeight : 0
    latest.hidden = sticks || atEnd()
  }
  const jump = () => {
    sticks = true
    follow()
  }
  log.addEventListener('scroll', () => {
    if (log.scrollTop < top - 2) sticks = atEnd() // what grows never scrolls up: it was a person
    else if (atEnd()) sticks = true
    top = log.scrollTop
    latest.hidden = sticks || atEnd()
  }, { passive: true })
  latest.addEventListener('click', jump)
  // Whoever opens a card wants to read it where it stands.
  content.addEventListener('click', (event) => {
    if (event.composedPath().some((element) => element instanceof Element && element.hasAttribute('aria-expanded'))) sticks = false
  })
  const sizes = new ResizeObserver(follow)
  sizes.observe(content)
  sizes.observe(log)
  return { follow, jump }
}
