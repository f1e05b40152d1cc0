import { css } from 'lit'

export const conversationsStyles = css`
  :host { display: flex; flex-direction: column; gap: 8px; min-height: 0; min-width: 0; padding: 12px; overflow-y: auto; }
  .top { display: grid; gap: 8px; }
  .search { width: 100%; }
  .note { margin: 12px 4px; color: var(--_muted); }
  .list { display: flex; flex-direction: column; gap: 2px; margin: 0; padding: 0; list-style: none; }
  .item { position: relative; display: flex; flex-wrap: wrap; align-items: center; border: 1px solid transparent; border-radius: var(--_small-radius); }
  .item:hover, .item:focus-within { background: color-mix(in srgb, var(--_text) 5%, transparent); }
  .item.current { background: color-mix(in srgb, var(--_accent) 12%, transparent); }
  .open { flex: 1; display: grid; min-width: 0; min-height: 44px; padding: 5px 10px; border: 0; background: none; text-align: start; line-height: 1.35; }
  .open:disabled { opacity: .6; }
  .title { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  :is(.current, .unread) .title { font-weight: 600; }
  .state { color: var(--_accent-ink); font-weight: 600; }
  .date { font-size: .82em; color: var(--_muted); }
  .title-field { flex: 1; margin: 5px; min-width: 0; }
  .tools { display: flex; padding-inline-end: 4px; }
  .tool { display: grid; place-items: center; width: 28px; height: 28px; padding: 0; border: 0; border-radius: var(--_small-radius); background: none; color: var(--_muted); font-size: .9em; }
  .tool:hover { background: color-mix(in srgb, var(--_text) 8%, transparent); color: var(--_text); }
  .deleting { flex: 1 0 100%; display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 4px 10px 10px; font-size: .93em; overflow-wrap: anywhere; }
  .button.danger { border-color: var(--_danger); color: var(--_danger); }
  .trouble { margin: 0; padding: 7px 12px; border-radius: var(--_small-radius); background: var(--_danger-back); color: var(--_danger); font-size: .9em; overflow-wrap: anywhere; }
  @media (hover: hover) and (not (prefers-contrast: more)) and (not (forced-colors: active)) { /* hidden tools take no room of the title */
    .tools { position: absolute; inset-block-start: 8px; inset-inline-end: 0; }
    .item:not(:hover, :focus-within) .tools { opacity: 0; }
    .item:is(:hover, :focus-within) .open { padding-inline-end: 92px; }
  }
  @media (forced-colors: active) { .item.current { border-color: Highlight; } }
  @media (prefers-contrast: more) { .item.current { border-color: var(--_text); } }
`
