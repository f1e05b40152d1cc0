// <sluice-configuration>: the page of the configuration, loaded when it is shown.
import type { PropertyDeclarations } from 'lit'
import { define } from '../element.js'
import { LateElement } from '../late-element.js'
import type { SluiceConfigurationPage } from './element.js'
import type { ConfigurationClient } from './store.js'

export class SluiceConfiguration extends LateElement<SluiceConfigurationPage> {
  static override properties: PropertyDeclarations = { client: { attribute: false } }

  declare client: ConfigurationClient | undefined

  protected override async load(): Promise<SluiceConfigurationPage> {
    await import('./element.js')
    return document.createElement('sluice-configuration-page') as SluiceConfigurationPage
  }

  protected override give(page: SluiceConfigurationPage): void {
    page.client = this.client
  }

  /** Reads the configuration again, since another window may have changed it. */
  async refresh(): Promise<void> {
    await (await this.inside).refresh()
  }
}

define('sluice-configuration', SluiceConfiguration)
