// <sluice-server>: who answers, loaded when it is shown.
import { define } from '../shared/base-element.js'
import { LateElement } from '../shared/late-element.js'
import { exported } from '../shared/parts.js'
import type { SluiceServerPage } from './server-panel-element.js'

export class SluiceServer extends LateElement<SluiceServerPage> {
  protected override async load(): Promise<SluiceServerPage> {
    await import('./server-panel-element.js')
    const page = document.createElement('sluice-server-page') as SluiceServerPage
    page.setAttribute('exportparts', exported.server)
    return page
  }
}

define('sluice-server', SluiceServer)
