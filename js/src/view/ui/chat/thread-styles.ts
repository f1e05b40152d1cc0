import { css } from 'lit'

export const threadStyles = css`
  :host { display: flex; flex-direction: column; position: relative; min-height: 0; min-width: 0; }
  .scroller { flex: 1; min-height: 0; padding: 16px 18px 8px; overflow-y: auto; overscroll-behavior: contain; scrollbar-width: thin; outline-offset: -3px; }
  @media (max-height: 420px) { .scroller { padding: 4px 8px 2px; } }
  .entries, ::slotted([slot='empty']) { width: 100%; max-width: var(--sluice-measure, 46rem); margin-inline: auto; }
  .entries { display: flex; flex-direction: column; gap: 4px; }
  .note { margin: 0; text-align: center; color: var(--_muted); font-size: .87em; }
  .trouble {
    max-width: var(--sluice-measure, 46rem); margin: 10px auto 0; padding: 8px 12px; border-radius: var(--_small-radius); overflow-wrap: anywhere; font-size: .93em;
    background: var(--_danger-back); color: var(--_danger);
  }
  .jump {
    position: absolute; left: 50%; bottom: 10px; translate: -50%; min-height: 30px; padding: 4px 14px; border: 1px solid var(--_edge); border-radius: 99px;
    background: var(--_background); color: var(--_text); font-size: .87em; box-shadow: 0 4px 14px rgb(0 0 0 / .18);
  }
`
