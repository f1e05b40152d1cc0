// What becomes of an answer: the message, where its calls stand, and why the rest is none.
import { postJson } from '/sluice/renderer/web-bridge.js'
import { copyButton, debounced, field, foreign, h, replace, scroller, select } from './dom.js'
import { examples } from './examples.js'
import { answerText } from './answer-text.js'
import { eventLine, replay } from './replay.js'
import { drawSource } from './source.js'

/** From whole to byte by byte. */
const sizes = ['whole', '1024', '256', 'seed:1', '64', '16', '7', '3', 'byte']
const MAX_MB = 0.9

export function parseTab(app) {
  const state = { text: examples.mixed.text, wire: '', protocol: examples.mixed.protocol, model: '', size: 0 }
  let result // { reply, whole, text }
  let fault
  let running
  let waiting = false // what is shown is not yet what was asked for
  let parts

  function wait() {
    player.stop()
    running?.abort()
    running = undefined
    waiting = true
    parts.results.setAttribute('aria-busy', 'true')
  }

  function answered(found, failed) {
    running = undefined
    waiting = false
    result = found
    fault = failed
    update()
  }

  /** What every question to the server says. */
  function request(text) {
    const { mode: _, ...settings } = app.settings
    return {
      text,
      settings,
      ...(state.wire ? { wire: state.wire } : {}),
      ...(state.protocol ? { protocol: state.protocol } : {}),
      ...(state.model ? { model: state.model } : {}),
    }
  }

  async function parse() {
    wait()
    soon.cancel()
    const { text } = state
    if (text === '') return answered()
    const mine = (running = new AbortController())
    parts.busy.textContent = app.text.parsing
    const ask = (chunks) => postJson('/api/parse', { ...request(text), chunks }, mine.signal)
    try {
      const chunks = sizes[state.size]
      const [reply, whole] = await Promise.all([ask(chunks), chunks === 'whole' ? undefined : ask('whole')])
      if (running === mine) answered({ reply, whole, text })
    } catch (error) {
      if (running === mine) answered(undefined, error)
    }
  }

  const player = replay(app, {
    async load() {
      const { text } = state
      if (text === '') return undefined
      const chunks = sizes[state.size]
      try {
        return {
          reply: await postJson('/api/parse', {
            ...request(text),
            chunks: chunks === 'whole' ? '4' : chunks,
            steps: true,
          }),
          text,
        }
      } catch (error) {
        answered(undefined, error)
      }
    },
    draw({ view, fed, events }) {
      parts.results.hidden = false
      parts.empty.hidden = true
      parts.message.view = view
      if (fed === undefined) for (const part of [parts.source, parts.reasons, parts.eventList]) replace(part)
      else parts.source.append(...foreign(fed))
      parts.eventList.append(...events.map(eventLine))
      parts.source.scrollTop = parts.source.scrollHeight
    },
    over: () => update(),
  })

  async function script() {
    const text = result?.text ?? state.text
    return (await postJson('/api/script', request(text))).script
  }

  const soon = debounced(parse, 300)
  function parseSoon() {
    wait()
    soon()
  }

  function update() {
    if (player.on) return
    const { text } = app
    parts.busy.textContent = running ? text.parsing : ''
    parts.results.setAttribute('aria-busy', String(waiting))
    replace(
      parts.fault,
      fault && h('p', { class: 'fault' }, h('b', {}, fault.path ?? text.failed), `: ${fault.detail ?? fault.message}`),
    )
    parts.results.hidden = !result
    parts.empty.hidden = Boolean(result ?? fault)
    if (!result) return replace(parts.verdict)
    const { reply, whole } = result
    drawVerdict(reply, whole)
    const looked = reply.protocols.length > 0 && text.looked(reply.protocols.join(', '))
    replace(parts.looked, [reply.guessed && text.guessed(reply.wire), looked].filter(Boolean).join(' · '))
    parts.message.view = { id: 'parsed', seq: 0, questions: [], ...reply.message }
    replace(parts.source, drawSource(answerText(result.text, reply.wire), reply, markId))
    replace(parts.reasonsTitle, text.rejected(reply.diagnostics.length))
    replace(
      parts.reasons,
      reply.diagnostics.length === 0 ? h('li', { class: 'empty' }, text.noRejected) : reply.diagnostics.map(reason),
    )
    replace(parts.eventsTitle, text.events(reply.events.length))
    if (parts.events.open) drawEvents()
  }

  function drawVerdict(reply, whole) {
    const { text } = app
    if (!whole) return replace(parts.verdict, h('p', { class: 'verdict' }, text.asWhole(reply.events.length)))
    const good = outcome(reply) === outcome(whole)
    replace(
      parts.verdict,
      h(
        'p',
        { class: `verdict ${good ? 'good' : 'bad'}` },
        good ? text.same(reply.pieces, reply.events.length, whole.events.length) : text.different,
      ),
    )
  }

  function reason(diagnostic) {
    const { text } = app
    const { code, detail, offset, raw, call } = diagnostic
    const target = document.getElementById(markId({ diagnostic, call }))
    const place = target
      ? h('button', { class: 'quiet link', onclick: () => point(target) }, text.at(offset))
      : h('span', { class: 'about' }, text.at(offset))
    return h(
      'li',
      {},
      h(
        'p',
        {},
        h('code', {}, code),
        ' ',
        offset !== undefined && place,
        call !== undefined && h('span', { class: 'about' }, ` ${text.call(call)}`),
      ),
      h('p', {}, text.codes[code] ?? ''),
      detail && h('p', { class: 'about' }, foreign(detail)),
      raw && scroller(code, {}, foreign(raw.length > 400 ? raw.slice(0, 400) + '…' : raw)),
    )
  }

  function point(mark) {
    for (const old of parts.source.querySelectorAll('.pointed')) old.classList.remove('pointed')
    mark.classList.add('pointed')
    mark.scrollIntoView({ block: 'center' })
    mark.focus({ preventScroll: true })
  }

  function drawEvents() {
    const shown = result.reply.events.slice(0, 2000)
    replace(parts.eventList, shown.map(eventLine), shown.length < result.reply.events.length && h('li', {}, '…'))
  }

  function set(name, value) {
    state[name] = value
    void parse()
  }

  async function open(file) {
    if (!file) return
    if (file.size > MAX_MB * 1e6) {
      wait()
      soon.cancel()
      return answered(undefined, { path: file.name, detail: app.text.tooLarge((file.size / 1e6).toFixed(1), MAX_MB) })
    }
    put(await file.text())
  }

  function put(text) {
    state.text = parts.input.value = text
    void parse()
  }

  function draw() {
    const { text } = app
    const input = h('textarea', {
      id: 'answer',
      value: state.text,
      spellcheck: 'false',
      placeholder: text.inputHint,
      rows: '12',
      oninput: (event) => {
        state.text = event.target.value
        parseSoon()
      },
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        void open(event.dataTransfer.files[0])
      },
    })
    const file = h('input', {
      type: 'file',
      class: 'hidden-text',
      'aria-label': text.file,
      tabindex: '-1',
      onchange: (event) => {
        void open(event.target.files[0])
        event.target.value = ''
      },
    })
    const example = select([['', text.example], ...Object.entries(text.exampleNames)], '', (name) => {
      if (!name) return
      state.protocol = protocol.value = examples[name].protocol
      state.wire = wire.value = ''
      put(examples[name].text)
    })
    const protocol = select(
      [
        ['', text.standardProtocol],
        ['auto', text.autoProtocol],
      ],
      '',
      (id) => set('protocol', id),
    )
    const protocols = ({ protocols }) => {
      if (protocol.options.length > 2) return
      protocol.append(...protocols.filter((id) => id !== 'auto').map((id) => h('option', { value: id }, id)))
      protocol.value = state.protocol
    }
    if (parts) app.onTools.delete(parts.protocols)
    app.onTools.add(protocols)
    if (app.tools) protocols(app.tools)
    const wire = select(Object.entries(text.wires), state.wire, (id) => set('wire', id))
    const model = h('input', {
      value: state.model,
      placeholder: text.modelHint,
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: (event) => {
        state.model = event.target.value.trim()
        parseSoon()
      },
    })
    const said = h('output', { id: 'pieces' }, text.chunkSizes(sizes[state.size]))
    const slider = h('input', {
      type: 'range',
      min: '0',
      max: String(sizes.length - 1),
      step: '1',
      value: String(state.size),
      'aria-valuetext': text.chunkSizes(sizes[state.size]),
      oninput: (event) => {
        state.size = Number(event.target.value)
        said.textContent = text.chunkSizes(sizes[state.size])
        slider.setAttribute('aria-valuetext', said.textContent)
        parseSoon()
      },
    })
    const events = h('details', { class: 'events', ontoggle: () => result && events.open && drawEvents() })
    parts = {
      input,
      protocols,
      events,
      busy: h('span', { class: 'about', 'aria-live': 'polite' }),
      fault: h('div', { role: 'alert' }),
      empty: h('p', { class: 'empty' }, text.nothing),
      results: h('div', { class: 'results', hidden: true }),
      verdict: h('div', { role: 'status', id: 'verdict' }),
      looked: h('p', { class: 'about', id: 'looked' }),
      message: h('sluice-message'),
      source: scroller(text.sourceOf, { class: 'source', id: 'source' }),
      reasonsTitle: h('h2', {}),
      reasons: h('ul', { class: 'reasons', id: 'reasons' }),
      eventsTitle: h('summary', {}),
      eventList: h('ol', { class: 'event-list' }),
    }
    events.append(parts.eventsTitle, parts.eventList)
    const legend = [
      ['call', text.legendCall],
      ['broken', text.legendBroken],
      ['rejected', text.legendRejected],
    ]
    const copy = copyButton(app, text.copyTest, script, (error) => answered(undefined, error))
    parts.results.append(
      h(
        'div',
        {},
        h('div', { class: 'line' }, h('h2', {}, text.result), copy),
        h('div', { class: 'message' }, parts.message),
        parts.reasonsTitle,
        parts.reasons,
      ),
      h(
        'div',
        {},
        h('h2', {}, text.source),
        h(
          'p',
          { class: 'legend' },
          legend.map(([kind, label]) => h('span', {}, h('mark', { class: kind }, label))),
        ),
        parts.source,
        events,
      ),
    )
    if (!result && !fault && !running) queueMicrotask(parse) // the example to begin with
    queueMicrotask(update) // reasons look for their marks in the page
    return h(
      'div',
      { class: 'two' },
      h(
        'section',
        { class: 'sticky' },
        h('div', { class: 'line' }, h('label', { for: 'answer', class: 'title' }, text.input), parts.busy),
        input,
        h(
          'div',
          { class: 'line' },
          h('div', { class: 'grow' }, labelled(text.examples, example)),
          file,
          h('button', { onclick: () => file.click() }, text.file),
          h(
            'button',
            {
              class: 'quiet',
              onclick: () => {
                put('')
                input.focus()
              },
            },
            text.clear,
          ),
        ),
        h('div', { class: 'bar' }, field(text.protocol, protocol), field(text.wire, wire), field(text.model, model)),
        h(
          'div',
          { class: 'slider' },
          field(text.chunks, slider),
          h('div', { class: 'ends' }, h('span', {}, text.whole), said, h('span', {}, text.bytes)),
        ),
        player.element(),
        parts.verdict,
        parts.looked,
      ),
      h('section', {}, parts.fault, parts.empty, parts.results),
    )
  }

  return { draw }
}

function labelled(label, control) {
  control.setAttribute('aria-label', label)
  return control
}

const markId = ({ call, diagnostic }) =>
  call !== undefined ? `mark-call-${call}` : `mark-${diagnostic.offset}-${diagnostic.code}`

/** What may not depend on how the bytes were cut. */
function outcome({ message, diagnostics }) {
  return JSON.stringify([message, diagnostics.map(({ seq: _, ...rest }) => rest)])
}
