// Lulu, a dewdrop with a scarf: an SVG made by script, and a function that poses it. Attributes only, no styles: it
// lives under any CSP.
import { add, make, mix, moves, outline, set } from './puppet-pen.js'
import { held, props, waved } from './puppet-props.js'

const line = '#1c2f55' // of the face
let drawings = 0
/** What floats around the head. */
const floating = ['thought', 'bang', 'sweat', 'tear', 'snooze', 'hearts', 'sparkle', 'cross', 'ask', 'sigh']
/** What is never still while it is seen. */
export const restless = [...floating, ...waved]

/**
 * The parameters that the drawing knows: [lowest, highest, at rest]. Angles in degrees; the rest in units of their own.
 */
export const parameters = {
  headX: [-1, 1, 0],
  headY: [-1, 1, 0],
  headTilt: [-30, 30, 0],
  bodyX: [-60, 60, 0],
  bodyY: [-120, 20, 0],
  bodyTilt: [-25, 25, 0],
  squash: [-0.3, 0.3, 0],
  breath: [0, 1, 0],
  armL: [-30, 200, 16],
  armR: [-30, 200, 16],
  reachL: [-1, 1, 0],
  reachR: [-1, 1, 0],
  footL: [-16, 30, 0],
  footR: [-16, 30, 0],
  eyeL: [0, 1.25, 1],
  eyeR: [0, 1.25, 1],
  eyeSmileL: [0, 1, 0],
  eyeSmileR: [0, 1, 0],
  gazeX: [-1, 1, 0],
  gazeY: [-1, 1, 0],
  pupil: [0.6, 1.2, 1],
  browL: [-1, 1, 0],
  browR: [-1, 1, 0],
  browSlant: [-1, 1, 0],
  mouthForm: [-1, 1, 0.35],
  mouthOpen: [0, 1, 0],
  mouthRound: [0, 1, 0],
  mouthWidth: [0.4, 1.5, 1],
  teeth: [0, 1, 0],
  puff: [0, 1, 0],
  blush: [0, 1, 0.3],
  curl: [-1, 1, 0],
  scarf: [-1, 1, 0],
  thought: [0, 1, 0],
  bang: [0, 1, 0],
  sweat: [0, 1, 0],
  tear: [0, 1, 0],
  snooze: [0, 1, 0],
  hearts: [0, 1, 0],
  sparkle: [0, 1, 0],
  cross: [0, 1, 0],
  ask: [0, 1, 0],
  sigh: [0, 1, 0],
  propSearch: [0, 1, 0],
  propWrite: [0, 1, 0],
  propLetter: [0, 1, 0],
  propTool: [0, 1, 0],
  plug: [0, 1, 0],
}

/**
 * The element, `pose(values, seconds)` which moves it, and `zoneAt(x, y)`: what is drawn at a point of the page, by
 * name, or null.
 */
export function draw() {
  const id = `puppet${++drawings}-`
  const svg = make('svg', {
    viewBox: '0 0 400 480',
    width: '100%',
    height: '100%',
    preserveAspectRatio: 'xMidYMax meet',
    overflow: 'visible',
    role: 'img',
  })
  const paint = gradients(add(svg, 'defs'), id)
  const ground = add(svg, 'g', { transform: 'translate(200 458) scale(0.9)' })
  const parts = [shadow, figure].map((part) => part(ground, paint, id))
  const { zoneAt, moved } = touchable(svg)
  const shown = {}
  /** What differs by less than can be seen is the same. */
  const pose = (values, seconds) => {
    for (const [name, [least, most, rest]] of Object.entries(parameters)) {
      const step = (most - least) / 512
      shown[name] = Math.min(most, Math.max(least, rest + Math.round((values[name] - rest) / step) * step))
    }
    moved()
    for (const move of parts) move(shown, seconds)
  }
  return { element: svg, pose, zoneAt }
}

/**
 * `zoneAt`: the name of the topmost shape that is drawn there, by fill or by outline, as it stood until `moved`. What
 * floats around is not touched.
 */
function touchable(svg) {
  const all = [...svg.querySelectorAll('[data-zone], [data-zone] *')]
    .reverse()
    .filter((shape) => shape.isPointInFill)
    .map((shape) => ({
      shape,
      zone: shape.closest('[data-zone]').dataset.zone,
      outlined: shape.hasAttribute('stroke'),
    }))
  let shown // with the way from the figure's units to theirs
  const zoneAt = (x, y) => {
    const screen = svg.getScreenCTM()
    if (!screen) return null
    const toUnits = screen.inverse()
    shown ??= all
      .filter(({ shape }) => !shape.closest('[display=none]'))
      .map((one) => ({ ...one, toShape: one.shape.getScreenCTM()?.inverse().multiply(screen) }))
    const at = new DOMPoint(x, y).matrixTransform(toUnits)
    for (const { shape, zone, outlined, toShape } of shown) {
      if (!toShape) continue
      const point = at.matrixTransform(toShape)
      if (shape.isPointInFill(point) || (outlined && shape.isPointInStroke(point))) return zone
    }
    return null
  }
  return { zoneAt, moved: () => (shown = undefined) }
}

// Every part adds its shapes to a group and gives back the function that moves them. The origin is on the ground
// between the feet, that of the head at the neck.

function shadow(ground, paint) {
  const shape = add(ground, 'ellipse', { rx: 96, ry: 13, fill: paint('shadow') })
  return moves(['bodyX', 'bodyY'], ({ bodyX, bodyY }) => {
    const high = Math.min(1, Math.max(0, -bodyY / 120))
    set(shape, { cx: bodyX, rx: 96 - 34 * high, opacity: 1 - 0.55 * high })
  })
}

function figure(ground, paint, id) {
  const all = add(ground, 'g', { 'data-part': 'figure', 'pointer-events': 'all' })
  const parts = [feet, torso, head, arms, signs].map((part) => part(all, paint, id))
  parts.push(
    moves(['bodyX', 'bodyY', 'bodyTilt', 'squash'], ({ bodyX, bodyY, bodyTilt, squash }) => {
      set(all, {
        transform: `translate(${bodyX} ${bodyY}) rotate(${bodyTilt}) scale(${1 + squash * 0.7} ${1 - squash})`,
      })
    }),
  )
  return (values, seconds) => parts.forEach((move) => move(values, seconds))
}

function feet(group, paint) {
  const shapes = [-1, 1].map(() =>
    add(group, 'path', {
      d: 'M -25 2 C -30 -22 24 -26 27 -3 C 28 5 -23 8 -25 2 Z',
      fill: paint('arm'),
      stroke: outline,
      'stroke-width': 4,
      'stroke-linejoin': 'round',
      'data-zone': 'foot',
    }),
  )
  return moves(['footL', 'footR'], ({ footL, footR }) => {
    const [left, right] = shapes
    set(left, { transform: `translate(-31 ${-footL}) rotate(${footL * 0.8}) scale(-1 1)` })
    set(right, { transform: `translate(31 ${-footR}) rotate(${-footR * 0.8})` })
  })
}

function torso(group, paint) {
  const part = add(group, 'g')
  add(part, 'path', {
    d: 'M -46 -122 C -70 -92 -74 -32 -46 -13 C -22 1 22 1 46 -13 C 74 -32 70 -92 46 -122 Z',
    fill: paint('body'),
    stroke: outline,
    'stroke-width': 4,
    'data-zone': 'belly',
  })
  add(part, 'ellipse', { cy: -42, rx: 38, ry: 31, fill: '#f4fdff', opacity: 0.8 })
  const tail = add(part, 'path', {
    fill: paint('scarf'),
    stroke: '#b5413f',
    'stroke-width': 3.5,
    'stroke-linejoin': 'round',
    'data-zone': 'belly',
  })
  const stripe = add(part, 'path', { fill: 'none', stroke: '#fff3e6', 'stroke-width': 5.5 })
  add(part, 'path', {
    d: 'M -58 -118 L 58 -118 C 68 -106 66 -93 56 -85 C 40 -73 20 -69 0 -69 C -20 -69 -40 -73 -56 -85 C -66 -93 -68 -106 -58 -118 Z',
    fill: paint('scarf'),
    stroke: '#b5413f',
    'stroke-width': 3.5,
    'stroke-linejoin': 'round',
    'data-zone': 'belly',
  })
  add(part, 'path', {
    d: 'M -50 -90 C -38 -82 -22 -78 -4 -77',
    fill: 'none',
    stroke: '#ffffff',
    'stroke-width': 3,
    'stroke-linecap': 'round',
    opacity: 0.45,
  })
  add(part, 'path', {
    d: 'M 24 -86 C 30 -93 45 -91 47 -81 C 48 -70 34 -64 27 -69 C 20 -73 19 -81 24 -86 Z',
    fill: '#ff8f7c',
    stroke: '#b5413f',
    'stroke-width': 3.5,
  })
  return moves(['scarf', 'breath'], ({ scarf, breath }) => {
    const sway = scarf * 16
    set(part, { transform: `scale(${1 + breath * 0.012} ${1 + breath * 0.018})` })
    set(tail, {
      d: `M 27 -72 Q ${25 + sway * 0.4} -48 ${21 + sway} -24 L ${47 + sway} ${-25 - scarf * 4} Q ${47 + sway * 0.4} -50 42 -72 Z`,
    })
    set(stripe, { d: `M ${24 + sway * 0.8} -36 L ${46 + sway * 0.8} ${-37 - scarf * 3}` })
  })
}

/** Where an arm begins and ends, and the angle of it. */
function arm(side, degrees, reach) {
  const angle = (degrees * Math.PI) / 180
  // the higher, the longer: it has to get past the head
  const length = 33 + 40 * Math.min(1, Math.max(0, degrees / 170)) + 48 * reach
  const [x, y] = [side * 51, -82]
  return {
    x,
    y,
    handX: x + side * Math.sin(angle) * length,
    handY: y + Math.cos(angle) * length,
    bend: side * (8 + degrees * 0.06),
  }
}

function arms(parent, paint) {
  const group = add(parent, 'g')
  const moveProps = props(group)
  const shapes = [-1, 1].map((side) => {
    const strokes = [
      [outline, 34],
      [paint('arm'), 27],
    ].map(([stroke, width]) =>
      add(group, 'path', {
        fill: 'none',
        stroke,
        'stroke-width': width,
        'stroke-linecap': 'round',
        'data-zone': 'hand',
      }),
    )
    // A palm with a thumb that points up and inwards.
    const hand = add(group, 'g')
    add(hand, 'path', {
      d: 'M -15 -6 C -27 -5 -30 -17 -21 -20 C -15 -22 -10 -17 -8 -13 C 2 -20 17 -14 18 0 C 19 13 8 19 -2 18 C -13 17 -17 6 -15 -6 Z',
      fill: paint('arm'),
      stroke: outline,
      'stroke-width': 3.6,
      'stroke-linejoin': 'round',
      'data-zone': 'hand',
    })
    add(hand, 'path', {
      d: 'M -14 -7 C -12 -4 -9 -3 -6 -3',
      fill: 'none',
      stroke: outline,
      'stroke-width': 2.6,
      'stroke-linecap': 'round',
    })
    add(hand, 'path', {
      d: 'M 5 11 C 9 11 12 8 13 5',
      fill: 'none',
      stroke: outline,
      'stroke-width': 2.4,
      'stroke-linecap': 'round',
      opacity: 0.55,
    })
    return { side, strokes, hand }
  })
  const breathe = moves(['breath'], ({ breath }) => set(group, { transform: `translate(0 ${breath * -1.5})` }))
  const stretch = moves(
    ['armL', 'armR', 'reachL', 'reachR', ...held],
    (values, seconds) => {
      for (const { side, strokes, hand } of shapes) {
        const [degrees, reach] = side < 0 ? [values.armL, values.reachL] : [values.armR, values.reachR]
        const { x, y, handX, handY, bend } = arm(side, degrees, reach)
        for (const stroke of strokes)
          set(stroke, { d: `M ${x} ${y} Q ${(x + handX) / 2 + bend} ${(y + handY) / 2 + 4} ${handX} ${handY}` })
        set(hand, {
          transform: `translate(${handX} ${handY}) rotate(${side * (mix(-35, 42, Math.min(1, Math.max(0, degrees - 10) / 70)) - Math.max(0, degrees - 80) * 0.45)}) scale(${side} 1)`,
        })
        if (side > 0) moveProps(values, seconds, handX, handY)
      }
    },
    waved,
  )
  return (values, seconds) => {
    breathe(values)
    stretch(values, seconds)
  }
}

function head(group, paint, id) {
  const part = add(group, 'g', { 'data-part': 'head' })
  const skull = add(part, 'path', {
    'data-zone': 'head',
    fill: paint('skin'),
    stroke: outline,
    'stroke-width': 4.5,
    'stroke-linejoin': 'round',
  })
  add(part, 'path', {
    d: 'M -110 -72 C -94 -26 -52 -9 0 -9 C 52 -9 94 -26 110 -72 C 90 -38 50 -25 0 -25 C -50 -25 -90 -38 -110 -72 Z',
    fill: '#ffffff',
    opacity: 0.4,
  })
  for (const [cx, cy, r] of [
    [84, -63, 6],
    [99, -96, 3.5],
    [72, -38, 4],
  ])
    add(part, 'circle', { cx, cy, r, fill: '#ffffff', 'fill-opacity': 0.3, stroke: '#ffffff', 'stroke-width': 1.6 })
  const shine = add(part, 'g', { fill: '#ffffff' })
  add(shine, 'path', {
    d: 'M -101 -130 C -96 -162 -74 -184 -47 -193 C -40 -194 -37 -186 -43 -182 C -65 -171 -81 -154 -87 -127 C -89 -117 -102 -119 -101 -130 Z',
    opacity: 0.9,
  })
  add(shine, 'ellipse', { cx: -97, cy: -106, rx: 5.5, ry: 7.5, opacity: 0.85 })
  const face = add(part, 'g', { 'data-part': 'face' })
  const parts = [cheeks, eyes, brows, mouth].map((one) => one(face, paint, id))
  const lily = flower(part)
  const nod = moves(['headX', 'headY', 'headTilt', 'breath'], ({ headX, headY, headTilt, breath }) => {
    set(part, { transform: `translate(${headX * 5} ${-103 - breath * 2.5 + headY * 3}) rotate(${headTilt})` })
  })
  const turn = moves(['headX', 'headY', 'curl'], ({ headX, headY, curl }) => {
    const tip = `${32 + curl * 30} ${-284 + Math.abs(curl) * 8}`
    set(skull, {
      d: `M -124 -106 C -124 -166 -88 -198 -52 -214 C -26 -226 ${-4 + curl * 6} -250 ${tip} C ${30 + curl * 14} -252 34 -230 56 -214 C 92 -196 124 -164 124 -106 C 124 -40 70 -4 0 -4 C -70 -4 -124 -40 -124 -106 Z`,
    })
    set(shine, { transform: `translate(${headX * -5} ${headY * -4})` })
    set(face, { transform: `translate(${headX * 17} ${headY * 12})` })
    set(lily, { transform: `translate(${84 - headX * 6} ${-190 + headY * 3}) rotate(${18 + curl * 6})` })
  })
  parts.push(nod, turn)
  return (values, seconds) => parts.forEach((move) => move(values, seconds))
}

function cheeks(face, paint) {
  const shapes = [-1, 1].map((side) => {
    const cheek = add(face, 'g')
    add(cheek, 'ellipse', { rx: 22, ry: 13, fill: paint('cheek'), 'data-zone': 'cheek' })
    const lines = add(cheek, 'path', {
      d: 'M -9 5 L -5 -4 M -1 5 L 3 -4 M 7 5 L 11 -4',
      stroke: '#e4577a',
      'stroke-width': 2.8,
      'stroke-linecap': 'round',
      fill: 'none',
    })
    return { side, cheek, lines }
  })
  return moves(['blush', 'puff'], ({ blush, puff }) => {
    for (const { side, cheek, lines } of shapes) {
      set(cheek, {
        transform: `translate(${side * (81 + puff * 4)} -66) scale(${1 + blush * 0.12 + puff * 0.25})`,
        opacity: Math.min(1, 0.35 + blush * 0.75),
      })
      set(lines, { opacity: Math.max(0, (blush - 0.55) / 0.45) })
    }
  })
}

function eyes(face, paint, id) {
  const both = [-1, 1].map((side) => eye(face, paint, `${id}eye${side < 0 ? 'L' : 'R'}`, side))
  return (values) => both.forEach((move) => move(values))
}

/** What shows of an eye lies between two curves; the upper one is the lash. */
function eye(face, paint, id, side) {
  const [width, height] = [22, 28]
  const part = add(face, 'g')
  const opening = add(add(part, 'clipPath', { id }), 'path')
  const inside = add(part, 'g', { 'clip-path': `url(#${id})` })
  add(inside, 'rect', { x: -40, y: -50, width: 80, height: 100, fill: paint('iris') })
  const glow = add(inside, 'ellipse', { rx: 19, ry: 14, fill: paint('glow') })
  const pupil = add(inside, 'ellipse', { rx: 11, ry: 14, fill: '#13233f' })
  const lights = add(inside, 'g', { fill: '#ffffff' })
  add(lights, 'ellipse', { cx: -7, cy: -11, rx: 7.5, ry: 9 })
  add(lights, 'circle', { cx: 8, cy: 10, r: 4 })
  const lash = add(part, 'path', { fill: 'none', stroke: line, 'stroke-width': 5.5, 'stroke-linecap': 'round' })
  const [lid, smiles] = side < 0 ? ['eyeL', 'eyeSmileL'] : ['eyeR', 'eyeSmileR']
  return moves(['gazeX', 'gazeY', 'headX', 'pupil', lid, smiles], (values) => {
    const { gazeX, gazeY, headX } = values
    const smile = values[smiles]
    const open = values[lid] * (1 - smile)
    const far = 1 - Math.max(0, headX * side) * 0.12
    set(part, {
      transform: `translate(${side * 52 * (1 - Math.max(0, headX * side) * 0.05) + gazeX * 5} ${-104 + gazeY * 4}) scale(${far} 1)`,
    })
    const shut = mix(5, -15, smile) // where the lids meet: both go there, since an upper one alone looks smug
    const upper = mix(shut, -height, open)
    const lower = mix(shut, height, Math.min(1, open) ** 0.85)
    const corner = (1 - Math.min(1, open)) * mix(2, 6, smile)
    const edge = (apex) =>
      `C ${-width} ${corner + (apex - corner) * 1.33} ${width} ${corner + (apex - corner) * 1.33} ${width} ${corner}`
    const back = `C ${width} ${corner + (lower - corner) * 1.33} ${-width} ${corner + (lower - corner) * 1.33} ${-width} ${corner}`
    set(opening, { d: `M ${-width} ${corner} ${edge(upper)} ${back} Z` })
    set(lash, { d: `M ${-width} ${corner} ${edge(upper)}` })
    set(glow, { cx: gazeX * 3, cy: 19 + gazeY * 3 })
    set(pupil, { transform: `translate(${gazeX * 6} ${gazeY * 6 - 1}) scale(${values.pupil})` })
    set(lights, { transform: `translate(${gazeX * 3} ${gazeY * 3}) scale(${mix(1, values.pupil, 0.7)})` })
  })
}

function brows(face) {
  const shapes = [-1, 1].map((side) => [
    side,
    add(face, 'path', {
      d: 'M -14 2 Q 0 -6 14 2',
      fill: 'none',
      stroke: '#1f4f85',
      'stroke-width': 5.5,
      'stroke-linecap': 'round',
    }),
  ])
  return moves(['browL', 'browR', 'browSlant'], ({ browL, browR, browSlant }) => {
    for (const [side, shape] of shapes) {
      set(shape, {
        transform: `translate(${side * 53} ${-147 - (side < 0 ? browL : browR) * 10}) rotate(${-side * browSlant * 22})`,
      })
    }
  })
}

function mouth(face, paint, id) {
  const part = add(face, 'g')
  const clip = add(add(part, 'clipPath', { id: `${id}mouth` }), 'path')
  const inside = add(part, 'path', { fill: '#8a2b4a' })
  const tongue = add(add(part, 'g', { 'clip-path': `url(#${id}mouth)` }), 'ellipse', {
    rx: 14,
    ry: 11,
    fill: '#ff8c9f',
  })
  const bite = add(part, 'path', { fill: '#ffffff', 'clip-path': `url(#${id}mouth)` })
  add(part, 'ellipse', { rx: 24, ry: 16, cy: 6, fill: 'none', 'data-zone': 'mouth' })
  const lips = add(part, 'path', {
    fill: 'none',
    stroke: line,
    'stroke-width': 4.2,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  })
  return moves(
    ['mouthForm', 'mouthOpen', 'mouthRound', 'mouthWidth', 'teeth'],
    ({ mouthForm, mouthOpen, mouthRound, mouthWidth, teeth }) => {
      const width = (15 + Math.max(0, mouthForm) * 6) * mouthWidth * (1 - 0.36 * mouthRound)
      const corner = -mouthForm * 3.5
      const upper = corner + mouthForm * 9 - mouthRound * (4 + mouthOpen * 12)
      const lower =
        corner + mouthForm * 9 + mouthOpen * mix(33, 26, mouthRound) + mouthRound * 5 * Math.min(1, mouthOpen * 6)
      // A parabola for a line, rounder where the mouth is round.
      const curve = (from, apex, to) => {
        const reach = mix(0.45, 1, mouthRound)
        const control = corner + (apex - corner) * 1.33
        return `M ${from} ${corner} C ${from * reach} ${control} ${to * reach} ${control} ${to} ${corner}`
      }
      const shape = `${curve(-width, upper, width)} ${curve(width, lower, -width).replace(/^M \S+ \S+ /, '')} Z`
      set(part, { transform: `translate(0 ${-58 - mouthRound * 2})` })
      set(clip, { d: shape })
      set(inside, { d: shape, opacity: Math.min(1, mouthOpen * 12) })
      set(tongue, { cy: lower - 2, opacity: Math.min(1, mouthOpen * 4) })
      set(bite, {
        d: `M ${-width} ${corner - 9} L ${width} ${corner - 9} L ${width} ${upper + 5 * teeth} L ${-width} ${upper + 5 * teeth} Z`,
        opacity: Math.min(1, teeth * mouthOpen * 12),
      })
      set(lips, { d: mouthOpen > 0.02 ? shape : curve(-width, upper, width) })
    },
  )
}

/** A water lily over the ear. */
function flower(group) {
  const lily = add(group, 'g', { 'data-zone': 'head' })
  add(lily, 'path', {
    d: 'M -34 10 C -30 -8 -6 -10 2 4 C -4 22 -26 24 -34 10 Z',
    fill: '#7ccf8f',
    stroke: '#3c8f5d',
    'stroke-width': 3,
    'stroke-linejoin': 'round',
  })
  const petal = (degrees, fill, size) =>
    add(lily, 'path', {
      d: 'M 0 4 C -13 -6 -11 -24 0 -31 C 11 -24 13 -6 0 4 Z',
      fill,
      stroke: '#d2608a',
      'stroke-width': 2.6,
      'stroke-linejoin': 'round',
      transform: `rotate(${degrees}) scale(${size})`,
    })
  for (const degrees of [-72, 72, -144, 144, 0]) petal(degrees, '#ffc9dc', 0.9)
  for (const degrees of [-36, 36, 108, -108, 180]) petal(degrees, '#ffe6ef', 0.6)
  add(lily, 'circle', { r: 7, fill: '#ffd764', stroke: '#d99a2b', 'stroke-width': 2.4 })
  return lily
}

/** What floats around the head. */
function signs(group, paint) {
  const seen = (value) => value > 0.01
  const appear = (part, value, x, y, degrees = 0, scale = 1) => {
    if (!seen(value)) return set(part, { opacity: 0, display: 'none', transform: 'scale(0)' })
    set(part, {
      opacity: Math.min(1, value * 1.6),
      display: 'inline',
      transform: `translate(${x} ${y}) rotate(${degrees}) scale(${scale * mix(0.5, 1, Math.min(1, value))})`,
    })
  }
  const sign = () => add(group, 'g')

  const thought = sign()
  const puffs = [
    [-40, 40, 5],
    [-30, 25, 8],
  ].map(([cx, cy, r]) => add(thought, 'circle', { cx, cy, r, fill: '#ffffff', stroke: outline, 'stroke-width': 3 }))
  add(thought, 'path', {
    d: 'M -34 4 C -42 -16 -22 -30 -8 -22 C 2 -36 28 -34 32 -18 C 50 -18 52 8 36 12 C 28 24 8 22 2 16 C -10 24 -30 20 -34 4 Z',
    fill: '#ffffff',
    stroke: outline,
    'stroke-width': 3.5,
    'stroke-linejoin': 'round',
  })
  const dots = [-14, 4, 22].map((cx) => add(thought, 'circle', { cx, r: 4.6, fill: outline }))

  const bang = sign()
  for (const [x, degrees] of [
    [-11, -8],
    [12, 10],
  ]) {
    const mark = add(bang, 'g', {
      transform: `translate(${x} 0) rotate(${degrees})`,
      fill: '#ffb52e',
      stroke: '#c7731c',
      'stroke-width': 3.2,
      'stroke-linejoin': 'round',
    })
    add(mark, 'path', { d: 'M -7 -40 C -7 -47 7 -47 7 -40 L 4 -8 C 3 -4 -3 -4 -4 -8 Z' })
    add(mark, 'circle', { cy: 8, r: 6 })
  }

  const sweat = sign()
  add(sweat, 'path', {
    d: 'M 0 -20 C 6 -9 13 -2 13 7 C 13 15 7 20 0 20 C -7 20 -13 15 -13 7 C -13 -2 -6 -9 0 -20 Z',
    fill: '#e9fbff',
    stroke: outline,
    'stroke-width': 3.4,
  })
  add(sweat, 'path', {
    d: 'M -6 8 C -6 12 -3 14 0 14',
    fill: 'none',
    stroke: '#7cc9ef',
    'stroke-width': 3,
    'stroke-linecap': 'round',
  })

  const tears = [-1, 1].map((side) => [side, sign()])
  for (const [, part] of tears)
    add(part, 'path', {
      d: 'M 0 -11 C 4 -4 8 0 8 5 C 8 10 4 13 0 13 C -4 13 -8 10 -8 5 C -8 0 -4 -4 0 -11 Z',
      fill: '#f2fdff',
      stroke: '#3f8fc9',
      'stroke-width': 2.6,
    })

  const snooze = [0, 1, 2].map((index) => [index, sign()])
  for (const [, part] of snooze) {
    const z = 'M -9 -10 L 9 -10 L -9 10 L 9 10'
    for (const [stroke, width] of [
      ['#ffffff', 10],
      ['#6b7fd7', 5],
    ])
      add(part, 'path', {
        d: z,
        fill: 'none',
        stroke,
        'stroke-width': width,
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
      })
  }

  const hearts = [0, 1, 2].map((index) => [index, sign()])
  for (const [, part] of hearts)
    add(part, 'path', {
      d: 'M 0 15 C -26 -2 -18 -22 -6 -18 C -2 -17 0 -13 0 -11 C 0 -13 2 -17 6 -18 C 18 -22 26 -2 0 15 Z',
      fill: '#ff7d95',
      stroke: '#c9405f',
      'stroke-width': 3,
      'stroke-linejoin': 'round',
    })

  const sparkle = [
    [-142, -300, 1],
    [138, -318, 0.8],
    [154, -226, 0.6],
    [-150, -216, 0.65],
  ].map(([x, y, size]) => ({ x, y, size, part: sign() }))
  for (const { part } of sparkle)
    add(part, 'path', {
      d: 'M 0 -22 C 3 -7 7 -3 22 0 C 7 3 3 7 0 22 C -3 7 -7 3 -22 0 C -7 -3 -3 -7 0 -22 Z',
      fill: '#ffd75e',
      stroke: '#d9962a',
      'stroke-width': 2.8,
      'stroke-linejoin': 'round',
    })

  const ask = sign()
  for (const [stroke, width] of [
    ['#c7731c', 17],
    ['#ffb52e', 10],
  ]) {
    const mark = { fill: 'none', stroke, 'stroke-width': width, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }
    add(ask, 'path', { d: 'M -14 -26 C -14 -48 18 -48 16 -26 C 15 -14 0 -14 0 2 M 0 20 L 0 20.1', ...mark })
  }

  const sigh = sign()
  add(sigh, 'path', {
    d: 'M -2 2 C 6 -1 9 -4 12 -8 C 12 -20 30 -22 34 -12 C 46 -16 54 -2 44 6 C 46 18 30 22 24 13 C 16 18 9 12 12 7 C 8 6 3 5 -2 2 Z',
    fill: '#f4fbff',
    stroke: outline,
    'stroke-width': 3.4,
    'stroke-linejoin': 'round',
  })

  const cross = sign()
  add(cross, 'path', {
    d: 'M -18 -6 Q -5 -5 -6 -18 M 6 -18 Q 5 -5 18 -6 M 18 6 Q 5 5 6 18 M -6 18 Q -5 5 -18 6',
    fill: 'none',
    stroke: '#e2506a',
    'stroke-width': 5.5,
    'stroke-linecap': 'round',
  })

  return moves(
    ['headX', ...floating],
    (values, seconds) => {
      const wave = (speed, phase = 0) => Math.sin(seconds * speed + phase)
      appear(thought, values.thought, 158, -372 + wave(1.8) * 3, 0, 1.3)
      puffs.forEach((shape, index) => set(shape, { opacity: values.thought > 0.3 + index * 0.2 ? 1 : 0 }))
      dots.forEach((shape, index) =>
        set(shape, { cy: seen(values.thought) ? -5 + Math.min(0, wave(4, -index * 0.9)) * 5 : -5 }),
      )
      appear(bang, values.bang, 112, -340, 14 + wave(11) * 2)
      appear(sweat, values.sweat, 122, -248 + wave(1.6) * 4, 8)
      for (const [side, part] of tears)
        appear(part, values.tear, side * 62 + values.headX * 18, -166 + wave(2, side) * 3)
      for (const [index, part] of snooze) {
        const rise = (seconds / 3.2 + index / 3) % 1
        appear(
          part,
          values.snooze * Math.sin(rise * Math.PI),
          112 + rise * 52 + Math.sin(rise * 7) * 6,
          -286 - rise * 96,
          -10 + rise * 18,
          0.7 + rise * 0.7,
        )
      }
      for (const [index, part] of hearts) {
        const rise = (seconds / 2.6 + index * 0.37) % 1
        appear(
          part,
          values.hearts * Math.sin(rise * Math.PI),
          [136, -140, 160][index] + Math.sin(rise * 6 + index) * 8,
          -232 - rise * 110,
          Math.sin(rise * 6) * 10,
          [1, 0.8, 0.65][index],
        )
      }
      sparkle.forEach(({ x, y, size, part }, index) =>
        appear(part, values.sparkle, x, y, 0, size * (0.8 + 0.2 * wave(3.4, index * 1.7))),
      )
      appear(ask, values.ask, 142, -338 + wave(1.6) * 2, 10)
      appear(sigh, values.sigh, 40 + values.headX * 17, -142 + wave(1.4) * 2, 14, 1.5)
      appear(cross, values.cross, -106, -286, -8, 0.95 + wave(8) * 0.06)
    },
    floating,
  )
}

function gradients(defs, id) {
  const gradient = (kind, name, attributes, ...stops) => {
    const node = add(defs, kind, { id: id + name, ...attributes })
    for (const [offset, color, opacity = 1] of stops)
      add(node, 'stop', { offset, 'stop-color': color, 'stop-opacity': opacity })
  }
  const inUser = { gradientUnits: 'userSpaceOnUse' }
  gradient(
    'radialGradient',
    'skin',
    { ...inUser, cx: -36, cy: -150, r: 200 },
    [0, '#ecfbff'],
    [0.4, '#bdecfb'],
    [0.75, '#86d4f3'],
    [1, '#56b3e6'],
  )
  gradient('linearGradient', 'body', { x1: 0, y1: 0, x2: 0.3, y2: 1 }, [0, '#8fd8f4'], [1, '#64bce9'])
  gradient(
    'linearGradient',
    'arm',
    { ...inUser, x1: 0, y1: -150, x2: 0, y2: 10 },
    [0, '#b4e8fa'],
    [0.6, '#8fd8f4'],
    [1, '#6cc2ec'],
  )
  gradient('linearGradient', 'scarf', { x1: 0, y1: 0, x2: 0, y2: 1 }, [0, '#ff9c83'], [1, '#f4695f'])
  gradient(
    'linearGradient',
    'iris',
    { x1: 0, y1: 0.2, x2: 0, y2: 0.8 },
    [0, '#16284c'],
    [0.55, '#27578f'],
    [1, '#4fb9e0'],
  )
  gradient('radialGradient', 'glow', {}, [0, '#a5f1ff', 1], [0.55, '#7fe3ff', 0.8], [1, '#7fe3ff', 0])
  gradient('radialGradient', 'cheek', {}, [0, '#ff8fa6', 0.95], [0.6, '#ff9fb2', 0.6], [1, '#ffb3c1', 0])
  gradient('radialGradient', 'shadow', {}, [0, '#10263f', 0.34], [0.6, '#10263f', 0.2], [1, '#10263f', 0])
  return (name) => `url(#${id}${name})`
}
