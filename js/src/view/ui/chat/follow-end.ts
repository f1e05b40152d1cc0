// The end of a log stays in sight, unless a person looks further up.

/** This far from the end is the end. */
const NEAR = 40
/** A scroll so soon after a key, a wheel or a finger is a person's, in milliseconds. */
const MEANT_MS = 800
/** So long after a jump to the end a scroll may be the rest of one that was on its way before, in milliseconds. */
const REST_MS = 1000
/** A pointer that is pressed and moves so far selects text. */
const DRAG = 4

const acts = ['wheel', 'keydown', 'pointerdown', 'touchmove'] as const

export class FollowEnd {
  /** The end is followed. */
  sticks = true
  /** So many heights from the end are not away: what leads back would lie over a question. */
  slack = 0
  readonly #changed: () => void
  readonly #scrolled: (scroller: HTMLElement) => void
  #scroller: HTMLElement | undefined
  #content: HTMLElement | undefined
  #top = 0
  #height = 0
  /** When a person last did something here. */
  #meantAt = -Infinity
  #jumpedAt = -Infinity
  #away = false
  #pressed: { x: number; y: number } | undefined
  #sizes: ResizeObserver | undefined

  /** `changed` is called when `sticks` or `away` changed, `scrolled` when a person scrolled. */
  constructor(changed: () => void, scrolled: (scroller: HTMLElement) => void) {
    this.#changed = changed
    this.#scrolled = scrolled
  }

  /** The end is out of sight. */
  get away(): boolean {
    return this.#away
  }

  /** `content` is what grows in `scroller`. */
  attach(scroller: HTMLElement, content: HTMLElement): void {
    if (this.#scroller) return
    this.#scroller = scroller
    this.#content = content
    scroller.addEventListener('scroll', this.#onScroll, { passive: true })
    for (const type of acts) scroller.addEventListener(type, this.#onAct, { passive: true })
    content.addEventListener('click', this.#onClick)
    content.addEventListener('pointerdown', this.#onPress)
    content.addEventListener('pointermove', this.#onMove)
    this.#sizes = new ResizeObserver(() => {
      this.follow()
      this.#remember(scroller) // what grew at the end took it further away
    })
    this.#sizes.observe(content)
    this.#sizes.observe(scroller)
  }

  detach(): void {
    this.#sizes?.disconnect()
    this.#scroller?.removeEventListener('scroll', this.#onScroll)
    for (const type of acts) this.#scroller?.removeEventListener(type, this.#onAct)
    this.#content?.removeEventListener('click', this.#onClick)
    this.#content?.removeEventListener('pointerdown', this.#onPress)
    this.#content?.removeEventListener('pointermove', this.#onMove)
    this.#scroller = this.#content = undefined
  }

  /** Shows the end, and follows it again. */
  jump(): void {
    this.sticks = true
    this.#jumpedAt = performance.now()
    this.follow()
    this.#changed()
  }

  /** Where nothing was said yet, what stands there instead is shown from its beginning. */
  follow(): void {
    if (this.#scroller && this.sticks && this.#content?.childElementCount) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight
      this.#remember(this.#scroller)
    }
    this.#look()
  }

  #remember({ scrollTop, scrollHeight }: HTMLElement): void {
    this.#top = scrollTop
    this.#height = scrollHeight
  }

  #letGo(): void {
    if (!this.sticks) return
    this.sticks = false
    this.#changed()
  }

  get #atEnd(): boolean {
    return this.#within(NEAR)
  }

  #within(distance: number): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller as HTMLElement
    return scrollHeight - scrollTop - clientHeight < distance
  }

  #look(): void {
    const away =
      this.#scroller !== undefined &&
      !this.sticks &&
      !this.#within(Math.max(NEAR, this.slack * this.#scroller.clientHeight))
    if (away === this.#away) return
    this.#away = away
    this.#changed()
  }

  readonly #onScroll = (): void => {
    const scroller = this.#scroller as HTMLElement
    if (this.#rest) return this.follow()
    const { scrollTop, scrollHeight } = scroller
    const before = this.sticks
    // What grows never scrolls up, and what shrinks takes its height along: it was a person.
    const person = scrollHeight >= this.#height || performance.now() - this.#meantAt < MEANT_MS
    if (scrollTop < this.#top - 2 && person) this.sticks = this.#atEnd
    // what comes in above brings the end no nearer
    else if (this.#height - this.#top - (scrollHeight - scrollTop) >= 1 && this.#atEnd) this.sticks = true
    this.#remember(scroller)
    if (this.sticks !== before) this.#changed()
    this.#look()
    this.#scrolled(scroller)
  }

  /** A smooth scroll that began before a jump goes on for a moment: nobody asked for it since. */
  get #rest(): boolean {
    return this.sticks && this.#meantAt < this.#jumpedAt && performance.now() - this.#jumpedAt < REST_MS && !this.#atEnd
  }

  readonly #onAct = (): void => {
    this.#meantAt = performance.now()
  }

  /** Whoever opens something wants to read it where it stands. */
  readonly #onClick = (event: Event): void => {
    if (
      event
        .composedPath()
        .some((one) => one instanceof Element && (one.hasAttribute('aria-expanded') || one.localName === 'summary'))
    )
      this.#letGo()
  }

  readonly #onPress = ({ clientX: x, clientY: y }: PointerEvent): void => {
    this.#pressed = { x, y }
  }

  readonly #onMove = ({ clientX, clientY, buttons }: PointerEvent): void => {
    if (buttons !== 1) this.#pressed = undefined
    else if (this.#pressed && Math.hypot(clientX - this.#pressed.x, clientY - this.#pressed.y) > DRAG) this.#letGo()
  }
}
