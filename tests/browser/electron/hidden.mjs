// A window that is really hidden. Playwright keeps its pages visible (focus emulation), so this one is opened behind
// its back: in a browser context that it does not know, and minimised.

export async function openHidden(page) {
  const browser = await page.context().browser().newBrowserCDPSession()
  const { browserContextId } = await browser.send('Target.createBrowserContext')
  const { targetId } = await browser.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    newWindow: true,
  })
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: false })
  const { windowId } = await browser.send('Browser.getWindowForTarget', { targetId })
  await browser.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'minimized' } })

  let last = 0
  const waiting = new Map()
  const listeners = []
  browser.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return
    const { id, method, params, result, error } = JSON.parse(event.message)
    if (method) return listeners.forEach(([name, listener]) => name === method && listener(params))
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  })
  const cdp = {
    on: (name, listener) => listeners.push([name, listener]),
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject })
        browser
          .send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: last, method, params }) })
          .catch(reject)
      }),
  }
  return {
    cdp,
    async goto(url) {
      const loaded = new Promise((resolve) => cdp.on('Page.loadEventFired', resolve))
      await cdp.send('Page.navigate', { url })
      await loaded
    },
    async evaluate(work, arg) {
      const expression = `(${work})(${JSON.stringify(arg)})`
      const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return result.value
    },
    close: () => browser.send('Target.disposeBrowserContext', { browserContextId }),
  }
}
