// <sluice-configuration>: the page of the configuration, loaded when it is shown.
import { define } from '../element.js'
import { LateElement } from '../late-element.js'
import type { SluiceConfigurationPage } from './element.js'

export class SluiceConfiguration extends LateElement<SluiceConfigurationPage> {
  protected override async load(): Promise<SluiceConfigurationPage> {
    await import('./element.js')
    return document.createElement('sluice-configuration-page') as SluiceConfigurationPage
  }
}

define('sluice-configuration', SluiceConfiguration)
