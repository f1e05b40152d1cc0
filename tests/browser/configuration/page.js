// A page with nothing but the element, over the web bridge. Tests may hold back or fail what is saved:
// `window.intercept`.
import '/sluice/ui/index.js'
import { connect } from '/sluice/renderer/index.js'
import { webBridge } from '/sluice/renderer/web-bridge.js'

const client = connect(webBridge())
const element = document.querySelector('sluice-configuration')
window.patches = []
window.views = 0
element.addEventListener('sluice-configured', () => window.views++)
document.documentElement.lang = new URLSearchParams(location.search).get('lang') ?? 'en'
element.client = {
  configuration: () => client.configuration(),
  async configure(patch) {
    window.patches.push(structuredClone(patch))
    await window.intercept?.(patch)
    return client.configure(patch)
  },
}
