// Presses of buttons that decide. A click counts only where its press began on the same button, while that button was
// armed for the same question. A click without a press, as assistive technology makes it, counts where the button is
// armed.

/** What a button decides now: the question, and whether it takes an answer. */
export interface Decides {
  question: string
  armed: boolean
}

/** What a click comes to: it counts, its button takes nothing yet, or its press was for another question. */
export type Click = 'counts' | 'early' | 'changed'

interface Press extends Partial<Decides> {
  /** The button that it began on, if it decides. */
  button?: EventTarget | undefined
  /** It was let go. A click of a finger comes later. */
  over?: boolean
}

const deciding = new WeakMap<EventTarget, () => Decides>()
/** By key, or by the number of the pointer; the latest is the last. */
const presses = new Map<string | number, Press>()

/** Names what a button decides: to be called before its first press. */
export function decides(button: EventTarget | null | undefined, what: () => Decides): void {
  if (button) deciding.set(button, what)
}

/** Judges a click on a button that `decides` was called for. A press counts once. */
export function clickOf(event: Event): Click {
  const button = event.currentTarget as EventTarget
  const now = deciding.get(button)?.()
  const press = pressOf(event as PointerEvent)
  const { question, armed } = press ?? now ?? {}
  if (!now || (press && (press.button !== button || question !== now.question))) return 'changed'
  if (press) press.armed = false
  return armed && now.armed ? 'counts' : 'early'
}

/**
 * The press that a click ends. A click that no pointer made belongs to what is held down meanwhile. Older browsers do
 * not name the pointer.
 */
function pressOf({ pointerId, detail }: Partial<PointerEvent>): Press | undefined {
  if (pointerId !== undefined && presses.has(pointerId)) return presses.get(pointerId)
  const unnamed = pointerId === undefined && detail !== 0
  return [...presses.values()].reverse().find(({ over }) => unnamed || !over)
}

function begin(name: string | number, event: Event): void {
  const button = event.composedPath().find((one) => deciding.has(one))
  for (const [one, { over }] of presses) if (over || one === name) presses.delete(one)
  presses.set(name, { button, ...(button && deciding.get(button)?.()) })
}

const isPress = ({ key }: KeyboardEvent): boolean => key === 'Enter' || key === ' '

function keyDown(event: KeyboardEvent): void {
  if (!isPress(event) || event.isComposing) return
  if (!event.repeat) begin(event.key, event)
  // a key that is held down answers once
  else if (event.composedPath().some((one) => deciding.has(one))) event.preventDefault()
}

function forgetKeys(): void {
  for (const name of presses.keys()) if (typeof name === 'string') presses.delete(name)
}

if (typeof window !== 'undefined' && typeof document !== 'undefined') {
  const early = { capture: true, passive: true }
  addEventListener('pointerdown', (event) => event.button === 0 && begin(event.pointerId, event), early)
  addEventListener(
    'pointerup',
    ({ pointerId }) => {
      const press = presses.get(pointerId)
      if (press) setTimeout(() => (press.over = true)) // the click of a mouse comes with it
    },
    early,
  )
  addEventListener('pointercancel', ({ pointerId }) => presses.delete(pointerId), early)
  addEventListener('keydown', keyDown, { capture: true })
  addEventListener(
    'keyup',
    (event) => {
      const press = presses.get(event.key)
      // the click of the space bar comes with it
      if (press) setTimeout(() => presses.get(event.key) === press && presses.delete(event.key))
    },
    early,
  )
  addEventListener('blur', ({ target }) => target === window && forgetKeys(), early)
}
