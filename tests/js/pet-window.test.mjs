// The window of a pet against fakes of Electron, as each system has it. It never ran in a real one: js/docs/pet.md says
// so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { petWindow } from 'sluice/electron'
import { display, fakeElectron } from './electron-fake.mjs'

const { bubbleAt, boundsAt, landed, placeOf, readPlace } = await built('pet-place')
const { platformOf, rowOf } = await built('pet-platform')

function open(t, { platform = 'win32', fake = {}, mocks = true, ...options } = {}) {
  const before = Object.getOwnPropertyDescriptor(process, 'platform')
  Object.defineProperty(process, 'platform', { ...before, value: platform })
  t.after(() => Object.defineProperty(process, 'platform', before))
  if (mocks && !passed.has(t)) {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] })
    t.mock.method(performance, 'now', () => passed.get(t))
    passed.set(t, 0)
  }
  const world = fakeElectron(fake)
  const kept = []
  const problems = []
  const chats = []
  const pet = petWindow(world.electron, {
    url: 'app://pet/index.html',
    preload: '/preload.cjs',
    openChat: () => chats.push(1),
    onProblem: (what) => problems.push(what),
    place: { load: () => undefined, save: (place) => kept.push(place) },
    ...options,
  })
  t.after(() => pet.close())
  return {
    ...world,
    get listening() {
      return world.listening
    },
    pet,
    window: world.windows[0],
    bubble: world.windows[1],
    kept,
    problems,
    chats,
    pass: (ms) => pass(t, ms),
  }
}
/** What `performance.now()` says: a clock that is set moves the date alone. */
const passed = new WeakMap()
/** In small steps: a tick tells all that runs in it the time of its end. */
function pass(t, ms) {
  const step = ms > 60_000 ? 1000 : 16
  for (let left = ms; left > 0; left -= step) {
    passed.set(t, passed.get(t) + Math.min(step, left))
    t.mock.timers.tick(Math.min(step, left))
  }
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
  assert.deepEqual(
    { transparent, frame, alwaysOnTop, skipTaskbar, resizable },
    { transparent: true, frame: false, alwaysOnTop: true, skipTaskbar: true, resizable: false },
  )
  assert.deepEqual(
    webPreferences,
    {
      preload: '/preload.cjs',
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      spellcheck: false,
      backgroundThrottling: true,
      autoplayPolicy: 'no-user-gesture-required',
    },
    'it speaks though nobody clicked on it',
  )
  assert.equal(window.webContents.opens, 'deny')
  let stopped = 0
  window.webContents.emit('will-navigate', { preventDefault: () => stopped++ })
  assert.equal(stopped, 1)
})

for (const [platform, fake, expected] of [
  ['win32', {}, { top: [true], everywhere: undefined, type: undefined, forwards: true, free: true }],
  [
    'darwin',
    {},
    {
      top: [true, 'floating'],
      everywhere: [true, { visibleOnFullScreen: true, skipTransformProcessType: true }],
      type: 'panel',
      forwards: true,
      free: true,
    },
  ],
  [
    'linux',
    { ozone: 'x11' },
    {
      top: [true],
      everywhere: [true, { visibleOnFullScreen: true, skipTransformProcessType: true }],
      type: undefined,
      forwards: false,
      free: true,
    },
  ],
  [
    'linux',
    { ozone: 'wayland' },
    { top: undefined, everywhere: undefined, type: undefined, forwards: undefined, free: false },
  ],
]) {
  test(`${platform} ${fake.ozone ?? ''}: the window is what the system can do`, (t) => {
    const { window, windows, pass } = open(t, { platform, fake, bubble: 'window' })
    assert.deepEqual(
      {
        top: window.top,
        everywhere: window.everywhere,
        type: window.settings.type,
        forwards: window.forwards,
        free: window.settings.transparent === true,
      },
      expected,
    )
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
  const { window, displays } = open(t, {
    fake: { displays: two },
    place: { load: () => ({ display: 2, x: 0.5, y: 1, scale: 1 }), save() {} },
  })
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
  for (const [x, y] of [
    [0, 0],
    [1800, 0],
    [-100, 900],
    [1900, 1000],
    [800, 700],
  ]) {
    const { bounds } = at(x, y)
    assert.ok(
      bounds.x >= 0 && bounds.y >= 0 && bounds.x + bounds.width <= 1920 && bounds.y + bounds.height <= 1040,
      `${x} ${y}`,
    )
  }
})

test('a place survives being kept, and nonsense in its file', () => {
  const one = display(7, 100, 50, 1000, 800)
  for (const x of [100, 333, 840]) {
    const bounds = { x, y: 300, width: 260, height: 312 }
    assert.deepEqual(boundsAt(placeOf(bounds, one, 1), [one], one, 260), bounds)
  }
  for (const nonsense of [
    undefined,
    null,
    5,
    {},
    { display: 1, x: 'a', y: 1, scale: 1 },
    { display: 1, x: NaN, y: 1, scale: 1 },
  ])
    assert.equal(readPlace(nonsense), undefined)
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
  const { window, trays, menus, keys, calls, chats, kept, pass } = open(t, {
    tray: { icon: 'icon.png' },
    hotkey: 'Alt+L',
  })
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
  pass(400)
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

test('a menu() that throws leaves the usual lines, and is told', (t) => {
  const { electron, window, trays, problems } = open(t, {
    tray: {
      icon: 'icon.png',
      menu: () => {
        throw new Error('no')
      },
    },
  })
  electron.powerMonitor.emit('lock-screen')
  assert.equal(window.isVisible(), false)
  assert.ok(trays[0].menu.items.some(({ label }) => label === 'Show'))
  assert.match(problems.at(-1), /menu\(\) threw: no/)
})

test('a system without tray, a hotkey that is taken, a place that cannot be kept: told, and it goes on', (t) => {
  const { problems, window } = open(t, {
    platform: 'linux',
    fake: { ozone: 'x11', tray: false, taken: ['Alt+L'] },
    tray: { icon: 'i' },
    hotkey: 'Alt+L',
    place: {
      load: () => {
        throw new Error('no file')
      },
      save() {},
    },
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
  for (const nonsense of [
    null,
    5,
    'carry',
    [],
    { carry: 'yes' },
    { open: 'quit' },
    { over: 1, probe: 'x' },
    { bubble: true },
  ])
    window.says(nonsense)
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

// -- what a person may change -----------------------------------------------------------------------------------------

test('size, hotkey, quiet hours and bubble are changed at run time, all or nothing, and kept', (t) => {
  const saved = []
  const { pet, window, bubble, keys, electron, pass } = open(t, {
    bubble: 'window',
    hotkey: 'Alt+L',
    fake: { taken: ['Alt+X'] },
    settings: { load: () => undefined, save: (one) => saved.push(one) },
  })
  const usual = { scale: 1, hotkey: 'Alt+L', quietHours: null, bubble: { size: 1, duration: 1, off: false } }
  assert.deepEqual(pet.settings, usual)
  const { y, height, width } = window.getBounds()
  pet.change({ scale: 1.5, hotkey: 'Alt+K', bubble: { size: 1.5 } })
  assert.equal(window.getBounds().width, width * 1.5)
  assert.equal(window.getBounds().y + window.getBounds().height, y + height)
  assert.deepEqual([...keys.keys()], ['Alt+K'])
  assert.deepEqual(bubble.webContents.sent('look').at(-1).look, { size: 1.5, duration: 1, off: false })
  assert.equal(bubble.getBounds().width, 480)
  assert.deepEqual(saved.at(-1), {
    ...usual,
    scale: 1.5,
    hotkey: 'Alt+K',
    bubble: { size: 1.5, duration: 1, off: false },
  })
  for (const [change, path] of [
    [{ scale: 1, hotkey: 'Alt+X' }, 'hotkey'],
    [{ scale: 99 }, 'scale'],
    [{ scale: NaN }, 'scale'],
    [{ bubble: { size: 0 } }, 'bubble.size'],
    [{ bubble: { off: 1 } }, 'bubble.off'],
    [{ quietHours: { from: '25:00', to: '07:00' } }, 'quietHours.from'],
    [{ quietHours: { from: '22:00' } }, 'quietHours.to'],
    [{ colour: 'red' }, 'colour'],
  ])
    assert.throws(
      () => pet.change(change),
      (error) => error.code === 'option' && error.path === path,
      path,
    )
  assert.equal(pet.settings.scale, 1.5, 'nothing of a change that is refused')
  assert.deepEqual([...keys.keys()], ['Alt+K'])
  assert.equal(saved.length, 1)
  pet.change({ hotkey: null, bubble: { off: true } })
  assert.equal(keys.size, 0)
  electron.app.getLocale = () => 'zh-CN'
  window.webContents.emit('did-finish-load')
  assert.equal(window.webContents.sent('look').at(-1).look.off, true, 'a page that was loaded again is told')
  pass(100)
  const again = open(t, {
    settings: { load: () => JSON.parse(JSON.stringify({ ...saved.at(-1), hotkey: 'Alt+M' })), save() {} },
    hotkey: 'Alt+L',
  })
  assert.equal(again.pet.settings.bubble.off, true)
  assert.deepEqual([...again.keys.keys()], ['Alt+M'], 'what a person chose goes before what the app wants')
  const nonsense = open(t, {
    settings: {
      load: () => ({ scale: 'big', hotkey: 5, quietHours: { from: 'x' }, bubble: { size: 1e9, duration: 2 } }),
      save() {},
    },
  })
  assert.deepEqual(nonsense.pet.settings, { ...usual, hotkey: null, bubble: { size: 1, duration: 2, off: false } })
})

test('keys that another program has at the start stay what the person chose: nothing else that is changed forgets them, and they are tried again', (t) => {
  const saved = []
  const taken = ['Alt+M']
  const { pet, window, keys, problems } = open(t, {
    fake: { taken },
    settings: { load: () => ({ hotkey: 'Alt+M' }), save: (one) => saved.push(one) },
  })
  assert.match(problems.join(), /the hotkey Alt\+M cannot be had/)
  assert.equal(keys.size, 0)
  pet.change({ scale: 1.5 })
  assert.deepEqual([saved.at(-1).hotkey, pet.settings.hotkey], ['Alt+M', 'Alt+M'])
  assert.throws(
    () => pet.change({ hotkey: 'Alt+M' }),
    (error) => error.path === 'hotkey',
  )
  taken.pop() // that program has ended
  pet.change({ hotkey: 'Alt+M' })
  keys.get('Alt+M')()
  assert.equal(window.isVisible(), false)
  pet.change({ hotkey: 'Alt+M', bubble: { off: true } })
  assert.deepEqual([...keys.keys()], ['Alt+M'], 'its own keys are not in its way')
  pet.change({ hotkey: null })
  assert.equal(keys.size, 0)
})

test('quiet hours begin and end with their minute, over midnight, and after a laptop that slept through them', (t) => {
  const { pet, window, electron, pass } = open(t)
  const last = () => window.webContents.sent('quiet').at(-1)?.quiet ?? false
  const at = (hours, minutes) => t.mock.timers.setTime(new Date(2026, 10, 23, hours, minutes, 30).getTime())
  at(21, 58)
  pet.change({ quietHours: { from: '22:00', to: '07:30' } })
  assert.equal(last(), false)
  pass(89_000)
  assert.equal(last(), false)
  pass(2000)
  assert.equal(last(), true)
  pass(9 * 3_600_000)
  assert.equal(last(), true)
  pass(1_800_000)
  assert.equal(last(), false)
  pet.quiet(new Date(Date.now() + 3_600_000))
  assert.equal(last(), true)
  electron.powerMonitor.emit('suspend')
  t.mock.timers.setTime(Date.now() + 7_200_000) // it slept: no timer ran
  electron.powerMonitor.emit('resume')
  assert.equal(last(), false, 'the hour is long over')
})

test('a laptop that wakes up locked is still locked', (t) => {
  const { window, electron } = open(t)
  for (const event of ['lock-screen', 'suspend', 'resume']) electron.powerMonitor.emit(event)
  assert.equal(window.isVisible(), false)
  assert.equal(window.webContents.sent('quiet').at(-1).quiet, true)
  electron.powerMonitor.emit('unlock-screen')
  assert.equal(window.isVisible(), true)
})

test('its page is told when nobody is at the computer, and when somebody is again', (t) => {
  let idle = 0
  const { window, pass } = open(t, { fake: { idle: () => idle } })
  const last = () => window.webContents.sent('away').at(-1)?.away
  assert.equal(last(), false)
  idle = 301
  pass(20_000)
  assert.equal(last(), true)
  assert.equal(window.isVisible(), true)
  idle = 0
  pass(20_000)
  assert.equal(last(), false)
})

test('a page that listens later than it is loaded is told what it missed', (t) => {
  const { pet, window, bubble } = open(t, { bubble: 'window' })
  pet.quiet()
  pet.change({ bubble: { off: true } })
  window.says({ heard: 'Hello.' })
  for (const page of [window, bubble]) {
    page.webContents.heard.length = 0
    page.says({ ready: true })
    assert.deepEqual(page.webContents.sent('quiet'), [{ quiet: true, away: false }])
    assert.equal(page.webContents.sent('look')[0].look.off, true)
  }
  assert.deepEqual(bubble.webContents.sent('heard'), [{ heard: 'Hello.' }])
  assert.equal(bubble.webContents.sent('side').length, 1)
})

// -- questions --------------------------------------------------------------------------------------------------------

test('a question shows in the tray, also while it is quiet: icon, words, menu, and a click opens the chat', (t) => {
  const { pet, window, trays, chats, pass } = open(t, { tray: { icon: 'icon.png' }, name: 'Mimi' })
  const [tray] = trays
  assert.equal(tray.tip, 'Mimi')
  pet.quiet()
  window.says({ asks: 2 })
  pass(200)
  assert.equal(tray.tip, 'Mimi has a question')
  assert.equal(tray.menu.items[0].label, 'Mimi has a question')
  const dotted = tray.image
  assert.deepEqual(
    [...dotted.pixels.subarray((11 * 16 + 11) * 4).subarray(0, 4)],
    [0x3c, 0x45, 0xe5, 0xff],
    'a dot in the corner',
  )
  assert.deepEqual([...dotted.pixels.subarray(0, 4)], [9, 9, 9, 255], 'and the icon beside it')
  tray.emit('click')
  tray.menu.items[0].click()
  assert.equal(chats.length, 2)
  assert.equal(window.isVisible(), true)
  window.says({ asks: 0 })
  pass(200)
  assert.equal(tray.image, 'icon.png')
  assert.equal(tray.tip, 'Mimi')
  tray.emit('click')
  assert.equal(window.isVisible(), false)
  const menus = tray.changed
  for (let index = 0; index < 1000; index++) window.says({ asks: index % 2 })
  for (const asks of [NaN, -5, Infinity, '3', {}]) window.says({ asks })
  pass(200)
  assert.ok(tray.changed - menus <= 1, 'a page that tells it a thousand times makes no thousand menus')
  pet.asking(3)
  pass(200)
  assert.equal(tray.tip, 'Mimi has a question')
})

test('on macOS the number of questions stands beside the icon; an icon of the app goes before the dot', (t) => {
  const mac = open(t, { platform: 'darwin', tray: { icon: 'template.png' } })
  mac.pet.asking(2)
  mac.pass(200)
  assert.equal(mac.trays[0].title, ' 2')
  assert.equal(mac.trays[0].image, 'template.png')
  const own = open(t, { tray: { icon: 'icon.png', asks: 'asks.png' } })
  own.pet.asking(1)
  own.pass(200)
  assert.equal(own.trays[0].image, 'asks.png')
})

// -- what goes wrong --------------------------------------------------------------------------------------------------

test('a page that is loaded again, or hangs, while the pet is carried lets go of it', (t) => {
  for (const event of ['reload', 'hang']) {
    const { window, cursor, pass } = open(t)
    window.says({ carry: true })
    cursor(500, 500)
    pass(16)
    if (event === 'reload') window.webContents.emit('did-navigate')
    else window.emit('unresponsive')
    const before = window.getBounds()
    cursor(900, 300)
    pass(100)
    assert.deepEqual(window.getBounds(), before, event)
  }
})

test('a page that crashed is loaded again, but not over and over', (t) => {
  const { window, pass, problems } = open(t)
  window.webContents.emit('render-process-gone')
  pass(1100)
  assert.equal(window.webContents.reloads, 1)
  window.webContents.emit('render-process-gone')
  pass(5000)
  assert.equal(window.webContents.reloads, 1)
  assert.match(problems.join(), /crashed twice/)
})

test('a clock that is set back lets a page that crashed be loaded again, and chat and menu open', (t) => {
  const { window, pass, problems, chats } = open(t)
  window.webContents.emit('render-process-gone')
  window.says({ open: 'chat' })
  pass(120_000)
  const { now } = Date
  t.mock.method(Date, 'now', () => now() - 120_000)
  window.webContents.emit('render-process-gone')
  window.says({ open: 'chat' })
  pass(5000)
  assert.equal(window.webContents.reloads, 2)
  assert.deepEqual(problems, [])
  assert.equal(chats.length, 2)
})

test('a clock that is set back has it asked again whether somebody presents', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_800_000_000_000 })
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  let asked = 0
  const { electron } = open(t, { mocks: false, presenting: () => (asked++, false) })
  assert.equal(asked, 1)
  t.mock.timers.setTime(Date.now() - 3_600_000)
  passed = 5000
  electron.powerMonitor.emit('resume')
  assert.equal(asked, 2)
})

test('the window of the bubble may be closed by itself: the pet goes on without', (t) => {
  const { window, bubble, pet, cursor, pass, electron } = open(t, { bubble: 'window' })
  bubble.says({ bubble: true })
  bubble.destroy()
  assert.equal(pet.bubble, undefined)
  window.says({ carry: true })
  cursor(100, 100)
  pass(16)
  window.says({ carry: false })
  pet.change({ scale: 2, bubble: { size: 2 } })
  pet.hide()
  pet.show()
  electron.powerMonitor.emit('lock-screen')
  electron.powerMonitor.emit('unlock-screen')
  assert.equal(window.isVisible(), true)
})

test('a bubble that comes while the pet is carried waits until it lands; what is heard reaches it', (t) => {
  const { window, bubble, cursor, pass } = open(t, { bubble: 'window' })
  window.says({ carry: true })
  bubble.says({ bubble: true })
  assert.equal(bubble.isVisible(), false)
  cursor(-600, 0)
  pass(16)
  window.says({ carry: false })
  assert.equal(bubble.isVisible(), true)
  window.says({ heard: 'Hello.' })
  bubble.says({ heard: 'no voice of mine' })
  assert.deepEqual(bubble.webContents.sent('heard').at(-1), { heard: 'Hello.' })
  bubble.webContents.emit('did-finish-load')
  assert.deepEqual(
    bubble.webContents.sent('heard').at(-1),
    { heard: 'Hello.' },
    'a bubble that is loaded in mid-sentence shows it',
  )
  window.says({ heard: 'x'.repeat(1e6) })
  assert.equal(bubble.webContents.sent('heard').at(-1).heard.length, 2000)
  window.webContents.emit('did-navigate')
  assert.deepEqual(bubble.webContents.sent('heard').at(-1), { heard: '' }, 'the page that spoke is gone')
})

test('what the body tells of a drop reaches the bubble: what it may be and nothing else', (t) => {
  const { window, bubble } = open(t, { bubble: 'window' })
  const notes = () => bubble.webContents.sent('note').map(({ note }) => note)
  for (const note of ['noChat', '', 'Click here', 7, ['taken'], { toString: 'taken' }]) window.says({ note })
  bubble.says({ note: 'taken' })
  assert.deepEqual(notes().slice(-2), ['noChat', ''])
  window.webContents.emit('did-navigate')
  assert.deepEqual(notes().slice(-3), ['noChat', '', ''], 'the page that told it is gone')
})

test('a hostile page opens no thousand menus, and does not write the disk full', (t) => {
  const { window, menus, chats, kept, pass } = open(t)
  for (let index = 0; index < 1000; index++) {
    window.says({ open: 'menu' })
    window.says({ open: 'chat' })
    window.says({ carry: true })
    window.says({ carry: false })
  }
  assert.ok(menus.length + chats.length <= 1)
  assert.ok(kept.length <= 1, 'it stands where it stood')
  pass(1000)
  window.says({ open: 'chat' })
  assert.equal(chats.length, 1)
})

test('two pets: each hears its own pages, and closing one leaves the other its keys', (t) => {
  const world = open(t, { hotkey: 'Alt+L' })
  const other = petWindow(world.electron, {
    url: 'app://pet/other.html',
    preload: '/preload.cjs',
    openChat() {},
    onProblem() {},
    hotkey: 'Alt+M',
  })
  t.after(() => other.close())
  const second = world.windows[1]
  const before = world.window.getBounds()
  second.says({ carry: true })
  world.cursor(700, 700)
  world.pass(50)
  assert.deepEqual(world.window.getBounds(), before)
  assert.notDeepEqual(second.getBounds(), before)
  world.pet.close()
  assert.deepEqual([...world.keys.keys()], ['Alt+M'])
  world.pass(50)
  second.says({ carry: false })
  assert.equal(second.isVisible(), true)
})

test('on Wayland the window is as large as a person wants it, and stands where the system put it', (t) => {
  const { pet, window } = open(t, { platform: 'linux', fake: { ozone: 'wayland' } })
  const { x, y, width } = window.getBounds()
  pet.scale(2)
  assert.deepEqual(window.getBounds(), { x, y, width: width * 2, height: Math.round(width * 1.2 * 2) })
})

test('presenting() that throws while somebody presents ends the quiet', (t) => {
  let presents = () => true
  const { window, problems, pass } = open(t, { presenting: () => presents() })
  const last = () => window.webContents.sent('quiet').at(-1)?.quiet
  assert.equal(last(), true, 'asked at once')
  presents = () => {
    throw new Error('no')
  }
  pass(5000)
  assert.equal(last(), false)
  pass(60_000)
  assert.equal(problems.length, 1)
})

test('wrong options, and an Electron of which something is missing, are told', (t) => {
  const { electron } = open(t)
  assert.throws(() => petWindow(electron, { url: 'x', preload: 'y' }), /openChat/)
  assert.throws(() => petWindow(electron, { url: 'x', preload: 'y', openChat() {}, size: 3 }), /size/)
  assert.throws(
    () => petWindow({ ...electron, screen: undefined }, { url: 'x', preload: 'y', openChat() {} }),
    /screen/,
  )
})
