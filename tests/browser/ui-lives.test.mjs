// What elements keep, let go and take up again while they live in a page: items that come and go, another place, another client, another language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from './ui/message.mjs'

test('a list keeps what stays, in order, and nothing of the 1,000 items that went', async (t) => {
  const page = await open(t)
  const found = await page.evaluate(async () => {
    const ask = (at) => ({ call: at, stage: 'execution', name: at % 2 ? 'a' : 'b', arguments: { at }, policy: 'ask_once', token: `t${at}` })
    let view
    let tell
    const message = { id: 'm', subscribe: (listener) => ((tell = listener), () => {}), getSnapshot: () => view }
    const show = (from, count) => (view = { role: 'assistant', seq: from, blocks: [], asks: Array.from({ length: count }, (_, index) => ask(from + index)) })
    const nodes = (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ALL)
      let count = 0
      while (walker.nextNode()) count++
      return count
    }
    show(0, 6)
    const element = Object.assign(document.createElement('sluice-questions'), { message })
    document.querySelector('#stage').append(element)
    await frames(2)
    const list = element.renderRoot.querySelector('.list')
    const before = nodes(list)
    const [, , third] = list.querySelectorAll('sluice-approval')
    show(1, 6)
    tell()
    await frames(2)
    const kept = [...list.querySelectorAll('sluice-approval')].includes(third)
    const order = [...list.querySelectorAll('sluice-approval')].map((one) => one.ask.token).join()
    for (let from = 10; from < 70; from += 6) {
      show(from, 6)
      tell()
      await frames(2)
    }
    show(0, 6)
    tell()
    await frames(2)
    const after = nodes(list)
    element.remove()

    const host = document.createElement('sluice-configuration')
    host.client = { configuration: () => new Promise(() => {}), subscribe: () => () => {} }
    document.querySelector('#stage').append(host)
    await customElements.whenDefined('sluice-picker')
    host.remove()
    const options = Array.from({ length: 40 }, (_, at) => ({ id: `p${at}`, note: '' }))
    const picker = Object.assign(document.createElement('sluice-picker'), { options })
    document.querySelector('#stage').append(picker)
    await picker.updateComplete
    const all = nodes(picker.renderRoot)
    for (let round = 0; round < 26; round++) {
      picker.options = []
      await picker.updateComplete
      picker.options = [...options].reverse()
      await picker.updateComplete
      picker.options = options
      await picker.updateComplete
    }
    return { before, kept, order, after, all, ids: [...picker.renderRoot.querySelectorAll('li b')].map((one) => one.textContent).join() === options.map(({ id }) => id).join(), again: nodes(picker.renderRoot) }
  })
  assert.equal(found.kept, true, 'a question that stays is the same element')
  assert.equal(found.order, 't1,t3,t5,t2,t4,t6')
  assert.equal(found.after, found.before, 'nodes in the list of questions')
  assert.equal(found.ids, true, 'the order of the options')
  assert.equal(found.again, found.all, 'nodes in the list of options')
})
