// <sluice-server>: who answers, loaded when it is shown.
import { define } from '../element.js'
import { LateElement } from '../late-element.js'
import type { SluiceServerPage } from './element.js'

export class SluiceServer extends LateElement<SluiceServerPage> {
  protected override async load(): Promise<SluiceServerPage> {
    await import('./element.js')
    return document.createElement('sluice-server-page') as SluiceServerPage
  }
}

define('sluice-server', SluiceServer)
