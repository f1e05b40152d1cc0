// Styles of <sluice-server>. It shares tokens and controls with the other elements.
import { css } from 'lit'
import { controls, foreign, tokens } from '../shared/theme.js'

export const serverStyles = [
  tokens,
  controls,
  foreign,
  css`
  :host { display: block; container-type: inline-size; }
  p { margin: 0; }
  form { display: grid; gap: 14px; max-width: 34rem; }
  .state { display: grid; gap: 12px; justify-items: start; color: var(--_muted); }
  .row { display: grid; gap: 4px; min-width: 0; }
  .row > label, .row > .label { font-size: .93em; font-weight: 550; }
  .row select, .row > .field { width: 100%; min-height: 38px; min-width: 0; }
  .note { font-size: .88em; color: var(--_muted); overflow-wrap: anywhere; }
  .note a { color: var(--_accent-ink); }
  .found { color: var(--_success); font-size: .93em; }
  [aria-invalid='true'] { border-color: var(--_danger) !important; }
  details > div { display: grid; gap: 12px; padding-block: 10px 2px; }
  summary { width: fit-content; min-height: 28px; padding: 2px 4px; border-radius: var(--_small-radius); font-size: .93em; font-weight: 500; cursor: pointer; }
  .buttons { display: flex; flex-wrap: wrap; gap: 8px; }
  .buttons .button { min-height: 38px; padding-inline: 18px; }
  .trouble { color: var(--_danger); font-size: .93em; overflow-wrap: anywhere; }
  .said { color: var(--_success); font-size: .93em; overflow-wrap: anywhere; }
  .test { border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface); overflow: hidden; }
  ol { list-style: none; margin: 0; padding: 0; }
  .step { display: grid; grid-template-columns: auto minmax(4.5em, auto) minmax(0, 1fr) auto; gap: 2px 10px; align-items: baseline; padding: 8px 14px; border-top: 1px solid var(--_border); }
  .step:first-child { border-top: 0; }
  .step > .icon { align-self: center; }
  .step b { font-weight: 550; }
  .step .says { overflow-wrap: anywhere; }
  .step .ms { color: var(--_muted); font-size: .85em; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .step .hint { grid-column: 3 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; font-size: .93em; overflow-wrap: anywhere; }
  .step code { padding: 1px 6px; border-radius: 5px; background: var(--_inset); font: .92em var(--_mono); overflow-wrap: anywhere; }
  .step .button { min-height: 26px; padding: 1px 9px; }
  .step.ok .mark { color: var(--_success); }
  .step.no .mark { color: var(--_danger); }
  .step.spare .mark { color: var(--_warning); }
  .mark { display: grid; align-self: center; }
  .verdict { padding: 8px 14px; border-top: 1px solid var(--_border); font-weight: 550; }
  .verdict.first { border-top: 0; }
  @container (max-width: 420px) {
    .step { grid-template-columns: auto minmax(0, 1fr) auto; }
    .step .ms { grid-column: 3; grid-row: 1; }
    .step .says, .step .hint { grid-column: 2 / -1; }
  }
`,
]

export const modelFieldStyles = [
  tokens,
  controls,
  foreign,
  css`
  :host { display: block; font-size: inherit; }
  .box { position: relative; }
  input { width: 100%; min-height: 38px; padding-inline-end: 40px; }
  [aria-invalid='true'] { border-color: var(--_danger); }
  .opener { position: absolute; inset-block: 2px; inset-inline-end: 2px; width: 34px; display: grid; place-items: center; border: 0; border-radius: 6px; background: none; color: var(--_muted); }
  .opener .icon { rotate: 90deg; }
  ul {
    position: absolute; inset-inline: 0; top: calc(100% + 3px); z-index: 2; list-style: none; margin: 0; padding: 4px; max-height: 14em; overflow: auto; overscroll-behavior: contain;
    border: 1px solid var(--_edge); border-radius: var(--_small-radius); background: var(--_background); box-shadow: 0 8px 24px rgb(0 0 0 / .2);
  }
  li { min-height: 30px; padding: 4px 10px; border-radius: 6px; font: .88em / 1.5 var(--_mono); overflow-wrap: anywhere; cursor: pointer; }
  li:hover { background: color-mix(in srgb, var(--_text) 7%, transparent); }
  li.active { background: color-mix(in srgb, var(--_accent) 16%, transparent); outline: 2px solid var(--_accent-ink); outline-offset: -2px; }
  li[aria-selected='true'] { font-weight: 700; }
  @media (forced-colors: active) { li.active { outline-color: Highlight; } }
`,
]
