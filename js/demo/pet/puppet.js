// The drawn pet: what a Live2D model does, for pages that have none. The same interface: a `PetModel` of sluice/live2d.
import { expressions, motions, states } from './puppet-acts.js'
import { draw, parameters, restless } from './puppet-drawing.js'

const names = Object.keys(parameters)
const rest = Object.fromEntries(names.map((name) => [name, parameters[name][2]]))
/** How fast a parameter goes where it should, per second: the lids and the mouth at once, the body with some weight. */
const speeds = {
  eyeL: 26,
  eyeR: 26,
  eyeSmileL: 20,
  eyeSmileR: 20,
  mouthOpen: 22,
  bodyY: 30,
  squash: 24,
  headX: 8,
  headY: 9,
  gazeX: 12,
  gazeY: 12,
  headTilt: 8,
  bodyTilt: 9,
}
/** How long it looks where something was. */
const looksMs = 4000
/**
 * Frames per second of what moves, and of the slow part of it. What only breathes, or floats in its sleep, takes a
 * quarter of what `fps` says, and there are none between two breaths.
 */
const [fast, slow] = [60, 24]
/** How long it waits between two breaths. */
const pause = 3
/** How long its eyes are closed, and how much sooner a frame may come than it was asked for. */
const [blinkFor, early] = [0.13, 0.01]
/** They move all the time, or are there in an instant: no reason for more frames. */
const ambient = new Set([
  'breath',
  'eyeL',
  'eyeR',
  'curl',
  'scarf',
  'mouthOpen',
  'mouthForm',
  'mouthRound',
  'mouthWidth',
  'teeth',
])

/**
 * Draws the puppet into `container`, as large as that is: a `PetModel` with all that is optional. Its eyes follow the
 * pointer by themselves; a click on it plays a motion of `TapBody`.
 */
export function createPuppet(container) {
  const { element, pose, zoneAt } = draw()
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  const values = { ...rest }
  const springs = { curl: { speed: 0 }, scarf: { speed: 0 } }
  let expression = 'neutral'
  let state = 'idle'
  let since // when the state began
  let prop // what it holds
  let playing
  let mouth = { open: 0, form: 0 }
  let target // where it looks, as parameters
  let looksUntil = -Infinity
  let blinkAt = 2
  let idleAt = 20
  let idledAt = -Infinity // when it last did something to pass the time
  let breathAt = 0
  let seconds = 0 // that were shown
  let last
  let before = 0
  let frame
  let limit = slow
  let pace = fast // frames per second now
  let timer // until the next frame, or until the end of what passes by itself, where motion is reduced

  container.append(element)
  describe()

  /** Poses with the next frame. Where motion is reduced that is the last one, until something happens. */
  function wake() {
    clearTimeout(timer)
    if (limit === 0) return // `fps` goes on
    frame ??= requestAnimationFrame(step)
  }

  /** The next frame, no sooner than it shows something new. */
  function next(now) {
    if (pace >= fast) return wake()
    const blink = (blinks(now) ? blinkAt + blinkFor : blinkAt) - now
    const wait = pace > 1 / blinkFor ? 1 / pace : Math.min(pace > 0 ? 1 / pace : breathAt - now, blink, idleAt - now)
    // a frame is late by half of one
    timer = setTimeout(wake, Math.max(1 / Math.min(limit, slow), wait) * 1000 - early * 900)
  }

  function step(milliseconds) {
    frame = undefined
    const now = milliseconds / 1000
    const passed = Math.min(0.5, now - (last ?? now)) // a hidden page stands still
    last = now
    seconds += passed
    const aim = goal(now, milliseconds)
    if (still.matches) Object.assign(values, aim, { curl: 0, scarf: 0, breath: 0 })
    else {
      let speed = 0 // of what moves fastest: 1 is from one end to the other in a second
      for (const name of names) {
        const change = (aim[name] - values[name]) * (1 - Math.exp(-passed * (speeds[name] ?? 11)))
        values[name] += change
        if (!ambient.has(name) && passed > 0)
          speed = Math.max(speed, Math.abs(change) / passed / (parameters[name][1] - parameters[name][0]))
      }
      swing(passed, now)
      pace = paceOf(speed, aim, now)
    }
    for (const name of names) values[name] = Math.min(parameters[name][1], Math.max(parameters[name][0], values[name]))
    pose(values, still.matches ? 1.2 : seconds)
    if (!still.matches) return next(now)
    const ends = [playing?.until, target && looksUntil].filter((at) => at > milliseconds)
    if (ends.length > 0) timer = setTimeout(wake, Math.min(...ends) - milliseconds)
  }

  /** Frames per second that what is seen now needs. 0: none until the next breath. */
  function paceOf(speed, aim, now) {
    const idles = motions.Idle.includes(playing?.act)
    if (idles) idledAt = now
    if (playing && !idles) return fast
    const calm = Math.min(limit, slow)
    if (now - idledAt < 1) return calm // to rest as slowly as it moved
    if (speed > 1) return fast
    if (speed > 0.12 || mouth.open > 0) return slow
    const settles = speed > 0.02 || Math.abs(aim.eyeL - values.eyeL) + Math.abs(aim.eyeR - values.eyeR) > 0.05
    if (settles || Object.values(springs).some((spring) => Math.abs(spring.speed) > 0.1)) return calm
    if (restless.some((name) => values[name] > 0.01)) return asleep() ? calm / 4 : calm
    return now >= breathAt - pause ? 0 : calm / 4
  }

  /** Where every parameter should be. */
  function goal(now, milliseconds) {
    since ??= milliseconds
    const lies = states[state]
    const aim = {
      ...rest,
      ...lies?.pose?.(still.matches ? (lies.still ?? 1) : (milliseconds - since) / 1000),
      ...(prop ? { [prop]: 1 } : {}),
      ...expressions[expression],
    }
    if (mouth.open > 0) talk(aim, now)
    if (!still.matches) live(aim, now)
    if (target && (milliseconds < looksUntil || state === 'asking')) {
      if (state === 'listening') aim.bodyTilt += target.headX * 12 // it leans to where somebody types
      for (const name in target) aim[name] += target[name]
    }
    if (playing) {
      playing.until ??= milliseconds + playing.act.ms
      if (milliseconds >= playing.until) playing = undefined
      else {
        const t = 1 - (playing.until - milliseconds) / playing.act.ms
        const change = playing.act.pose(still.matches ? playing.act.still : t)
        for (const name in change) aim[name] += change[name]
      }
    }
    return aim
  }

  const blinks = (now) => now >= blinkAt - early
  const asleep = () => limit < 12
  const breathes = () => (asleep() ? 4 : 2.8) // seconds in and out

  /** Breath, blinking, and something to do now and then. */
  function live(aim, now) {
    if (now >= breathAt) breathAt = now + breathes() + pause
    const through = Math.min(1, Math.max(0, 1 - (breathAt - pause - now) / breathes()))
    aim.breath = 0.5 - 0.5 * Math.cos(through * Math.PI * 2)
    if (limit > 12) {
      aim.headTilt += 1.2 * Math.sin(now * 0.9)
      aim.bodyTilt += 0.6 * Math.sin(now * 0.7)
    }
    if (aim.eyeL + aim.eyeR < 0.1)
      blinkAt = now + 2 // its eyes are closed
    else if (now > blinkAt + blinkFor - early) blinkAt = now + (Math.random() < 0.15 ? 0.12 : 2 + Math.random() * 4)
    if (blinks(now)) aim.eyeL = aim.eyeR = 0
    if (now >= idleAt) {
      const calm = expression === 'neutral' || expression === 'smile'
      if (state === 'idle' && calm && !playing)
        playing = { act: motions.Idle[Math.floor(Math.random() * motions.Idle.length)] }
      idleAt = now + 30 + Math.random() * 40
    }
  }

  function talk(aim, now) {
    const { open, form } = mouth
    const [wide, round] = [Math.max(0, form), Math.max(0, -form)]
    aim.mouthOpen = Math.max(aim.mouthOpen * 0.5, open)
    aim.mouthRound = Math.max(aim.mouthRound * (1 - wide), round * 0.9)
    aim.mouthForm = Math.max(aim.mouthForm * 0.6, 0.15 + 0.4 * form)
    aim.mouthWidth *= 1 + 0.45 * wide - 0.4 * round * round
    aim.teeth = wide
    if (still.matches) return
    aim.headTilt += 2 * Math.sin(now * 3.1)
    aim.headY += 0.12 * Math.sin(now * 5.2)
  }

  /** The tip of the head and the scarf lag behind, and swing out. */
  function swing(passed, now) {
    if (passed === 0) return
    const at = values.headX * 26 + values.headTilt * 2.4 + values.bodyX + values.bodyTilt * 2 + values.bodyY * 0.5
    const pull = Math.max(-3, Math.min(3, (before - at) / passed / 130))
    before = at
    const steps = Math.ceil(Math.min(passed, 0.24) / 0.03) // a long one would swing ever higher
    const each = Math.min(passed, 0.24) / steps
    for (const [name, stiffness, damping, breeze] of [
      ['curl', 70, 5, 0.08],
      ['scarf', 45, 4.5, 0.14],
    ]) {
      const spring = springs[name]
      const wind = limit > 12 ? breeze * Math.sin(now * 1.7 + stiffness) : 0
      for (let index = 0; index < steps; index++) {
        spring.speed += ((pull * 0.45 + wind - values[name]) * stiffness - spring.speed * damping) * each
        values[name] += spring.speed * each
      }
    }
  }

  function play(act) {
    playing = { act }
    wake()
  }

  function look(point) {
    wake()
    if (!point) {
      target = undefined
      return
    }
    const box = element.getBoundingClientRect()
    const reach = Math.max(box.width, box.height, 1)
    const x = Math.max(-1, Math.min(1, ((point.x - box.left - box.width / 2) / reach) * 1.6))
    const y = Math.max(-1, Math.min(1, ((point.y - box.top - box.height * 0.5) / reach) * 1.6))
    target = { headX: x * 0.6, headY: y * 0.5, gazeX: x * 0.8, gazeY: y * 0.7 }
    looksUntil = performance.now() + looksMs
  }

  function describe() {
    element.setAttribute('aria-label', `Lulu: ${expression}`)
    element.setAttribute('data-expression', expression)
    element.setAttribute('data-state', state)
    wake()
  }

  const model = {
    element,
    capabilities: () => ({
      model: 'Lulu',
      expressions: Object.keys(expressions),
      motions: Object.fromEntries(Object.entries(motions).map(([group, acts]) => [group, acts.length])),
      parameters: names.map((name) => ({
        id: name,
        min: parameters[name][0],
        max: parameters[name][1],
        default: parameters[name][2],
      })),
    }),
    /** Stays until the next one, or `reset`. */
    expression(name) {
      if (!Object.hasOwn(expressions, name)) return false
      expression = name
      describe()
      return true
    },
    /** Its face at rest. */
    reset: () => void model.expression('neutral'),
    /** Of `petStates`; one that it has no pose for looks like `idle`. */
    state(name, detail = {}) {
      state = name
      since = undefined
      idleAt = performance.now() / 1000 + 20
      prop =
        name === 'busy' ? `prop${(detail.prop ?? 'tool').replace(/^./, (letter) => letter.toUpperCase())}` : undefined
      const acts = name === 'patted' ? (detail.zone === 'hand' ? motions.Wave : motions.TapBody) : states[name]?.plays
      if (acts) play(acts[Math.floor(Math.random() * acts.length)])
      describe()
    },
    /** Starts at once, in place of the one that plays. Without an index: any of the group. */
    motion(group, index) {
      const acts = Object.hasOwn(motions, group) ? motions[group] : []
      const act = acts[index ?? Math.floor(Math.random() * acts.length)]
      if (!act) return false
      play(act)
      return true
    },
    mouth(open, form = 0) {
      if (open === mouth.open && form === mouth.form) return
      const spoke = mouth.open > 0
      mouth = { open, form }
      if (!spoke || still.matches) wake() // else its next frame is set
    },
    fps(frames) {
      limit = frames
      if (frames > 0) wake()
    },
    hit: zoneAt,
    opaque: (x, y) => zoneAt(x, y) !== null,
    look,
    /** The parameters as they stand. */
    parameters: () => ({ ...values }),
    destroy() {
      cancelAnimationFrame(frame)
      frame = 0 // and none behind it
      clearTimeout(timer)
      still.removeEventListener('change', wake)
      removeEventListener('pointermove', follow)
      element.removeEventListener('click', tapped)
      element.remove()
    },
  }

  const follow = (event) => look({ x: event.clientX, y: event.clientY })
  const tapped = ({ clientX, clientY }) =>
    state !== 'patted' && zoneAt(clientX, clientY) !== null && model.motion('TapBody') // a companion says more of it
  addEventListener('pointermove', follow, { passive: true })
  element.addEventListener('click', tapped)
  still.addEventListener('change', wake)
  pose(values, 0)
  return model
}
