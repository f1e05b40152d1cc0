// What a person can see of an element: what is in view of it, with nothing over it and no style that hides it. An
// IntersectionObserver knows only of the first; it says when to look. Chromium's also says whether it is sure that
// nothing is painted over an element. It is not sure under any opacity, filter or neighbour's shadow, so its doubt only
// makes the look a closer one.
import { elementsAt, paints, withEveryLayer } from './layers.js'
import { isReadable } from './readable.js'

/** Which share of an element has to be in view; of one that is higher than its room, which share of the room. */
const ENOUGH = 0.9
const OF_ROOM = 0.8
/**
 * How far apart at least the points are that are asked for what lies over them, in pixels, how many at most in a
 * direction, and how far from an edge.
 */
const ACROSS = 120
const DOWN = 12
const POINTS = { across: 5, down: 12 }
const EDGE = 1.5

/**
 * Options of an observer that reports for `isInView` and `noteDoubt`. Chromium demands a delay of at least 100 ms for
 * the latter.
 */
export const observing = {
  threshold: [0, 0.25, 0.5, 0.75, 0.9, 1],
  trackVisibility: true,
  delay: 100,
} satisfies IntersectionObserverInit & { trackVisibility: boolean; delay: number }

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Whether nearly all of an element is in view, or nearly all that there is room for. */
export function isInView({
  target,
  isIntersecting,
  intersectionRect,
  boundingClientRect,
}: IntersectionObserverEntry): boolean {
  return isIntersecting && isEnough(target, intersectionRect.height, boundingClientRect.height)
}

/** Elements of which the browser doubts that nothing is painted over them. Those that cannot tell never doubt. */
const doubtful = new WeakSet<Element>()

/** To be called with every entry of an observer that is `observing`, before `isSeen` and `viewsOf`. */
export function noteDoubt({ target, isVisible }: IntersectionObserverEntry & { isVisible?: boolean }): void {
  if (isVisible === false) doubtful.add(target)
  else doubtful.delete(target)
}

/** Whether nearly all of an element is in view now, and a person can see it. */
export function isSeen(target: Element): boolean {
  const view = viewsOf([target]).get(target)
  return view !== undefined && isEnough(target, view.bottom - view.top, target.getBoundingClientRect().height)
}

const isEnough = (target: Element, seen: number, height: number): boolean =>
  seen >= Math.min(ENOUGH * height, OF_ROOM * room(target))

/** What can be seen now of these elements, which stand in one shadow root. What can be seen nothing of is left out. */
export function viewsOf(targets: readonly Element[]): Map<Element, Box> {
  const views = new Map<Element, Box>()
  for (const target of targets) {
    const view = viewOf(target)
    if (view) views.set(target, view)
  }
  const covers = coversOf(views)
  if (targets.some((target) => doubtful.has(target))) covers.push(...withEveryLayer(() => coversOf(views, true)))
  for (const cover of covers) {
    for (const [target, view] of views) {
      const rest = without(view, cover)
      if (rest.bottom > rest.top) views.set(target, rest)
      else views.delete(target)
    }
  }
  return views
}

/** The part of an element that is in view. Lines that are cut off at their side are not. */
function viewOf(target: Element): Box | undefined {
  if (!target.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return undefined
  const whole = target.getBoundingClientRect()
  const own = getComputedStyle(target)
  let view = meet(whole, shownOfPage())
  const styles = [own]
  let free = own.position === 'fixed'
  for (const around of ancestors(target)) {
    const style = getComputedStyle(around)
    styles.push(style)
    if (!free && !isPage(around) && (style.overflowX !== 'visible' || style.overflowY !== 'visible'))
      view = meet(view, around.getBoundingClientRect())
    free ||= style.position === 'fixed' // as dialogs are: what it stands in clips it no more
  }
  return isReadable(styles, scaleOf(target, whole)) &&
    view.right - view.left >= ENOUGH * whole.width &&
    view.bottom >= view.top
    ? view
    : undefined
}

const scaleOf = (target: Element, { width }: DOMRect): number => width / (target as HTMLElement).offsetWidth || 1

/**
 * What lies over these elements. Points are asked for all of them together: each costs as much as there is in a
 * question.
 */
function coversOf(views: ReadonlyMap<Element, Box>, everyLayer = false): Box[] {
  const [first] = views.keys()
  if (!first) return []
  const { left, top, right, bottom } = [...views.values()].reduce(join)
  const around = new Set<Node>([first.getRootNode(), ...ancestors(first)])
  const isOwn = (found: Element): boolean => around.has(found) || around.has(found.getRootNode())
  const covers = new Map<Element, Box>()
  for (const y of between(top, bottom, DOWN, POINTS.down)) {
    for (const x of between(left, right, ACROSS, POINTS.across)) {
      let found = topmost(x, y)
      if (everyLayer && found && !isOwn(found) && !paints(found))
        found = elementsAt(x, y).find((one) => isOwn(one) || paints(one))
      if (!found || covers.has(found) || isOwn(found)) continue
      const box = found.getBoundingClientRect()
      // boxes are drawn on whole pixels
      const within = x >= box.left - EDGE && x <= box.right + EDGE && y >= box.top - EDGE && y <= box.bottom + EDGE
      covers.set(found, within ? box : shownOfPage()) // what lies behind a dialog is larger than the dialog
    }
  }
  return [...covers.values()]
}

function* between(from: number, to: number, apart: number, most: number): Generator<number> {
  const steps = Math.max(1, Math.min(most - 1, Math.ceil((to - from) / apart)))
  for (let step = 0; step <= steps; step++) yield from + EDGE + ((to - from - 2 * EDGE) * step) / steps
}

/** The element at a point, through shadow roots: much faster than all of them. */
const topmost = (x: number, y: number, root: Document | ShadowRoot = document): Element | null | undefined => {
  const found = root.elementFromPoint(x, y)
  return found?.shadowRoot && found.shadowRoot !== root ? (topmost(x, y, found.shadowRoot) ?? found) : found
}

/** What is shown of the page: less than the window where a person zoomed in with two fingers. */
function shownOfPage(): Box {
  const { offsetLeft: left = 0, offsetTop: top = 0, width = innerWidth, height = innerHeight } = visualViewport ?? {}
  return { left, top, right: left + width, bottom: top + height }
}

const join = (a: Box, b: Box): Box => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
})
const meet = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
})

/** What is left of a view above or below what lies over it: the larger part. */
function without(view: Box, cover: Box): Box {
  if (cover.left >= view.right || cover.right <= view.left || cover.top >= view.bottom || cover.bottom <= view.top)
    return view
  return cover.top - view.top > view.bottom - cover.bottom
    ? { ...view, bottom: Math.max(view.top, cover.top) }
    : { ...view, top: Math.min(view.bottom, cover.bottom) }
}

/** The height available to an element as it is drawn: that of the window, or of the scroller around it. */
function room(element: Element): number {
  let height = visualViewport?.height ?? innerHeight
  for (const around of scrollers(element)) height = Math.min(height, around.getBoundingClientRect().height)
  return height
}

const isPage = (element: Element): boolean => element === document.documentElement || element === document.body

/** The scrollers around an element, across shadow roots. */
export function* scrollers(element: Element): Generator<Element> {
  for (const around of ancestors(element))
    if (!isPage(around) && /auto|scroll/.test(getComputedStyle(around).overflowY)) yield around
}

/** What an element stands in as it is drawn, across shadow roots and slots. */
function* ancestors(element: Element): Generator<Element> {
  const outer = (node: Node): Node | null =>
    (node as Element).assignedSlot ?? node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null
  for (let node = outer(element); node; node = outer(node)) if (node instanceof Element) yield node
}
