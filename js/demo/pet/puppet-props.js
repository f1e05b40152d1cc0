// What the puppet has in its right hand: a magnifier, a pencil, a letter, a spanner, and a plug that is not in its
// socket.
import { add, mix, outline, set } from './puppet-pen.js'

const edge = { stroke: outline, 'stroke-width': 3.4, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' }

/** What it may have in its hand: parameters of the drawing. */
export const held = ['propSearch', 'propWrite', 'propLetter', 'propTool', 'plug']
/** What sways in its hand. */
export const waved = held.filter((name) => name !== 'plug')

/** Draws them into `group`, and gives the function that moves them with the hand. */
export function props(group) {
  const part = () => add(group, 'g', { display: 'none', 'data-zone': 'hand' })

  const search = part()
  add(search, 'path', {
    d: 'M 0 6 L 0 -22',
    fill: 'none',
    stroke: outline,
    'stroke-width': 13,
    'stroke-linecap': 'round',
  })
  add(search, 'path', {
    d: 'M 0 6 L 0 -22',
    fill: 'none',
    stroke: '#ffb86b',
    'stroke-width': 7,
    'stroke-linecap': 'round',
  })
  add(search, 'circle', { cy: -50, r: 27, fill: '#e4fbff', 'fill-opacity': 0.75, stroke: outline, 'stroke-width': 10 })
  add(search, 'circle', { cy: -50, r: 27, fill: 'none', stroke: '#ffd257', 'stroke-width': 5 })
  add(search, 'path', {
    d: 'M -14 -58 C -11 -66 -4 -69 2 -68',
    fill: 'none',
    stroke: '#ffffff',
    'stroke-width': 5,
    'stroke-linecap': 'round',
  })

  const write = part()
  add(write, 'path', { d: 'M -9 20 L -9 -44 C -9 -54 9 -54 9 -44 L 9 20 Z', fill: '#ffd257', ...edge })
  add(write, 'path', { d: 'M -9 -36 L 9 -36 L 9 -45 C 9 -54 -9 -54 -9 -45 Z', fill: '#ff8f9f', ...edge })
  add(write, 'path', { d: 'M -9 20 L 0 40 L 9 20 Z', fill: '#ffe9cf', ...edge })
  add(write, 'path', { d: 'M -4 31 L 0 40 L 4 31 Z', fill: '#27406b', stroke: '#27406b', 'stroke-width': 2 })

  const letter = part()
  add(letter, 'rect', { x: -38, y: -56, width: 76, height: 52, rx: 6, fill: '#fffdf5', ...edge })
  add(letter, 'path', { d: 'M -35 -53 L 0 -26 L 35 -53', fill: 'none', ...edge })
  add(letter, 'path', {
    d: 'M 0 -14 C -11 -23 -8 -31 -2 -29 C -1 -28 0 -27 0 -26 C 0 -27 1 -28 2 -29 C 8 -31 11 -23 0 -14 Z',
    fill: '#ff7d95',
  })

  const tool = part()
  add(tool, 'path', {
    d: 'M -7 14 L -7 -34 C -21 -41 -22 -61 -9 -67 L -9 -50 L 9 -50 L 9 -67 C 22 -61 21 -41 7 -34 L 7 14 C 7 22 -7 22 -7 14 Z',
    fill: '#c9d6e6',
    ...edge,
  })

  const plug = part()
  const cable = add(group, 'path', {
    display: 'none',
    fill: 'none',
    stroke: '#7f93b8',
    'stroke-width': 7,
    'stroke-linecap': 'round',
  })
  add(plug, 'path', {
    d: 'M -9 -32 L -9 -48 M 9 -32 L 9 -48',
    fill: 'none',
    stroke: '#9fb0c8',
    'stroke-width': 6,
    'stroke-linecap': 'round',
  })
  add(plug, 'path', { d: 'M -20 -32 L 20 -32 L 18 -8 C 16 4 -16 4 -18 -8 Z', fill: '#e8eefb', ...edge })

  const shapes = [
    [search, 14, 1.15],
    [write, 30, 1.6],
    [letter, 8, 1.15],
    [tool, 18, 1.4],
    [plug, 24, 1.3],
  ]
  return (values, seconds, x, y) => {
    for (const [index, [shape, degrees, size]] of shapes.entries()) {
      const name = held[index]
      const value = values[name]
      if (value < 0.02) {
        set(shape, { display: 'none' })
        continue
      }
      const sway = waved.includes(name) ? 7 * Math.sin(seconds * 2.2) : 0
      set(shape, {
        display: 'inline',
        opacity: Math.min(1, value * 1.5),
        transform: `translate(${x} ${y}) rotate(${degrees + sway}) scale(${size * mix(0.4, 1, value)})`,
      })
    }
    const loose = values.plug
    if (loose < 0.02) set(cable, { display: 'none' })
    else
      set(cable, {
        display: 'inline',
        opacity: Math.min(1, loose * 1.5),
        d: `M ${x} ${y + 2} C ${x} ${y * 0.4} ${x + 54} ${y * 0.55} ${x + 38} -14 S ${x + 58} -3 ${x + 80} -3`,
      })
  }
}
