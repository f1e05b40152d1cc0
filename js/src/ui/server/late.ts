// <sluice-server>: who answers, loaded when it is shown.
import type { PropertyDeclarations } from 'lit'
import { define } from '../element.js'
import { LateElement } from '../late-element.js'
import type { SluiceServerPage } from './element.js'
import type { ServerClient } from './types.js'

export class SluiceServer extends LateElement<SluiceServerPage> {
  static override properties: PropertyDeclarations = { client: { attribute: false } }

  declare client: ServerClient | undefined

  protected override async load(): Promise<SluiceServerPage> {
    await import('./element.js')
    return document.createElement('sluice-server-page') as SluiceServerPage
  }

  protected override give(page: SluiceServerPage): void {
    page.client = this.client
  }

  /** Reads anew who answers, and looks for the servers of this machine. */
  async refresh(): Promise<void> {
    await (await this.inside).refresh()
  }
}

define('sluice-server', SluiceServer)
