// The first start: who answers, or the script without a key. Then the chat, and a question.
const $ = (selector) => document.querySelector(selector)

/** Shows the page until somebody chose, and calls `done` then. */
export function startFirst({ client, done }) {
  const server = Object.assign(document.createElement('sluice-server'), { client })
  $('#start-server').append(server)
  const leave = () => {
    $('#start').remove()
    $('#talk').hidden = false
    done()
  }
  server.addEventListener('sluice-connected', leave)
  $('#without').addEventListener('click', async () => {
    await client.server.use(null)
    leave()
  })
  $('#start-language').addEventListener('click', () => $('#language').click())
  $('#talk').hidden = true
  $('#start').hidden = false
  $('#without').focus({ preventScroll: true })
}
