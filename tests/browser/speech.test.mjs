// Voices in a real page: sounds of known loudness through its audio, and the browser's own speech.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

async function open(t, options) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/speech.html`)
  await page.waitForFunction(() => window.ready)
  return page
}

/** After a click a page may play sounds. */
async function clicked(t, options) {
  const page = await open(t, options)
  await page.getByRole('button').click()
  return page
}

/** What it is most of the time: a busy machine draws a frame late, or leaves a gap in a sound. */
function usual(levels) {
  const sorted = levels
    .filter(([at]) => at > 150)
    .map(([, level]) => level)
    .sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

test('the mouth is as far open as the sound is loud: WAV and bare samples', async (t) => {
  const page = await clicked(t)
  for (const kind of ['wav', 's16', 'f32']) {
    const heard = []
    for (const amplitude of [0.28, 0.1, 0.005]) {
      const levels = await page.evaluate(
        async ({ kind, amplitude }) => {
          const rate = 24_000
          const samples = tone([amplitude], 0.8, rate)
          const bytes =
            kind === 'f32' ? new Uint8Array(samples.buffer) : wav(samples, rate).slice(kind === 's16' ? 44 : 0)
          const log = []
          const voice = httpVoice(
            () => pieces(bytes),
            kind === 'wav' ? {} : { pcm: { sampleRate: rate, samples: kind } },
          )
          const one = speaker({ voice, onSegment: (_, now) => log.push(now) })
          one.say('Anything at all.')
          const all = await levels(one)
          one.close()
          return { all, log }
        },
        { kind, amplitude },
      )
      assert.deepEqual(levels.log, ['next', 'speaking', 'spoken'])
      heard.push(usual(levels.all))
    }
    // A tone of amplitude A has a root mean square of A/√2; open = (rms - 0.01) / 0.19.
    const [loud, soft, silent] = heard
    assert.ok(Math.abs(loud - 0.99) < 0.05, `${kind}: loud ${loud}`)
    assert.ok(Math.abs(soft - 0.32) < 0.05, `${kind}: soft ${soft}`)
    assert.equal(silent, 0, `${kind}: below the gate`)
  }
})

test('stop fades a sound out within 100 ms, and nothing of it comes back', async (t) => {
  const page = await clicked(t)
  const { heard, after, asked } = await page.evaluate(async () => {
    const bytes = wav(tone([0.28], 3, 24_000), 24_000)
    let asked = 0
    const one = speaker({ voice: httpVoice(() => (asked++, pieces(bytes))) })
    one.say(
      'Count with me now: one and two and three and four and five. And then the next sentence of it. And then another one of them.',
    )
    while (one.level() < 0.9) await new Promise(requestAnimationFrame)
    await new Promise((resolve) => setTimeout(resolve, 600))
    const { heard } = one.stop('a finger on the mouth')
    const begin = performance.now()
    let after = 0
    while (performance.now() - begin < 1500) {
      one.level()
      await new Promise(requestAnimationFrame)
      if (one.level() > 0.02) after = performance.now() - begin
    }
    return { heard, after, asked }
  })
  // how much it is depends on when the page gets to stop
  assert.ok('Count with me now: one and two and three and four and five.'.startsWith(heard) && heard.length > 0, heard)
  assert.ok(after < 400, `the mouth was open for ${after} ms`) // 80 ms of fading, and what a busy machine adds
  assert.ok(asked <= 3)
})

test('a cue fires with its place in the sound', async (t) => {
  const page = await clicked(t)
  const { fired, ended } = await page.evaluate(async () => {
    const bytes = wav(tone([0.28], 1, 24_000), 24_000)
    const text = {
      id: 'm',
      listeners: new Set(),
      subscribe: (listener) => (text.listeners.add(listener), () => text.listeners.delete(listener)),
      getSnapshot: () => text.view,
    }
    text.view = {
      id: 'm',
      seq: 1,
      role: 'assistant',
      rounds: 1,
      questions: [],
      outcome: 'completed',
      blocks: [
        { type: 'text', text: 'aaaaaaaaaa aaaaaaaaa ' },
        { type: 'tool_use', call: 1, status: 'success', sent: { block: 0, offset: 21, channel: 'c', payload: [] } },
        { type: 'text', text: 'aaaaaaaaaa aaaaaaaaa' },
      ],
    }
    let [begun, fired] = [0, 0]
    const one = speaker({
      voice: httpVoice(() => pieces(bytes)),
      onSegment: (_, now) => now === 'speaking' && (begun = performance.now()),
      onCue: () => (fired = performance.now() - begun),
    })
    one.follow(text)
    await levels(one)
    return { fired, ended: performance.now() - begun }
  })
  assert.ok(fired > 400 && fired < 800, `fired at ${fired}`)
  assert.ok(ended > 950, `ended at ${ended}`)
})

test('what the browser cannot read, and a page that nobody clicked in, are passed over and said once', async (t) => {
  const page = await open(t)
  const off = await page.evaluate(async () => {
    const off = []
    const one = speaker({
      voice: httpVoice(() => pieces(wav(tone([0.28], 0.2, 24_000), 24_000))),
      onOff: (why) => off.push(why),
    })
    one.say('This is the first of them. And this is the second one.')
    await levels(one)
    return off
  })
  assert.ok(off.length <= 1 && off.every((why) => /click/.test(why)), String(off))
  await page.getByRole('button').click()
  const log = await page.evaluate(async () => {
    const log = []
    let broken = true
    const voice = httpVoice(() => {
      const bytes = broken ? new TextEncoder().encode('<html>busy</html>') : wav(tone([0.28], 0.2, 24_000), 24_000)
      broken = false
      return pieces(bytes)
    })
    const one = speaker({ voice, onSegment: ({ id }, now) => now !== 'next' && log.push(`${id} ${now}`) })
    one.say('This is the first of them. And this is the second one.')
    await levels(one)
    return log
  })
  assert.deepEqual(log, ['1 dropped', '2 speaking', '2 spoken'])
})

test('without voices of the system a speaker is off, and says so once', async (t) => {
  const page = await open(t)
  const { state, off, log } = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300)) // voices come late
    const [off, log] = [[], []]
    const one = speaker({ voice: systemVoice(), onOff: (why) => off.push(why), onSegment: (_, now) => log.push(now) })
    one.say('Nobody says this. Nobody says that either.')
    return { state: one.state, off, log }
  })
  const voices = await page.evaluate(() => speechSynthesis.getVoices().length)
  if (voices > 0) return t.skip('this machine has voices')
  assert.deepEqual({ state, off }, { state: 'off', off: ['the system has no voice'] })
  assert.ok(log.length > 0 && log.every((now) => now === 'dropped'))
})

test('the voice of the system: its language, its word boundaries, its late voices, and its end', async (t) => {
  const page = await open(t)
  const seen = await page.evaluate(async () => {
    const spoken = []
    class Synthesis extends EventTarget {
      voices = []
      cancelled = 0
      listening = 0
      addEventListener(...all) {
        this.listening++
        super.addEventListener(...all)
      }
      removeEventListener(...all) {
        this.listening--
        super.removeEventListener(...all)
      }
      getVoices = () => this.voices
      speak(utterance) {
        spoken.push([utterance.text, utterance.lang, utterance.voice?.name])
        this.now = utterance
        setTimeout(() => {
          for (const word of utterance.text.matchAll(/\S+/g))
            utterance.dispatchEvent(
              new SpeechSynthesisEvent('boundary', { utterance, name: 'word', charIndex: word.index }),
            )
          if (!/forever/.test(utterance.text)) utterance.dispatchEvent(new SpeechSynthesisEvent('end', { utterance }))
        }, 20)
      }
      cancel() {
        this.cancelled++
        this.now.dispatchEvent(new SpeechSynthesisErrorEvent('error', { utterance: this.now, error: 'canceled' }))
      }
      pause() {}
      resume() {}
    }
    const synthesis = new Synthesis()
    // Real voices cannot be made by hand: the choice is looked at, and the utterance keeps the language.
    const names = []
    const choose = (voices, lang) => void names.push([voices.length, lang])
    const boundaries = []
    const voice = systemVoice({ synthesis, choose })
    const one = speaker({ voice })
    const before = one.state
    synthesis.voices = [{ name: 'Ting', lang: 'zh-CN' }]
    synthesis.dispatchEvent(new Event('voiceschanged'))
    const after = one.state
    const { onBoundary } = voice
    voice.onBoundary = (segment, at) => (boundaries.push(segment.text.slice(at, at + 4)), onBoundary(segment, at))
    one.say('今天天气真的非常好。Let us go out together now. 元気ですか、みなさん。')
    while (one.state === 'speaking') await new Promise((resolve) => setTimeout(resolve, 10))
    const long = `${'word and word, '.repeat(16)}`
    one.say(long)
    while (one.state === 'speaking') await new Promise((resolve) => setTimeout(resolve, 10))
    const chinese =
      '我们沿着湖边慢慢走了很久很久然后在一棵大树下面坐下来看着白鹭一只一只飞过水面谁也没有说话只听见风吹过树叶的声音直到太阳落到山的后面天色一点一点暗了下来'
    const between = spoken.length
    one.say(chinese)
    while (one.state === 'speaking') await new Promise((resolve) => setTimeout(resolve, 10))
    const wide = spoken.splice(between)
    one.say('This goes on forever and ever.')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { heard } = one.stop()
    const { state } = one
    const listening = [synthesis.listening, (one.close(), synthesis.listening)]
    return {
      before,
      after,
      spoken,
      chinese,
      wide,
      names,
      boundaries,
      cancelled: synthesis.cancelled,
      heard,
      state,
      long,
      listening,
    }
  })
  assert.deepEqual([seen.before, seen.after, seen.state], ['off', 'idle', 'idle'])
  assert.deepEqual(
    seen.spoken.slice(0, 3).map(([text, lang]) => [text, lang]),
    [
      ['今天天气真的非常好。', 'zh'],
      ['Let us go out together now.', 'en'],
      ['元気ですか、みなさん。', 'ja'],
    ],
  )
  assert.deepEqual(seen.names[0], [1, 'zh'])
  assert.ok(seen.boundaries.includes('go o') && seen.boundaries.includes('toge'), String(seen.boundaries))
  const pieces = seen.spoken.slice(3, -1).map(([text]) => text)
  assert.ok(pieces.length > 1 && pieces.every((text) => text.length <= 130), 'none of 15 s')
  assert.equal(pieces.join(' ').replace(/\s+/g, ' ').trim(), seen.long.trim())
  const wide = seen.wide.map(([text]) => text)
  assert.equal(wide.join(''), seen.chinese)
  assert.ok(
    wide.length > 1 && wide.every((text) => text.length <= 51),
    `none of 15 s, where there is no mark: ${wide.map(({ length }) => length)}`,
  )
  assert.equal(seen.cancelled, 1)
  assert.deepEqual(seen.listening, [1, 0], 'nothing is left at the browser')
  assert.match(seen.heard, /forever and/)
})

test('a page in which the system may not speak yet says so once, and speaks when it may', async (t) => {
  const page = await open(t)
  const { off, log } = await page.evaluate(async () => {
    const [off, log] = [[], []]
    const synthesis = Object.assign(new EventTarget(), {
      allowed: false,
      getVoices: () => [{ name: 'Anna', lang: 'en-US' }],
      speak(utterance) {
        setTimeout(
          () =>
            utterance.dispatchEvent(
              this.allowed
                ? new SpeechSynthesisEvent('end', { utterance })
                : new SpeechSynthesisErrorEvent('error', { utterance, error: 'not-allowed' }),
            ),
          5,
        )
      },
      cancel() {},
    })
    const one = speaker({
      voice: systemVoice({ synthesis, choose: () => undefined }),
      onOff: (why) => off.push(why),
      onSegment: (_, now) => now !== 'next' && log.push(now),
    })
    const say = async () => {
      one.say('This is the first of them. And this is the second one.')
      while (one.state === 'speaking') await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await say()
    synthesis.allowed = true
    await say()
    synthesis.allowed = false
    await say()
    return { off, log }
  })
  const twice = (...what) => [...what, ...what]
  assert.deepEqual(log, [
    ...twice('speaking', 'dropped'),
    ...twice('speaking', 'spoken'),
    ...twice('speaking', 'dropped'),
  ])
  assert.deepEqual(off, Array(2).fill('the page may not play sound before somebody clicks in it'))
})
