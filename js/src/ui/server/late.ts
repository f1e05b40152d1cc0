// <sluice-server>: who answers, loaded when it is shown.
import { define } from '../element.js'
import { LateElement } from '../late-element.js'
import { exported } from '../parts.js'
import type { SluiceServerPage } from './element.js'

export class SluiceServer extends LateElement<SluiceServerPage> {
  protected override async load(): Promise<SluiceServerPage> {
    await import('./element.js')
    const page = document.createElement('sluice-server-page') as SluiceServerPage
    page.setAttribute('exportparts', exported.server)
    return page
  }
}

define('sluice-server', SluiceServer)
