// Shows remembered decisions and lets a person revoke them.
import { html, nothing, type TemplateResult } from 'lit'
import { each } from '../shared/each.js'
import type { RuleView } from '../../../app/bridge/messages.js'
import { markInvisible } from '../shared/mark-invisible.js'
import { clickOf, decides } from '../approval/presses.js'
import type { ConfigurationPage } from './configuration-page.js'

export function drawRules(page: ConfigurationPage): TemplateResult {
  const { store, text } = page
  const rules = store.rules
  return html`<h3 id="rules">${text.rules}</h3>
    ${
      rules.length === 0
        ? html`<p class="muted">${text.noRules}</p>`
        : html`<ul class="rules" aria-labelledby="rules">${each(
            rules,
            ({ id }) => id,
            (rule) => drawRule(page, rule),
          )}</ul>`
    }`
}

/** What each button revokes. */
export function armRules(root: ParentNode): void {
  for (const rule of root.querySelectorAll<HTMLElement>('[data-rule]'))
    decides(rule.querySelector(':scope > button'), () => ({ question: rule.dataset['rule'] ?? '', armed: true }))
}

function drawRule({ store, text }: ConfigurationPage, rule: RuleView): TemplateResult {
  const { id, tool, effect, scope = 'session', arguments: exact } = rule
  const revoke = (event: Event): void => {
    if (clickOf(event) !== 'counts') return // pressed for another rule
    const list = (event.currentTarget as Element).closest('section') as HTMLElement
    store.revoke(id)
    list.focus() // the pressed button disappears
  }
  return html`<li data-rule=${id}>
    <div class="about"><span class="name"><b>${markInvisible(tool)}</b> <span class="mark ${effect}">${text.effects[effect]}</span>
        <span class="muted">${text.scopes[scope]}</span></span>
      ${exact ? html`<p>${text.exactly}</p><pre class="value" tabindex="0" role="region" aria-label=${text.exactly}>${markInvisible(JSON.stringify(exact, null, 2))}</pre>` : nothing}
    </div>
    <button class="button" aria-label=${text.revokeOf(tool, text.effects[effect])} @click=${revoke}>${text.revoke}</button>
  </li>`
}
