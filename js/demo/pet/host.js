// Where the host of this page is: the main process of Electron, or the server that the page is from. `../site/host.js`
// is in the page itself.
import { postJson, webBridge } from '/sluice/renderer/web-bridge.js'

export const bridge = window.sluice ?? webBridge()
/** What the page shows beside what the bridge tells. */
export const demo = () => postJson('/api/demo', {})
