// The window of a pet against fakes of Electron, as each system has it. It never ran in a real one: js/docs/pet.md says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { petWindow } from 'sluice/electron'
import { bubbleAt, boundsAt, landed, placeOf, readPlace } from '../../js/dist/esm/electron/pet-place.js'
import { platformOf, rowOf } from '../../js/dist/esm/electron/pet-platform.js'
import { display, fakeElectron } from './electron-fake.mjs'

function open(t, { platform = 'win32', fake = {}, ...options } = {}) {
  const before = Object.getOwnPropertyDescriptor(process, 'platform')
  Object.defineProperty(process, 'platform', { ...before, value: platform })
  t.after(() => Object.defineProperty(process, 'platform', before))
  if (!mocked.has(t)) t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] })
  mocked.add(t)
  const world = fakeElectron(fake)
  const kept = []
  const problems = []
  const chats = []
  const pet = petWindow(world.electron, {
    url: 'app://pet/index.html', preload: '/preload.cjs', openChat: () => chats.push(1), onProblem: (what) => problems.push(what),
    place: { load: () => undefined, save: (place) => kept.push(place) }, ...options,
  })
  t.after(() => pet.close())
  return { ...world, get listening() { return world.listening }, pet, window: world.windows[0], bubble: world.windows[1], kept, problems, chats, pass: (ms) => pass(t, ms) }
}
const mocked = new WeakSet()
/** In small steps: a tick tells all that runs in it the time of its end. */
function pass(t, ms) {
  const step = ms > 60_000 ? 1000 : 16
  for (let left = ms; left > 0; left -= step) t.mock.timers.tick(Math.min(step, left))
}
const probes = (window) => window.webContents.sent('probe')

test('it stands with its feet on the edge of the work area, shown without taking the focus, in a page that may nothing more', (t) => {
  const { window } = open(t, { size: 200 })
  const { x, y, width, height } = window.getBounds()
  assert.deepEqual([width, height], [200, 240])
  assert.equal(y + height, 1040)
  assert.ok(x > 1000 && x + width <= 1920)
  assert.equal(window.isVisible(), true)
  const { transparent, frame, alwaysOnTop, skipTaskbar, resizable, webPreferences } = window.settings
  assert.deepEqual({ transparent, frame, alwaysOnTop, skipTaskbar, resizable }, { transparent: true, frame: false, alwaysOnTop: true, skipTaskbar: true, resizable: false })
  assert.deepEqual(webPreferences, { preload: '/preload.cjs', contextIsolation: true, sandbox: true, nodeIntegration: false, spellcheck: false, backgroundThrottling: true })
  assert.equal(window.webContents.opens, 'deny')
  let stopped = 0
  window.webContents.emit('will-navigate', { preventDefault: () => stopped++ })
  assert.equal(stopped, 1)
})

for (const [platform, fake, expected] of [
  ['win32', {}, { top: [true], everywhere: undefined, type: undefined, forwards: true, free: true }],
  ['darwin', {}, { top: [true, 'floating'], everywhere: [true, { visibleOnFullScreen: true }], type: 'panel', forwards: true, free: true }],
  ['linux', { ozone: 'x11' }, { top: [true], everywhere: [true, { visibleOnFullScreen: true }], type: undefined, forwards: false, free: true }],
  ['linux', { ozone: 'wayland' }, { top: undefined, everywhere: undefined, type: undefined, forwards: undefined, free: false }],
]) {
  test(`${platform} ${fake.ozone ?? ''}: the window is what the system can do`, (t) => {
    const { window, windows, pass } = open(t, { platform, fake, bubble: 'window' })
    assert.deepEqual({ top: window.top, everywhere: window.everywhere, type: window.settings.type, forwards: window.forwards, free: window.settings.transparent === true }, expected)
    assert.equal(windows.length, expected.free ? 2 : 1, 'without a place a bubble cannot stand beside it')
    pass(2000)
    if (expected.free) assert.equal(window.ignores, true)
    else assert.equal(window.ignored, undefined, 'an ordinary window takes its clicks')
  })
}

test('which system it is, and what an Electron cannot do there', () => {
  assert.equal(platformOf('linux', { XDG_SESSION_TYPE: 'wayland' }, ''), 'wayland')
  assert.equal(platformOf('linux', { XDG_SESSION_TYPE: 'wayland' }, 'x11'), 'x11')
  assert.equal(platformOf('linux', { XDG_SESSION_TYPE: 'x11' }, ''), 'x11')
  assert.equal(platformOf('linux', { WAYLAND_DISPLAY: 'wayland-0' }, ''), 'wayland')
  assert.equal(rowOf('x11', '43.1.0').through, false)
  assert.equal(rowOf('x11', '44.0.0').through, true)
  assert.equal(rowOf('windows', '43.1.0').through, true)
})

test('clicks pass where nothing is drawn: the cursor is looked for, the page is asked, and a page that is silent eats none', (t) => {
  const { window, cursor, pass } = open(t)
  const { x, y } = window.getBounds()
  pass(1000)
  assert.equal(probes(window).length, 0, 'far away nothing is asked')
  cursor(x + 50, y + 60)
  pass(500)
  const probe = probes(window).at(-1)
  assert.deepEqual([probe.x, probe.y], [50, 60])
  window.says({ over: true, probe: probe.probe })
  assert.equal(window.ignores, false)
  window.says({ over: false, probe: probe.probe - 1 })
  assert.equal(window.ignores, false, 'an answer of long ago')
  const asked = probes(window).length
  cursor(x + 51, y + 60)
  pass(80)
  assert.equal(probes(window).length, asked + 1)
  window.says({ over: false, probe: probes(window).at(-1).probe })
  assert.equal(window.ignores, true)
  assert.equal(window.forwards, true)
  cursor(x + 52, y + 60)
  pass(80)
  window.says({ over: true, probe: probes(window).at(-1).probe })
  assert.equal(window.ignores, false)
  pass(2000) // the cursor stands; the page hangs
  assert.equal(window.ignores, true)
  const before = window.ignored
  window.webContents.emit('did-finish-load')
  assert.equal(window.ignored, before + 1, 'set again with each page: forwarding ended with the last one')
  cursor(0, 0)
  pass(500)
  assert.equal(window.ignores, true)
})

test('it follows the cursor while it is carried, of the same size, lands on the edge, and its place is kept', (t) => {
  const { window, cursor, pass, kept } = open(t, { platform: 'darwin' })
  const { x, y, width, height } = window.getBounds()
  cursor(x + 20, y + 30)
  window.says({ carry: true })
  cursor(x + 20 - 400, y + 30 - 25)
  pass(16)
  assert.deepEqual(window.getBounds(), { x: x - 400, y: y - 25, width, height })
  window.says({ carry: false })
  assert.deepEqual(window.getBounds(), { x: x - 400, y, width, height }, 'near to the edge it stands on it')
  assert.equal(kept.length, 1)
  cursor(x, y)
  pass(1000)
  assert.deepEqual(window.getBounds(), { x: x - 400, y, width, height }, 'let go')
  const again = open(t, { platform: 'darwin', place: { load: () => JSON.parse(JSON.stringify(kept[0])), save() {} } })
  assert.deepEqual(again.window.getBounds(), { x: x - 400, y, width, height })
})

test('a carried pet whose page crashes is let go, and none is carried out of reach', (t) => {
  const { window, cursor, pass, kept } = open(t)
  window.says({ carry: true })
  cursor(9000, 9000)
  pass(16)
  window.webContents.emit('render-process-gone')
  const { x, y } = window.getBounds()
  assert.equal(x, 1920 - 100)
  assert.equal(y, 1040 - 100)
  assert.deepEqual(window.webContents.sent('landed'), [{ landed: true }])
  assert.equal(kept.length, 1)
})

test('displays that go and come: it moves to the one that is left, and back', (t) => {
  const two = [display(1), display(2, 1920, 0, 2560, 1400)]
  const { window, displays } = open(t, { fake: { displays: two }, place: { load: () => ({ display: 2, x: 0.5, y: 1, scale: 1 }), save() {} } })
  const there = window.getBounds()
  assert.ok(there.x > 1920 && there.y + there.height === 1400)
  displays([two[0]], 'display-removed')
  const here = window.getBounds()
  assert.ok(here.x < 1920 && here.y + here.height === 1040)
  displays(two, 'display-added')
  assert.deepEqual(window.getBounds(), there)
  displays([two[0], display(2, 1920, 0, 1280, 700)], 'display-metrics-changed')
  assert.equal(window.getBounds().y + window.getBounds().height, 700)
})

test('the bubble stands beside the head, comes and goes as its page says, and hides while the pet is carried', (t) => {
  const { window, bubble, pass, cursor } = open(t, { bubble: 'window' })
  assert.equal(bubble.url, 'app://pet/index.html#bubble')
  assert.equal(window.url, 'app://pet/index.html#body')
  assert.equal(bubble.isVisible(), false)
  const size = window.getBounds()
  bubble.says({ bubble: true })
  assert.equal(bubble.isVisible(), true)
  const box = bubble.getBounds()
  assert.equal(box.y + box.height, size.y, 'above it')
  assert.deepEqual(window.getBounds(), size, 'the pet stays as large as it is')
  window.says({ carry: true })
  assert.equal(bubble.isVisible(), false)
  cursor(-300, -700)
  pass(16)
  window.says({ carry: false })
  assert.equal(bubble.isVisible(), true)
  assert.notEqual(bubble.webContents.sent('side').at(-1).side, 'above', 'no room there any more')
  bubble.says({ bubble: false })
  assert.equal(bubble.isVisible(), false)
})

test('where a bubble stands', () => {
  const one = display(1)
  const size = { width: 320, height: 230 }
  const at = (x, y) => bubbleAt({ x, y, width: 260, height: 312 }, one, size)
  assert.equal(at(800, 700).side, 'above')
  assert.equal(at(1600, 100).side, 'left')
  assert.equal(at(20, 100).side, 'right')
  for (const [x, y] of [[0, 0], [1800, 0], [-100, 900], [1900, 1000], [800, 700]]) {
    const { bounds } = at(x, y)
    assert.ok(bounds.x >= 0 && bounds.y >= 0 && bounds.x + bounds.width <= 1920 && bounds.y + bounds.height <= 1040, `${x} ${y}`)
  }
})

test('a place survives being kept, and nonsense in its file', () => {
  const one = display(7, 100, 50, 1000, 800)
  for (const x of [100, 333, 840]) {
    const bounds = { x, y: 300, width: 260, height: 312 }
    assert.deepEqual(boundsAt(placeOf(bounds, one, 1), [one], one, 260), bounds)
  }
  for (const nonsense of [undefined, null, 5, {}, { display: 1, x: 'a', y: 1, scale: 1 }, { display: 1, x: NaN, y: 1, scale: 1 }]) assert.equal(readPlace(nonsense), undefined)
  assert.deepEqual(readPlace({ display: 1, x: 99, y: -4, scale: 1e9 }), { display: 1, x: 1, y: 0, scale: 3 })
  assert.equal(landed({ x: 0, y: -500, width: 260, height: 312 }, one).y, 50, 'its head is always there')
})

test('quiet for a time, by hand, while somebody presents, and while the screen is locked', (t) => {
  let presents = false
  const { pet, window, electron, pass } = open(t, { presenting: () => presents })
  const last = () => window.webContents.sent('quiet').at(-1)?.quiet
  pet.quiet(new Date(Date.now() + 60_000))
  assert.equal(last(), true)
  pass(60_000)
  assert.equal(last(), false)
  presents = true
  pass(5000)
  assert.equal(last(), true)
  presents = false
  pass(5000)
  assert.equal(last(), false)
  pet.quiet()
  pass(86_400_000)
  assert.equal(last(), true)
  window.webContents.emit('did-finish-load')
  assert.equal(last(), true, 'a page that was loaded again is told')
  pet.quiet(null)
  assert.equal(last(), false)
  electron.powerMonitor.emit('lock-screen')
  assert.equal(last(), true)
  assert.equal(window.isVisible(), false, 'nobody sees it: nothing is drawn')
  electron.powerMonitor.emit('unlock-screen')
  assert.equal(last(), false)
  assert.equal(window.isVisible(), true)
  pet.hide()
  electron.powerMonitor.emit('suspend')
  electron.powerMonitor.emit('resume')
  assert.equal(window.isVisible(), false, 'hidden by hand')
})

test('tray, menu and hotkey: show, quiet for an hour, chat, size, start with the system, quit', (t) => {
  const { window, trays, menus, keys, calls, chats, kept, pass } = open(t, { tray: { icon: 'icon.png' }, hotkey: 'Alt+L' })
  const [tray] = trays
  const line = (label, items = tray.menu.items) => items.find((item) => item.label === label)
  line('Hide').click()
  assert.equal(window.isVisible(), false)
  line('Show').click()
  assert.equal(window.isVisible(), true)
  tray.emit('click')
  assert.equal(window.isVisible(), false)
  keys.get('Alt+L')()
  assert.equal(window.isVisible(), true)
  line('Quiet for an hour').click()
  assert.equal(window.webContents.sent('quiet').at(-1).quiet, true)
  assert.ok(line('No longer quiet'))
  pass(3_600_000)
  assert.ok(line('Quiet for an hour'))
  line('Open the chat').click()
  window.says({ open: 'chat' })
  assert.equal(chats.length, 2)
  const { y, height, width } = window.getBounds()
  line('Large', line('Size').submenu).click()
  assert.equal(window.getBounds().width, Math.round(width * 1.35))
  assert.equal(window.getBounds().y + window.getBounds().height, y + height, 'its feet stay')
  assert.equal(kept.at(-1).scale, 1.35)
  assert.equal(line('Large', line('Size').submenu).checked, true)
  line('Start with the system').click()
  assert.equal(line('Start with the system').checked, true)
  window.says({ open: 'menu' })
  assert.equal(menus[0].options.window, window)
  line('Quit').click()
  assert.deepEqual(calls, ['quit'])
})

test('a system without tray, a hotkey that is taken, a place that cannot be kept: told, and it goes on', (t) => {
  const { problems, window } = open(t, {
    platform: 'linux', fake: { ozone: 'x11', tray: false, taken: ['Alt+L'] }, tray: { icon: 'i' }, hotkey: 'Alt+L',
    place: { load: () => { throw new Error('no file') }, save() {} },
  })
  assert.equal(problems.length, 3)
  assert.match(problems.join('\n'), /no file[\s\S]*hotkey Alt\+L[\s\S]*no tray|no tray[\s\S]*hotkey/)
  assert.equal(window.isVisible(), true)
})

test('other windows, frames within its page, and nonsense move nothing', (t) => {
  const { window, menus, cursor, pass, chats } = open(t)
  const before = window.getBounds()
  window.says({ carry: true }, { sender: { id: 99 } })
  window.says({ carry: true }, { parent: {} })
  for (const nonsense of [null, 5, 'carry', [], { carry: 'yes' }, { open: 'quit' }, { over: 1, probe: 'x' }, { bubble: true }]) window.says(nonsense)
  cursor(500, 500)
  pass(100)
  assert.deepEqual(window.getBounds(), before)
  assert.equal(menus.length + chats.length, 0)
})

test('closed it leaves nothing behind', (t) => {
  const world = open(t, { bubble: 'window', tray: { icon: 'i' }, hotkey: 'Alt+L', presenting: () => false })
  world.window.says({ carry: true })
  world.pet.close()
  world.pet.close()
  world.pet.show()
  world.pet.quiet()
  world.pass(10_000)
  assert.equal(world.listening, 0)
  assert.equal(world.keys.size, 0)
  assert.equal(world.trays[0].gone, true)
  assert.ok(world.windows.every((window) => window.isDestroyed()))
})

test('wrong options, and an Electron of which something is missing, are told', (t) => {
  const { electron } = open(t)
  assert.throws(() => petWindow(electron, { url: 'x', preload: 'y' }), /openChat/)
  assert.throws(() => petWindow(electron, { url: 'x', preload: 'y', openChat() {}, size: 3 }), /size/)
  assert.throws(() => petWindow({ ...electron, screen: undefined }, { url: 'x', preload: 'y', openChat() {} }), /screen/)
})
