// The drawn pet: what a Live2D model does, for pages that have none. The same interface: a `PetModel` of sluice/live2d.
import { expressions, motions } from './puppet-acts.js'
import { draw, parameters } from './puppet-drawing.js'

const names = Object.keys(parameters)
const rest = Object.fromEntries(names.map((name) => [name, parameters[name][2]]))
/** How fast a parameter goes where it should, per second: the lids and the mouth at once, the body with some weight. */
const speeds = { eyeL: 26, eyeR: 26, eyeSmileL: 20, eyeSmileR: 20, mouthOpen: 22, bodyY: 30, squash: 24, headX: 8, headY: 9, gazeX: 12, gazeY: 12, headTilt: 8, bodyTilt: 9 }
/** How long it looks where something was. */
const looksMs = 4000
/** Slow movement is as smooth at half the frames. */
const calmSeconds = 0.03

/**
 * Draws the puppet into `container`, as large as that is. `look({ x, y })` (of the page, null: nowhere) turns its eyes, which follow the
 * pointer by themselves; `talk(true)` moves its mouth; a click on it plays a motion of `TapBody`.
 */
export function createPuppet(container) {
  const { element, pose } = draw()
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  const values = { ...rest }
  const springs = { curl: { speed: 0 }, scarf: { speed: 0 } }
  let expression = 'neutral'
  let playing
  let talking = false
  let target // where it looks, as parameters
  let looksUntil = -Infinity
  let blinkAt = 2
  let idleAt = 7
  let last
  let before = 0
  let frame
  let calm = false // nothing moves faster than from one end to the other in a second
  let end // of what passes by itself, where motion is reduced

  container.append(element)
  describe()

  /** Poses with the next frame. Where motion is reduced that is the last one, until something happens. */
  function wake() {
    clearTimeout(end)
    frame ??= requestAnimationFrame(step)
  }

  function step(milliseconds) {
    frame = undefined
    const now = milliseconds / 1000
    if (calm && now - last < calmSeconds) return wake()
    const passed = Math.min(0.05, now - (last ?? now)) // a hidden page stands still
    last = now
    const aim = goal(now, milliseconds)
    calm = !playing && !talking
    if (still.matches) Object.assign(values, aim, { curl: 0, scarf: 0, breath: 0 })
    else {
      for (const name of names) {
        const change = (aim[name] - values[name]) * (1 - Math.exp(-passed * (speeds[name] ?? 11)))
        values[name] += change
        if (Math.abs(change) > passed * (parameters[name][1] - parameters[name][0])) calm = false
      }
      swing(passed, now)
    }
    for (const name of names) values[name] = Math.min(parameters[name][1], Math.max(parameters[name][0], values[name]))
    pose(values, still.matches ? 1.2 : now)
    if (!still.matches) return wake()
    const ends = [playing?.until, target && looksUntil].filter((at) => at > milliseconds)
    if (ends.length > 0) end = setTimeout(wake, Math.min(...ends) - milliseconds)
  }

  /** Where every parameter should be. */
  function goal(now, milliseconds) {
    const aim = { ...rest, ...expressions[expression] }
    if (talking) talk(aim, now)
    if (!still.matches) live(aim, now)
    if (target && milliseconds < looksUntil) {
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

  /** Breath, blinking, and something to do now and then. */
  function live(aim, now) {
    aim.breath = 0.5 + 0.5 * Math.sin(now * 2)
    aim.headTilt += 1.2 * Math.sin(now * 0.9)
    aim.bodyTilt += 0.6 * Math.sin(now * 0.7)
    if (now > blinkAt + 0.13) blinkAt = now + (Math.random() < 0.15 ? 0.12 : 2 + Math.random() * 4)
    if (now > blinkAt) aim.eyeL = aim.eyeR = 0
    if (now > idleAt) {
      const calm = expression === 'neutral' || expression === 'smile'
      if (calm && !playing && !talking) play(motions.Idle[Math.floor(Math.random() * motions.Idle.length)])
      idleAt = now + 9 + Math.random() * 9
    }
  }

  function talk(aim, now) {
    const loud = still.matches ? 0.6 : 0.5 + 0.5 * Math.sin(now * 13) * Math.sin(now * 4.7 + 1)
    aim.mouthOpen = Math.max(aim.mouthOpen * 0.5, 0.1 + loud * 0.6)
    aim.mouthForm = Math.max(aim.mouthForm, 0.2)
    if (still.matches) return
    aim.mouthWidth *= 0.9 + 0.15 * Math.sin(now * 7.3)
    aim.headTilt += 2 * Math.sin(now * 3.1)
    aim.headY += 0.12 * Math.sin(now * 5.2)
  }

  /** The tip of the head and the scarf lag behind, and swing out. */
  function swing(passed, now) {
    if (passed === 0) return
    const at = values.headX * 26 + values.headTilt * 2.4 + values.bodyX + values.bodyTilt * 2 + values.bodyY * 0.5
    const pull = Math.max(-3, Math.min(3, (before - at) / passed / 130))
    before = at
    for (const [name, stiffness, damping, breeze] of [['curl', 70, 5, 0.08], ['scarf', 45, 4.5, 0.14]]) {
      const spring = springs[name]
      const wind = breeze * Math.sin(now * 1.7 + stiffness)
      spring.speed += ((pull * 0.45 + wind - values[name]) * stiffness - spring.speed * damping) * passed
      values[name] += spring.speed * passed
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
    wake()
  }

  const model = {
    element,
    capabilities: () => ({
      model: 'Lulu',
      expressions: Object.keys(expressions),
      motions: Object.fromEntries(Object.entries(motions).map(([group, acts]) => [group, acts.length])),
      parameters: names.map((name) => ({ id: name, min: parameters[name][0], max: parameters[name][1], default: parameters[name][2] })),
    }),
    /** Stays until the next one, or `rest`. */
    expression(name) {
      if (!Object.hasOwn(expressions, name)) return false
      expression = name
      describe()
      return true
    },
    /** Makes the face neutral; with a name, where it is that one. */
    rest(only) {
      if (only === undefined || expression === only) model.expression('neutral')
    },
    /** Starts at once, in place of the one that plays. Without an index: any of the group. */
    motion(group, index) {
      const acts = Object.hasOwn(motions, group) ? motions[group] : []
      const act = acts[index ?? Math.floor(Math.random() * acts.length)]
      if (!act) return false
      play(act)
      return true
    },
    talk(on) {
      talking = Boolean(on)
      wake()
    },
    look,
    /** The parameters as they stand. */
    parameters: () => ({ ...values }),
    destroy() {
      cancelAnimationFrame(frame)
      frame = 0 // and none behind it
      clearTimeout(end)
      still.removeEventListener('change', wake)
      removeEventListener('pointermove', follow)
      element.removeEventListener('click', tapped)
      element.remove()
    },
  }

  const follow = (event) => look({ x: event.clientX, y: event.clientY })
  const tapped = () => model.motion('TapBody')
  addEventListener('pointermove', follow, { passive: true })
  element.addEventListener('click', tapped)
  still.addEventListener('change', wake)
  pose(values, 0)
  return model
}
