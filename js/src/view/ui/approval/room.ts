// Fits the part of a question between its head and its buttons into the room that there is, so that these two are
// always in view.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { scrollers } from './in-view.js'

/** The smallest height of the part between head and buttons, in pixels. */
const LEAST = 48
/** The share of the window's height that a dock takes at most; with little room all of it. */
const DOCKED = 0.6
/** With less room than this, in pixels, the question is drawn more tightly. */
const LOW = 480

export class Room implements ReactiveController {
  /** There is little room. */
  low = innerHeight < LOW
  readonly #observer = new ResizeObserver(() => this.#fit())

  /** `docked`: the question stands in a dock. */
  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement & { readonly renderRoot: ParentNode },
    private readonly docked: () => boolean,
  ) {
    host.addController(this)
  }

  hostConnected(): void {
    addEventListener('resize', this.#fit)
  }

  hostDisconnected(): void {
    removeEventListener('resize', this.#fit)
    this.#observer.disconnect()
  }

  hostUpdated(): void {
    this.#observer.disconnect()
    if (!this.host.isConnected) return
    const scroll = this.host.renderRoot.querySelector('.scroll')
    if (scroll) for (const around of [...scrollers(scroll)].slice(0, 1)) this.#observer.observe(around)
    const dock = this.docked() && this.host.closest('.dock')
    if (dock) this.#observer.observe(dock)
    this.#fit()
  }

  readonly #fit = (): void => {
    const question = this.host.renderRoot.querySelector<HTMLElement>('.question')
    const scroll = question?.querySelector<HTMLElement>('.scroll')
    if (!question || !scroll) return
    const docked = this.docked()
    const dock = this.host.closest('.dock')
    const [around] = scrollers(this.host)
    const rest = question.offsetHeight - scroll.offsetHeight
    const zoom = question.getBoundingClientRect().height / question.offsetHeight || 1 // that of a style of the page
    const inner = innerHeight / zoom
    const room = Math.min(around?.clientHeight ?? Infinity, inner)
    // A chat that is lower than its window gives its dock less.
    const most = docked && dock ? parseFloat(getComputedStyle(dock).maxHeight) : NaN
    const share = docked ? (most || inner * (inner < LOW ? 1 : DOCKED)) - rest - 2 : 0.6 * inner
    const height = `${Math.max(LEAST, Math.round(Math.min(room - rest - 16, share)))}px`
    if (this.low !== room < LOW) {
      this.low = room < LOW
      this.host.requestUpdate()
    }
    if (scroll.style.maxHeight !== height) {
      scroll.style.setProperty('max-height', height)
      scroll.style.setProperty('--_room', height)
    }
    const scrolls = scroll.scrollHeight > scroll.clientHeight + 1
    if (scrolls === (scroll.tabIndex !== 0)) scroll.tabIndex = scrolls ? 0 : -1
  }
}
