// What every store of conversations does. `open` gives one that is new, or with `again` the same place opened anew.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SluiceError } from 'sluice'
import { blobAddress, fileBlob, pictureBlob, memoryConversations, pathToEntry } from 'sluice/conversations'

let clock = 1_700_000_000_000
export const question = (id, parent, text, more = {}) => ({ id, parent, at: clock++, role: 'user', text, ...more })
export const answer = (id, parent, text, more = {}) => ({
  id,
  parent,
  at: clock++,
  role: 'assistant',
  message: { role: 'assistant', outcome: 'completed', rounds: 1, blocks: [{ type: 'text', round: 1, text }] },
  history: [{ role: 'assistant', content: text }],
  ...more,
})
export const ids = (entries) => entries.map(({ id }) => id).join(' ')
export const refused = (code, path) => (error) =>
  SluiceError.is(error) &&
  error.code === code &&
  (path === undefined || error.path === path || assert.equal(error.path, path))

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A tree of five: a question with two answers, of which the second is followed by another turn. */
async function grown(store, id = 'main') {
  await store.save(id, { entries: [question('q1', null, 'Will it rain today?\nI go out.'), answer('a1', 'q1', 'No.')] })
  await store.save(id, { entries: [answer('a2', 'q1', 'Yes, at four.')] })
  await store.save(id, { entries: [question('q2', 'a2', '伞在哪里？'), answer('a3', 'q2', 'In the hall.')] })
}

export function contract(name, { open, again, skip = false }) {
  const check = (what, run) => test(`${name}: ${what}`, { skip }, run)

  check('where nothing is, nothing is found', async (t) => {
    const store = await open(t)
    assert.deepEqual(await store.list(), [])
    assert.deepEqual(await store.search('x'), [])
    assert.equal(await store.load('main'), null)
    assert.equal(await store.export('main', 'json'), null)
    assert.equal(await store.bytes('main', pictureBlob(png, 'image/png').ref), null)
    assert.equal(await store.rename('main', 'x'), false)
    assert.equal(await store.delete('main'), false)
    assert.equal(await store.delete('main', 'x'), false)
    assert.deepEqual(await store.list(), [])
  })

  check('what is saved is loaded: all of it, in order, as a copy', async (t) => {
    const store = await open(t)
    const entries = [
      question('q', null, 'Look', {
        parts: [{ type: 'image', url: 'https://example.com/a.png' }],
        app: { mark: [1, { deep: null }] },
      }),
      answer('a', 'q', 'a\u2028b "quoted" \\ \u0000 😀', {
        history: [
          { role: 'assistant', content: null, tool_calls: [] },
          { role: 'tool', content: '12345678901234567890' },
        ],
      }),
    ]
    const given = structuredClone(entries)
    await store.save('main', { entries: given })
    given[0].text = 'changed behind its back'
    const loaded = await store.load('main')
    assert.deepEqual(loaded, { id: 'main', title: 'Look', head: 'a', entries })
    loaded.entries[0].text = 'changed as well'
    loaded.entries.length = 0
    assert.deepEqual((await store.load('main')).entries, entries)
    await store.save('main', { entries: [] })
    assert.deepEqual((await store.load('main')).entries, entries)
  })

  if (again) {
    check('what was saved is there when the place is opened again', async (t) => {
      const store = await open(t)
      await grown(store)
      await store.rename('main', 'Rain')
      const [before, list] = [await store.load('main'), await store.list()]
      const other = await again(t)
      assert.deepEqual(await other.load('main'), before)
      assert.deepEqual(await other.list(), list)
      await other.save('main', { entries: [question('q3', 'a3', 'Thanks')] })
      assert.equal(ids(pathToEntry(await store.load('main'))), 'q1 a2 q2 a3 q3')
    })
  }

  check("the app's own members are kept with a conversation and an entry, and change it in no list", async (t) => {
    const store = await open(t)
    await store.save('main', {
      entries: [question('q', null, 'Hi', { app: { mark: [1, null] } })],
      app: { persona: 'cat' },
    })
    const [{ updated }] = await store.list()
    await store.save('main', { tags: ['work', 'rain', 'work'], configuration: { settings: { mode: 'text' } } })
    await store.save('main', { seen: false })
    const whole = await store.load('main')
    assert.deepEqual(
      [whole.app, whole.tags, whole.configuration, whole.seen, whole.entries[0].app],
      [{ persona: 'cat' }, ['work', 'rain'], { settings: { mode: 'text' } }, false, { mark: [1, null] }],
    )
    assert.deepEqual(await store.list(), [
      { id: 'main', title: 'Hi', updated, entries: 1, tags: ['work', 'rain'], seen: false },
    ])
    assert.deepEqual(JSON.parse(await store.export('main', 'json')).app, { persona: 'cat' })
    if (again) assert.deepEqual(await (await again(t)).load('main'), whole)
    await store.save('main', { app: null, tags: [], configuration: null, seen: true })
    const plain = await store.load('main')
    assert.deepEqual(Object.keys(plain).sort(), ['entries', 'head', 'id', 'title'])
    const clock = Date.now
    Date.now = () => updated + 5000
    try {
      await store.save('main', { entries: whole.entries, tags: ['work'] })
    } finally {
      Date.now = clock
    }
    assert.equal((await store.list())[0].updated, updated + 5000, 'an entry was changed as well')
    await store.save('empty', { tags: ['new'] })
    assert.deepEqual((await store.load('empty')).entries, [])
  })

  check(
    'a list by tags has the conversations with all of them; it says which of them waits for a person',
    async (t) => {
      const store = await open(t)
      for (const [id, tags] of [
        ['one', ['a']],
        ['two', ['a', 'b']],
        ['three', []],
      ])
        await store.save(id, {
          entries: [question('q', null, `About ${id}`), answer('r', 'q', 'x', { state: 's' })],
          tags,
        })
      const found = async (options) => (await store.list(options)).map(({ id }) => id).sort()
      assert.deepEqual(await found({ tags: ['a'] }), ['one', 'two'])
      assert.deepEqual(await found({ tags: ['b', 'a'] }), ['two'])
      assert.deepEqual(await found({ tags: ['a'], query: 'ONE' }), ['one'])
      assert.deepEqual(await found({ tags: ['a'], skip: 1, limit: 5 }).then(({ length }) => length), 1)
      assert.deepEqual(await found({ tags: [] }), ['one', 'three', 'two'])
      assert.ok((await store.list()).every(({ waiting }) => waiting === true))
      await store.save('one', { entries: [answer('r', 'q', 'x')] })
      assert.deepEqual((await store.list({ tags: ['a'] })).map(({ id, waiting }) => `${id} ${waiting}`).sort(), [
        'one undefined',
        'two true',
      ])
    },
  )

  check('of the own members, what is no JSON, too large or unknown is refused with its place', async (t) => {
    const store = await open(t)
    const own = (more) => ({ entries: [question('q', null, 'Hi', more)] })
    for (const [change, code, path, hint] of [
      [own({ mood: 'good' }), 'option', 'change.entries[0].mood', /did you mean app\?/],
      [own({ 'x-mood': 'good' }), 'option', 'change.entries[0].x-mood', /did you mean app\?/],
      [own({ encrypted: 'x' }), 'option', 'change.entries[0].encrypted', /did you mean app\?/],
      [own({ app: 7 }), 'option', 'change.entries[0].app'],
      [own({ app: { big: 'x'.repeat(70_000) } }), 'limit', 'change.entries[0].app'],
      [{ app: { big: 'é'.repeat(33_000) } }, 'limit', 'change.app'],
      [{ configuration: [] }, 'option', 'change.configuration'],
      [{ tags: ['x'.repeat(65)] }, 'option', 'change.tags'],
      [{ tags: Array.from({ length: 17 }, (_, at) => `t${at}`) }, 'option', 'change.tags'],
      [{ tags: [''] }, 'option', 'change.tags'],
      [{ seen: 1 }, 'option', 'change.seen'],
    ])
      await assert.rejects(store.save('main', change), (error) => {
        assert.deepEqual([error.code, error.path], [code, path])
        if (hint) assert.match(error.hint, hint)
        return true
      })
    await assert.rejects(store.list({ tags: 'a' }), { code: 'option', path: 'tags' })
    assert.equal(await store.load('main'), null)
  })

  check('branches: the head says which is shown', async (t) => {
    const store = await open(t)
    await grown(store)
    const all = await store.load('main')
    assert.equal(ids(all.entries), 'q1 a1 a2 q2 a3')
    assert.equal(all.head, 'a3')
    assert.equal(ids(pathToEntry(all)), 'q1 a2 q2 a3')
    assert.equal(ids(pathToEntry(all, 'a1')), 'q1 a1')
    assert.deepEqual(pathToEntry(all, 'nobody'), [])
    await store.save('main', { head: 'a1' })
    assert.equal((await store.load('main')).head, 'a1')
    await store.save('main', { entries: [answer('a2', 'q1', 'Yes, at five.')] }) // what is not new does not move it
    const changed = await store.load('main')
    assert.equal(changed.head, 'a1')
    assert.equal(ids(changed.entries), 'q1 a1 a2 q2 a3')
    assert.equal(changed.entries[2].message.blocks[0].text, 'Yes, at five.')
  })

  check('what does not fit is refused with its place, and nothing of it is kept', async (t) => {
    const store = await open(t)
    await grown(store)
    const before = await store.load('main')
    const q = question('n', 'a3', 'New')
    const wrong = [
      [[{ entries: [q, question('o', 'nowhere', 'x')] }], 'change.entries[1].parent'],
      [[{ entries: [q, question('a3', 'q1', 'x')] }], 'change.entries[1].parent'],
      [[{ entries: [question('n', 'n', 'x')] }], 'change.entries[0].parent'],
      [[{ entries: [q], head: 'nobody' }], 'change.head'],
      [[{ entries: [q, { ...q, id: '' }] }], 'change.entries[1].id'],
      [[{ entries: [q, { ...q, id: 'm', role: 'tool' }] }], 'change.entries[1].role'],
      [[{ entries: [q, { ...q, id: 'm', at: 'now' }] }], 'change.entries[1].at'],
      [[{ entries: [q, null] }], 'change.entries[1]'],
      [[{ entries: [{ ...q, parts: [{ n: 1n }] }] }], 'change.entries[0].parts[0].n'],
      [[{ entries: {} }], 'change.entries'],
      [[{ entry: [] }], 'change.entry'],
      [[{ entries: [q], blobs: [{ ref: '../../etc/passwd', bytes: png }] }], 'change.blobs[0].ref'],
      [[{ entries: [q], blobs: [{ ...pictureBlob(png, 'image/png'), bytes: 'text' }] }], 'change.blobs[0].bytes'],
      [[null], 'change'],
    ]
    for (const [args, path] of wrong) await assert.rejects(store.save('main', ...args), refused('option', path), path)
    for (const id of ['', 5, null, 'x'.repeat(201), 'a\0b', 'a\nb']) {
      for (const act of [store.save(id, {}), store.load(id), store.rename(id, 'x'), store.delete(id)])
        await assert.rejects(act, refused('option', 'id'))
    }
    await assert.rejects(store.rename('main', 5), refused('option', 'title'))
    await assert.rejects(store.rename('main', 'x'.repeat(201)), refused('option', 'title'))
    await assert.rejects(store.export('main', 'pdf'), refused('option', 'as'))
    await assert.rejects(store.search(5), refused('option', 'query'))
    await assert.rejects(store.list({ limit: -1 }), refused('option'))
    assert.deepEqual(await store.load('main'), before)
  })

  check('titles: the first line of the first question, until it is renamed', async (t) => {
    const store = await open(t)
    await grown(store)
    assert.equal((await store.load('main')).title, 'Will it rain today?')
    assert.equal(await store.rename('main', 'Rain 雨'), true)
    assert.deepEqual(
      (await store.list()).map(({ title }) => title),
      ['Rain 雨'],
    )
    assert.equal((await store.load('main')).title, 'Rain 雨')
    assert.equal(await store.rename('main', ''), true)
    assert.equal((await store.load('main')).title, 'Will it rain today?')
    await store.save('long', { entries: [question('q', null, `\n \n${'😀'.repeat(200)}`)] })
    const { title } = await store.load('long')
    assert.ok(title.length <= 80 && title.isWellFormed?.() !== false && title.endsWith('😀…'), title)
  })

  check('the list: what changed last comes first, by pages, by what is in it', async (t) => {
    const store = await open(t)
    for (const id of ['one', 'two', 'three']) {
      await store.save(id, {
        entries: [question(`q${id}`, null, `Number ${id}`), answer(`a${id}`, `q${id}`, `Straße ${id} 苹果`)],
      })
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    const order = async (options) => (await store.list(options)).map(({ id }) => id).join(' ')
    assert.equal(await order(), 'three two one')
    assert.equal(await order({ skip: 1, limit: 1 }), 'two')
    assert.equal(await order({ limit: 0 }), '')
    assert.equal(await order({ query: 'NUMBER tW' }), 'two')
    assert.equal(await order({ query: '苹' }), 'three two one')
    assert.equal(await order({ query: 'sTRAße one' }), 'one')
    assert.equal(await order({ query: '%' }), '')
    await store.rename('one', 'Pear')
    assert.equal(await order({ query: 'pear' }), 'one')
    assert.equal(await order(), 'three two one', 'a title is no entry')
    await store.save('one', { head: 'aone' })
    assert.equal(await order(), 'one three two')
    const [{ updated, ...info }] = await store.list({ limit: 1 })
    assert.deepEqual(info, { id: 'one', title: 'Pear', entries: 2 })
    assert.ok(Math.abs(Date.now() - updated) < 60_000)
  })

  check('search finds entries, the last one first', async (t) => {
    const store = await open(t)
    await grown(store)
    await store.save('other', { entries: [question('o1', null, `${'x'.repeat(300)} RAIN ${'y'.repeat(300)}`)] })
    const found = await store.search('rain')
    assert.deepEqual(
      found.map(({ conversation, entry }) => [conversation, entry]),
      [
        ['other', 'o1'],
        ['main', 'q1'],
      ],
    )
    assert.equal(found[1].title, 'Will it rain today?')
    assert.equal(found[1].text, 'Will it rain today? I go out.')
    assert.ok(
      found[0].text.includes('RAIN') &&
        found[0].text.length <= 200 &&
        found[0].text.startsWith('…') &&
        found[0].text.endsWith('…'),
      found[0].text,
    )
    assert.equal((await store.search('rain', { limit: 1 })).length, 1)
    assert.deepEqual(
      (await store.search('伞')).map(({ entry }) => entry),
      ['q2'],
    )
    assert.deepEqual(
      (await store.search('at four')).map(({ entry }) => entry),
      ['a2'],
    )
    assert.deepEqual(await store.search('history'), [])
    await store.save('nul', { entries: [question('n', null, 'before \0 behind')] })
    assert.deepEqual(
      (await store.search('behind')).map(({ entry }) => entry),
      ['n'],
    )
  })

  check('deleting takes what follows, and the pictures of it', async (t) => {
    const store = await open(t)
    await grown(store)
    const [picture, other] = [pictureBlob(png, 'image/png'), pictureBlob(Buffer.from('other'), 'image/gif')]
    const at = (blob) => ({ parts: [{ type: 'image', url: blobAddress(blob) }] })
    await store.save('main', { entries: [question('q4', 'a3', 'Both', at(picture))], blobs: [picture] })
    await store.save('main', { entries: [question('q5', 'a1', 'One', at(other))], blobs: [other], head: 'q4' })
    assert.equal(await store.delete('main', 'nobody'), false)
    assert.equal(await store.delete('main', 'q2'), true)
    const left = await store.load('main')
    assert.equal(ids(left.entries), 'q1 a1 a2 q5')
    assert.equal(left.head, 'a2')
    assert.equal(await store.bytes('main', picture.ref), null)
    assert.deepEqual(Buffer.from(await store.bytes('main', other.ref)).toString(), 'other')
    await store.save('main', { entries: [question('q2', 'a2', 'Again')] })
    assert.equal(await store.delete('main', 'q1'), true)
    assert.deepEqual(await store.load('main'), { id: 'main', title: '', head: null, entries: [] })
    assert.equal(await store.delete('main'), true)
    assert.equal(await store.load('main'), null)
    assert.equal(await store.bytes('main', other.ref), null)
    assert.deepEqual(await store.list(), [])
  })

  check('pictures are kept once, beside the conversation that has them', async (t) => {
    const store = await open(t)
    const blob = pictureBlob(png, 'image/png')
    assert.equal(blob.ref, `${createHash('sha256').update(png).digest('hex')}.png`)
    for (const id of ['q1', 'q2'])
      await store.save('main', {
        entries: [question(id, null, '', { parts: [{ type: 'image', url: blobAddress(blob) }] })],
        blobs: [blob, blob],
      })
    assert.deepEqual(Buffer.from(await store.bytes('main', blob.ref)), png)
    assert.equal(await store.bytes('other', blob.ref), null)
    for (const ref of ['', '../main/conversation.jsonl', 'conversation.jsonl', `../main/${blob.ref}`])
      assert.equal(await store.bytes('main', ref), null)
  })

  check('files are kept as pictures are, and removed with the entry that names them', async (t) => {
    const store = await open(t)
    const bytes = Buffer.from('%PDF-1.7 of a file')
    const blob = fileBlob(bytes, 'application/pdf', 'a.exe')
    assert.equal(blob.ref, `${createHash('sha256').update(bytes).digest('hex')}.pdf`)
    const part = { type: 'file', name: 'a.pdf', mediaType: 'application/pdf', bytes: 18, url: blobAddress(blob) }
    await store.save('main', { entries: [question('q1', null, '', { parts: [part] })], blobs: [blob] })
    assert.deepEqual((await store.load('main')).entries[0].parts, [part])
    assert.deepEqual(Buffer.from(await store.bytes('main', blob.ref)), bytes)
    const path = await store.path?.('main', blob.ref)
    if (path) assert.deepEqual(readFileSync(path), bytes)
    for (const ref of ['', '../main/conversation.jsonl', 'conversation.jsonl', `${'0'.repeat(64)}.pdf`])
      assert.equal((await store.path?.('main', ref)) ?? null, null)
    assert.deepEqual(JSON.parse(await store.export('main', 'json')).blobs, { [blob.ref]: bytes.toString('base64') })
    assert.match(await store.export('main', 'markdown'), /\n> a\.pdf, application\/pdf, 18 B\n/)
    assert.equal(await store.delete('main', 'q1'), true)
    assert.equal(await store.bytes('main', blob.ref), null)
    assert.equal((await store.path?.('main', blob.ref)) ?? null, null)
  })

  check('an export holds everything: JSON all branches, Markdown the shown one', async (t) => {
    const store = await open(t)
    await grown(store)
    const blob = pictureBlob(png, 'image/png')
    const card = { type: 'tool_use', call: 1, name: 'look', status: 'success', arguments: { at: 'sky' } }
    await store.save('main', {
      entries: [
        question('q6', 'a3', 'This?', { parts: [{ type: 'image', url: blobAddress(blob) }] }),
        answer('a6', 'q6', 'A dot.', {
          message: { role: 'assistant', rounds: 1, blocks: [{ type: 'text', text: 'A dot.' }, card] },
        }),
      ],
      blobs: [blob],
    })
    const { blobs, ...conversation } = JSON.parse(await store.export('main', 'json'))
    assert.deepEqual(conversation, await store.load('main'))
    assert.deepEqual(blobs, { [blob.ref]: png.toString('base64') })
    const markdown = await store.export('main', 'markdown')
    assert.match(markdown, /^# Will it rain today\?\n\n\*\*You\*\*, 20\d\d-/)
    assert.ok(!markdown.includes('No.') && markdown.includes('Yes, at four.'))
    assert.ok(markdown.includes(`![](data:image/png;base64,${png.toString('base64')})`))
    assert.ok(markdown.includes('> look({"at":"sky"}): success'))
  })

  check('every id has a conversation of its own', async (t) => {
    const store = await open(t)
    const odd = [
      '..',
      '../up',
      'a/b',
      'a\\b',
      'CON',
      'con',
      'nul',
      'a',
      'A',
      '~a',
      '苹果',
      'x'.repeat(200),
      '.hidden',
      'a b',
      'main.lock',
      '\u202e',
      '%2e%2e',
      '__proto__',
    ]
    for (const id of odd) await store.save(id, { entries: [question('q', null, `of ${id}`)] })
    for (const id of odd) assert.equal((await store.load(id)).entries[0].text, `of ${id}`)
    assert.deepEqual((await store.list()).map(({ id }) => id).sort(), [...odd].sort())
    for (const id of odd) assert.equal(await store.delete(id), true)
    assert.deepEqual(await store.list(), [])
  })

  check('many at a time', async (t) => {
    const store = await open(t)
    await store.save('main', { entries: [question('root', null, 'root')] })
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        store.save(at % 3 ? 'main' : 'other', { entries: [question(`e${at}`, at % 3 ? 'root' : null, 'x')] }),
      ),
    )
    assert.equal((await store.load('main')).entries.length, 21)
    assert.equal((await store.load('other')).entries.length, 10)
  })

  check('random changes come to the same as in memory', async (t) => {
    const [store, model] = [await open(t), memoryConversations()]
    let seed = 7
    const random = (below) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below
    const both = async (act) => {
      const [one, other] = await Promise.allSettled([act(store), act(model)])
      assert.equal(one.status, other.status)
      assert.deepEqual(one.value, other.value)
      assert.equal(one.reason?.message, other.reason?.message)
    }
    const pick = () => `e${random(40)}`
    for (let at = 0; at < 300; at++) {
      const id = `c${random(2)}`
      const roll = random(10)
      if (roll < 6) {
        const entries = Array.from({ length: 1 + random(3) }, () =>
          question(pick(), random(4) ? pick() : null, `text ${at}`),
        )
        const change = { entries, ...(random(3) ? {} : { head: pick() }) }
        await both((one) => one.save(id, change))
      } else if (roll === 6) await both((one) => one.rename(id, `title ${at}`))
      else if (roll === 7) {
        const entry = pick()
        await both((one) => one.delete(id, entry))
      } else if (roll === 8 && random(8) === 0) await both((one) => one.delete(id))
      else {
        const query = `text ${random(at + 1)}`
        await both(async (one) => (await one.search(query)).map(({ entry }) => entry))
      }
      await both((one) => one.load(id))
    }
    await both(async (one) =>
      (await one.list()).map(({ updated: _, ...info }) => info).sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
  })

  check('10,000 entries: saving the next one costs no more than the first did', async (t) => {
    const store = await open(t)
    const text = 'word '.repeat(200)
    const entries = [question('e0', null, text)]
    for (let at = 1; at < 10_000; at++) entries.push((at % 2 ? answer : question)(`e${at}`, `e${at - 1}`, text))
    await store.save('small', { entries: entries.slice(0, 2) })
    await store.save('large', { entries })
    const cost = async (id, from) => {
      const each = []
      for (let at = 0; at < 10; at++) {
        const start = performance.now()
        await store.save(id, { entries: [question(`n${at}`, at ? `n${at - 1}` : from, 'next')] })
        each.push(performance.now() - start)
      }
      return Math.min(...each) // those that another process held up say nothing
    }
    await cost('small', 'e1') // warm
    await store.delete('small')
    await store.save('small', { entries: entries.slice(0, 2) })
    await store.save('large', { head: 'e9999' })
    const [small, large] = [await cost('small', 'e1'), await cost('large', 'e9999')]
    t.diagnostic(`a save: ${small.toFixed(2)} ms, behind 10,000 entries ${large.toFixed(2)} ms`)
    assert.ok(large < small * 5 + 60, `${small} and ${large} ms`)
    assert.equal((await store.load('large')).entries.length, 10_010)
  })
}
