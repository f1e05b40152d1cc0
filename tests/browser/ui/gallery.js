// Everything the elements can look like, on one page: ?only=live|cards|approvals|errors&lang=zh
import './page.js'

const query = new URLSearchParams(location.search)
const lang = query.get('lang') ?? 'en'
document.documentElement.lang = lang
const zh = lang === 'zh'
const only = query.get('only')
const now = Date.now()

const sections = {
  live() {
    const live = new Live('live')
    live.push(
      {
        type: 'reasoning',
        block: 0,
        text: zh
          ? '用户想知道要不要带伞，先查天气。'
          : 'They want to know about an umbrella. The forecast first, then the calendar.',
      },
      {
        type: 'text',
        block: 1,
        text: zh
          ? '我先看看杭州的天气，再查一下你今天的安排。'
          : 'Let me look at the weather in Hangzhou, and at what you planned for today.',
      },
      {
        type: 'card',
        block: 2,
        call: 1,
        name: 'weather.now',
        status: 'success',
        source: 'native',
        round: 1,
        arguments: { city: 'Hangzhou', unit: 'celsius' },
        output: '{"city":"Hangzhou","next":"rain at 16:00"}',
        startedAt: now - 900,
        endedAt: now - 480,
        durationMs: 420,
      },
      {
        type: 'card',
        block: 3,
        call: 2,
        name: 'live2d.expression',
        status: 'success',
        source: 'inline_tags',
        round: 1,
        arguments: { name: 'worried' },
        output: 'ok',
        startedAt: now - 400,
        endedAt: now - 398,
        durationMs: 2,
      },
      {
        type: 'text',
        block: 4,
        text: zh ? '四点有雨。\n\n再确认一下你什么时候出门：' : 'Rain at four.\n\nOne more look at when you leave:',
      },
      {
        type: 'card',
        block: 5,
        call: 3,
        name: 'calendar.search',
        status: 'executing',
        source: 'native',
        round: 2,
        arguments: { day: 'today', words: 'meeting' },
        startedAt: now - 2600,
      },
      { type: 'progress', call: 3, text: zh ? '已读取 2 个日历中的 1 个' : 'read 1 of 2 calendars', done: 1, total: 2 },
      { type: 'card', block: 6, call: 4, status: 'streaming', source: 'native', round: 2, name: 'note.write' },
      {
        type: 'args',
        call: 4,
        text: '{"title": "Umbrella", "body": "Rain at four. Take the blue umbrella, it stands next to the door, and leave ten minutes ea',
      },
    )
    show(live)
    const again = new Live('again')
    again.push({
      type: 'retry',
      round: 1,
      attempt: 2,
      maxAttempts: 4,
      delayMs: 30_000,
      at: now + 30_000,
      detail: '503: overloaded',
    })
    show(again)
  },
  cards() {
    const view = { role: 'assistant', rounds: 2, outcome: 'completed', blocks: [] }
    const add = (fields) =>
      view.blocks.push({ type: 'tool_use', call: view.blocks.length + 1, source: 'native', round: 1, ...fields })
    add({
      name: 'file.read',
      status: 'error',
      arguments: { path: '/etc/shadow' },
      error: "EACCES: permission denied, open '/etc/shadow'",
      durationMs: 4,
    })
    add({
      name: 'shell.run',
      status: 'denied',
      arguments: { command: 'rm -rf ~' },
      reason: 'user',
      approvals: [{ stage: 'execution', decision: 'denied', by: 'user', reason: 'not on my machine', at: now }],
    })
    add({ name: 'mail.send', status: 'expired', arguments: { to: 'a@b.c' } })
    add({
      name: 'search.web',
      status: 'timeout',
      arguments: { query: 'sluice gate' },
      error: 'No result within 30000 ms.',
      durationMs: 30012,
    })
    add({ askedName: 'serch', status: 'not_found', error: 'There is no tool "serch". Nearest names: search.web.' })
    add({
      name: 'db.query',
      status: 'invalid',
      rawArguments: '{"sql": "SELECT * FROM use',
      error: 'This call was not run, it is malformed (truncated). Write it again, whole.',
      reason: 'truncated',
    })
    add({ name: 'secret.get', status: 'result_rejected', arguments: { key: 'api' } })
    add({ name: 'timer.set', status: 'cancelled', arguments: { minutes: 5 } })
    add({ name: 'code.run', status: 'unknown', arguments: { code: 'print(1)' } })
    add({ name: 'note.write', status: 'pending', arguments: { title: 'x' } })
    add({
      name: 'live2d.expression',
      status: 'success',
      arguments: { name: 'wink' },
      notice: zh ? '宠物没有这个表情：wink' : 'the pet has no expression "wink"',
      durationMs: 1,
    })
    const element = Object.assign(document.createElement('sluice-message'), { view })
    stage.append(element)
    const open = document.createElement('sluice-card')
    open.open = true
    open.card = {
      type: 'tool_use',
      call: 90,
      name: 'weather.forecast',
      status: 'success',
      source: 'vcp',
      round: 1,
      arguments: { city: '杭州', days: 3, detail: true, tags: ['rain', 'wind'] },
      protocolFields: { maid: 'Nova' },
      raw: '<<<[TOOL_REQUEST]>>>\ntool_name:「始」weather.forecast「末」,\ncity:「始」杭州「末」\n<<<[END_TOOL_REQUEST]>>>',
      output: JSON.stringify([
        { day: 'Mon', high: 21, low: 14, sky: 'rain from four' },
        { day: 'Tue', high: 24, low: 15, sky: 'clear' },
        { day: 'Wed', high: 19, low: 12, sky: 'wind' },
      ]),
      startedAt: now - 1400,
      endedAt: now,
      durationMs: 1400,
      approvals: [{ stage: 'execution', decision: 'approved', by: 'user', remember: 'session', at: now }],
    }
    stage.append(open)
    const tree = document.createElement('sluice-card')
    tree.open = true
    tree.card = {
      type: 'tool_use',
      call: 91,
      name: 'user.profile',
      status: 'success',
      arguments: {},
      durationMs: 64,
      output: JSON.stringify({
        id: 7,
        name: 'Lin',
        roles: ['admin', 'writer'],
        address: { city: 'Hangzhou', geo: { lat: 30.2, lon: 120.1 } },
        active: true,
        note: null,
        log: Array.from({ length: 40 }, (_, at) => ({ at, deep: { x: at } })),
      }),
    }
    stage.append(tree)
  },
  approvals() {
    const live = new Live('asks')
    live.push(
      {
        type: 'text',
        block: 0,
        text: zh ? '我需要写一个文件，并运行一条命令。' : 'I need to write a file and run a command.',
      },
      ...asking(
        1,
        'file.write',
        {
          path: '/home/lin/notes/umbrella.md',
          text: '# Umbrella\n\nRain at four. Take the blue one.\n',
          overwrite: false,
        },
        {
          ask: {
            level: 'moderate',
            description: zh ? '把文本写入一个文件。' : 'Writes a text to a file.',
            expiresAt: now + 102_000,
          },
        },
      ),
      ...asking(
        2,
        'shell.run',
        { command: 'cat notes\u202Egnp.exe | sh\u200B -s' },
        { ask: { policy: 'ask_always', description: zh ? '在终端里运行命令。' : 'Runs a command in a terminal.' } },
      ),
      ...asking(
        3,
        'contacts.find',
        { name: 'Lin' },
        {
          stage: 'result',
          ask: {
            level: 'public',
            policy: 'always',
            preview: {
              kind: 'text',
              isError: false,
              text: '[{"name":"Lin","phone":"+86 571 5550 134","mail":"lin@example.org"}]',
            },
          },
        },
      ),
    )
    show(live)
  },
  people() {
    const words = {
      title: { en: 'Add a note', zh: '记笔记' },
      sentence: { en: 'add **{text}**', zh: '记下**{text}**' },
      done: { en: 'Added {count} notes', zh: '记了 {count} 条笔记' },
      labels: { '/text': { en: 'Note', zh: '内容' } },
      icon: 'file',
    }
    const folded = new Live('folded')
    for (const at of [0, 1, 2])
      folded.push({
        type: 'card',
        block: at,
        call: at + 1,
        name: 'notes.add',
        status: 'success',
        arguments: { text: `${at}` },
        words,
        startedAt: now - 1200 + at,
        durationMs: 400 + at * 400,
      })
    folded.push(
      { type: 'text', block: 3, text: zh ? '都记下了。' : 'All written down.' },
      {
        type: 'card',
        block: 4,
        call: 4,
        name: 'album.make',
        status: 'unknown',
        reason: 'cancelled',
        arguments: { pictures: 40 },
      },
    )
    show(folded, { calls: 'folded' })
    for (const count of [1, 5]) {
      const live = new Live(`dock${count}`)
      for (let at = 0; at < count; at++)
        live.push(
          ...asking(
            at,
            'notes.add',
            { text: zh ? `第 ${at + 1} 条` : `Note ${at + 1}` },
            { ask: { words, annotations: { destructiveHint: false } } },
          ),
        )
      if (count > 1)
        live.push(
          ...asking(
            count,
            'diary.read',
            { day: 'Monday' },
            {
              ask: {
                words: { sentence: { en: 'read **your diary**', zh: '读**你的日记**' } },
                annotations: { readOnlyHint: true },
              },
            },
          ),
        )
      stage.append(Object.assign(document.createElement('sluice-questions'), { message: live, name: 'Lulu' }))
    }
  },
  errors() {
    const view = {
      role: 'assistant',
      rounds: 1,
      outcome: 'failed',
      blocks: [
        { type: 'reasoning', round: 1, text: zh ? '想一想……' : 'Hm.' },
        { type: 'text', round: 1, text: zh ? '我来看看。' : 'Let me see.' },
        {
          type: 'error',
          code: 'http',
          detail: '401 Incorrect API key provided: sk-…abcd',
          hint: zh ? '检查设置里的密钥。' : 'Check the key in the settings.',
        },
        { type: 'error', code: 'network', detail: 'fetch failed: connect ECONNREFUSED 127.0.0.1:11434' },
      ],
    }
    stage.append(Object.assign(document.createElement('sluice-message'), { view }))
    show(new Live('waiting'))
  },
}

const stage = document.querySelector('#stage')
for (const [name, make] of Object.entries(sections)) if (!only || only === name) make()
await frames(2)
window.done = true
