// <sluice-configuration>: the page of the configuration, loaded when it is shown.
import { define } from '../shared/base-element.js'
import { LateElement } from '../shared/late-element.js'
import type { SluiceConfigurationPage } from './configuration-element.js'

export class SluiceConfiguration extends LateElement<SluiceConfigurationPage> {
  protected override async load(): Promise<SluiceConfigurationPage> {
    await import('./configuration-element.js')
    return document.createElement('sluice-configuration-page') as SluiceConfigurationPage
  }
}

define('sluice-configuration', SluiceConfiguration)
