import { css } from 'lit'

export const messageStyles = css`
  :host { display: block; }
  /* Not a flex box, which looks at every child again whenever one grows. The gap above the first block is taken back. */
  .blocks { margin-top: calc(-1 * var(--_gap)); }
  .group > *, .blocks ~ * { margin-top: var(--_gap); }
  .thoughts .chunk { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; contain: content; }
  sluice-card { color-scheme: inherit; }
  .group > sluice-card[quiet]:not([open]) { margin-top: 0; }
  :host([cues='none']) :is(.cue, sluice-card[quiet]) { display: none; }

  .folded { color: var(--_muted); font-size: .92em; }
  summary {
    display: inline-flex; align-items: center; gap: 7px; padding: 3px 10px 3px 8px; margin-inline-start: -8px; border-radius: 99px;
    cursor: pointer; list-style: none; user-select: none;
  }
  summary::-webkit-details-marker { display: none; }
  summary:hover { background: color-mix(in srgb, var(--_text) 6%, transparent); }
  .chevron { font-size: .8em; transition: transform .15s; }
  .folded[open] .chevron { transform: rotate(90deg); }
  .calls {
    display: flex; align-items: center; gap: 8px; width: fit-content; max-width: 100%; padding: 5px 12px; border: 1px solid var(--_border); border-radius: 99px;
    background: var(--_surface); color: var(--_muted); font-size: .92em; text-align: start;
  }
  .calls:hover { color: var(--_text); }
  .calls > span:not(.chevron) { min-width: 0; overflow-wrap: anywhere; }
  .calls .time { font-size: .92em; font-variant-numeric: tabular-nums; }
  .calls[aria-expanded='true'] .chevron { transform: rotate(90deg); }
  .refusal { padding-inline-start: 14px; border-inline-start: 2px solid var(--_border); }
  .refusal > .label { margin: 0 0 2px; font-size: .86em; color: var(--_muted); }
  .thoughts { margin-top: 6px; padding-inline-start: 14px; border-inline-start: 2px solid var(--_border); }

  .error {
    display: flex; gap: 10px; padding: 11px 13px; border-radius: var(--_radius);
    border: 1px solid color-mix(in srgb, var(--_danger) 38%, var(--_background)); background: var(--_danger-back);
  }
  .error > .icon { margin-top: .22em; color: var(--_danger); }
  .error > div { min-width: 0; }
  .error p { margin: 0; overflow-wrap: anywhere; }
  .error .title { font-weight: 600; color: var(--_danger); }
  .error .code { font: 400 .82em var(--_mono); color: var(--_muted); margin-inline-start: 4px; }
  .error .detail { white-space: pre-wrap; max-height: var(--_max-height); overflow: auto; unicode-bidi: isolate; }
  .error .hint { margin-top: 5px; font-size: .93em; }

  .dots { display: flex; gap: 5px; align-items: center; min-height: 1.6em; }
  .dots > i { width: 7px; height: 7px; border-radius: 50%; background: var(--_muted); opacity: .45; }
  .outcome { margin-bottom: 0; display: flex; align-items: center; gap: 6px; font-size: .86em; color: var(--_muted); }
  .retry { flex-wrap: wrap; font-variant-numeric: tabular-nums; }
  .retry > .why { min-width: 0; overflow-wrap: anywhere; }
  .ending { color: var(--_warning); font-weight: 550; }
  .all {
    display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 10px 12px;
    border: 1px solid color-mix(in srgb, var(--_warning) 45%, var(--_border)); border-radius: var(--_radius); background: var(--_surface);
  }
  .all > .what { flex: 1 1 14em; min-width: 0; }
  .all .count { font-weight: 600; display: block; }
  .group > sluice-card[compact] { margin-top: 6px; }
  .all .note { flex-basis: 100%; margin: 0; font-size: .86em; color: var(--_muted); }
  .all .note:empty { display: none; }
  .all .more { padding: 4px 2px; border: 0; background: none; color: var(--_accent-ink); font-size: .86em; font-weight: 600; text-decoration: underline; text-underline-offset: 2px; }
  .all .names { font-size: .86em; color: var(--_muted); overflow-wrap: anywhere; max-height: 4.8em; overflow: auto; display: block; }
  .all .deciding { display: flex; flex-wrap: wrap; gap: 8px; }

  /* As a dock of the window: over the message, at the lower edge. What stands beside the message, or above it, is not covered. */
  .message { anchor-name: --message; }
  dialog {
    --_width: min(560px, 100vw - 24px); width: var(--_width); max-width: none; max-height: none; padding: 0; margin-block: auto 12px; overflow: visible;
    border: 0; border-radius: var(--_radius); background: none; color: inherit; box-shadow: 0 20px 60px rgb(0 0 0 / .32);
  }
  @supports (left: anchor(--message center)) {
    dialog { right: auto; left: clamp(12px, anchor(--message center, 50vw) - var(--_width) / 2, 100vw - var(--_width) - 12px); }
  }
  dialog::backdrop { background: rgb(10 12 20 / .42); }
  dialog > sluice-questions { --sluice-dock-height: 60dvh; color-scheme: inherit; }
  @media (max-height: 479px) {
    dialog { margin-block: auto 0; }
    dialog > sluice-questions { --sluice-dock-height: 100dvh; }
  }

  @media (prefers-reduced-motion: no-preference) {
    .dots > i { animation: rise 1.2s ease-in-out infinite; }
    .dots > i:nth-child(2) { animation-delay: .15s; }
    .dots > i:nth-child(3) { animation-delay: .3s; }
    .going summary > span:nth-child(2) { animation: glow 1.6s ease-in-out infinite; }
  }
  @keyframes rise { 0%, 60%, 100% { transform: none; opacity: .45; } 30% { transform: translateY(-3px); opacity: 1; } }
  @keyframes glow { 50% { opacity: .5; } }
`
