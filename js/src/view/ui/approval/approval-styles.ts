import { css } from 'lit'

export const approvalStyles = css`
  :host { display: block; container-type: inline-size; }
  .question { position: relative; display: flex; flex-direction: column; gap: 10px; padding: 12px; outline-offset: -3px; }
  .calm { --_tone: var(--_muted); }
  .moderate { --_tone: var(--_warning); }
  .sensitive { --_tone: var(--_danger); }

  /* -- head: stays */
  .head { flex: none; display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 10px; }
  .ask { flex: 1 0 100%; margin: 0; overflow-wrap: anywhere; }
  .ask .strong { font-weight: 650; }
  .covers { font-size: .86em; color: var(--_muted); overflow-wrap: anywhere; }
  .head > bdi {
    min-width: 0; padding: 1px 8px; border-radius: 6px; background: var(--_inset); border: 1px solid var(--_border);
    font: 600 .92em/1.5 var(--_mono); overflow-wrap: anywhere;
  }
  .counts, .expiry { font-size: .84em; color: var(--_muted); font-variant-numeric: tabular-nums; }
  .expiry.soon { color: var(--_danger); font-weight: 600; }
  .effects { font-size: .84em; }
  .effect { color: var(--_muted); }
  .effect + .effect::before { content: ' · '; }
  .effect:first-child { font-weight: 600; color: var(--_tone); }

  /* -- what is asked: scrolls */
  .scroll { isolation: isolate; display: grid; gap: 10px; min-height: 0; overflow: auto; overscroll-behavior: contain; align-content: start; border-radius: var(--_small-radius); }
  .scroll:focus-visible { outline-offset: -2px; }
  .lines { display: grid; gap: 8px; min-width: 0; }
  .lines > p { margin: 0; }
  .about { color: var(--_muted); font-size: .92em; overflow-wrap: anywhere; unicode-bidi: isolate; }
  .notice { font-size: .86em; font-weight: 600; color: var(--_muted); overflow-wrap: anywhere; }
  dl { margin: 0; }
  dt { max-height: none; overflow: visible; }
  .argument-name:empty::before { content: '""'; color: var(--_muted); }
  .scroll .value { max-height: none; overflow: visible; contain: layout style; }
  .line { min-height: 1.55em; overflow: clip; overflow-clip-margin: 2px; unicode-bidi: isolate; }
  .line[data-n] { position: relative; padding-inline-start: 2.6em; }
  .line[data-n]::before {
    content: attr(data-n); content: attr(data-n) / ''; position: absolute; inset-inline-start: 0; width: 2em; text-align: end; color: var(--_muted); opacity: .75; user-select: none;
  }
  .hidden { padding: 6px 0; color: var(--_danger); font-family: var(--_font); font-weight: 600; }
  /* Two greys: whatever colour stands on a transparent picture, it is not that of both. */
  .picture-result { display: block; max-width: min(100%, 420px); max-height: min(320px, var(--_room, 320px)); border-radius: var(--_small-radius); background: repeating-conic-gradient(#777 0 25%, #bbb 0 50%) 0 / 16px 16px; }
  .editor { display: grid; gap: 4px; }
  label { font-size: .86em; color: var(--_muted); }
  textarea {
    width: 100%; min-height: 9em; max-height: 26em; resize: vertical; padding: 8px 10px; border: 1px solid var(--_edge); border-radius: var(--_small-radius);
    background: var(--_background); font: .86em/1.55 var(--_mono); tab-size: 2;
  }
  .form { display: grid; gap: 8px; }
  .form .field { display: grid; gap: 2px; padding: 0; border: 0; background: none; font-size: 1em; }
  .form :is(input, textarea) { width: 100%; padding: 6px 9px; border: 1px solid var(--_edge); border-radius: var(--_small-radius); background: var(--_background); font-size: .93em; }
  .form textarea { min-height: 5em; }
  .form p { margin: 0; }
  .form p.about { font-size: .84em; }
  .form .problem:empty { display: none; }
  .editor > .more { justify-self: start; }
  [aria-invalid='true'] { border-color: var(--_danger); }
  .problem { margin: 0; font-size: .88em; color: var(--_danger); overflow-wrap: anywhere; unicode-bidi: isolate; }
  .options { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
  .options > label { display: inline-flex; align-items: center; gap: 7px; }
  .options .exact { color: var(--_text); }
  .options input { width: 16px; height: 16px; accent-color: var(--_accent); }
  .reason { display: grid; gap: 3px; }
  .reason .field { width: 100%; }

  /* -- the answer: stays */
  .actions { flex: none; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
  .missing { flex: 1 1 auto; min-width: 0; text-align: end; font-size: .86em; color: var(--_muted); }
  .missing .more { font-size: 1em; font-weight: 600; }
  .actions .deciding { display: flex; gap: 8px; }
  .actions .decide { min-width: 92px; position: relative; overflow: clip; }
  .decide[aria-disabled='true']::after {
    content: ''; position: absolute; inset: auto 0 0; height: 3px; background: currentColor; opacity: .5; transform-origin: left; transform: scaleX(0);
  }
  .approve.held::after { content: ''; position: absolute; inset: 0; background: currentColor; opacity: .35; transform-origin: left; transform: scaleX(1); }
  @media (prefers-reduced-motion: no-preference) {
    .arming .decide[aria-disabled='true']::after { animation: arm var(--_arm, .6s) linear both; }
    .approve.held::after { animation: arm 2s linear both; }
  }
  @keyframes arm { from { transform: scaleX(0); } to { transform: scaleX(1); } }
  .note:empty { display: none; }
  .note { margin: 0; font-size: .88em; color: var(--_muted); }

  /* -- one of many */
  :host([compact]) .question { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 12px; padding: 5px 8px 5px 12px; align-items: center; }
  :host([compact]) .scroll { gap: 4px; }
  :host([compact]) .actions { grid-area: 1 / 2 / span 2 / 3; flex-wrap: nowrap; }
  :host([compact]) .actions:has(.missing:not(:empty)), :host([compact]) .actions:has(.edit) { grid-area: auto / 1 / auto / -1; flex-wrap: wrap; }
  :host([compact]) .ask { flex: 0 1 auto; font-size: .94em; }
  :host([compact]) .counts, .low .counts { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  :host([compact]) .missing:empty { display: none; }
  :host([compact]) .head > bdi { padding: 0; border: 0; background: none; }
  :host([compact]) :is(.note, .hidden-text) { grid-column: 1 / -1; }
  :host([compact]) .lines { gap: 2px; }
  :host([compact]) .scroll .value { padding-block: 1px; }
  :host([compact]) .scroll dt { padding-top: 1px; }

  /* -- one of a checklist */
  :host([row]) .question { flex-flow: row wrap; gap: 0 14px; padding: 4px 8px; align-items: center; }
  :host([row]) .head { flex: 1 1 16em; flex-wrap: nowrap; align-items: center; min-width: 0; max-width: 100%; }
  :host([row]:not([grouped])) .head { flex-wrap: wrap; }
  :host([row]:not([grouped])) .ask { flex: 1 1 calc(100% - 28px); }
  :host([row]) .tick { flex: none; width: 18px; height: 18px; margin: 0; accent-color: var(--_accent); }
  :host([row]) .tick[aria-disabled='true'] { opacity: .45; }
  :host([row]) .ask { flex: 0 1 auto; min-width: 0; font-size: .94em; }
  :host([row]) .unfold { flex: none; min-height: 26px; padding-block: 0; margin-inline-start: auto; }
  :host([row]) .counts, :host([row][grouped]) :is(.head > bdi, .effects) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  :host([row]) .head > bdi { padding: 0; border: 0; background: none; }
  :host([row]) .scroll { flex: 1 1 14em; gap: 2px; min-width: 0; }
  :host([row]) .lines { gap: 2px; }
  :host([row]) .scroll .value { padding-block: 1px; }
  :host([row]) dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 8px; }
  :host([row]) dt { padding-top: 1px; max-width: 12em; }
  :host([row]) .actions { flex: 0 1 auto; }
  :host([row]) .actions:has(.deciding) { flex-basis: 100%; }
  :host([row]) .missing:empty { display: none; }
  :host([row]) .note { flex-basis: 100%; }

  @container (max-width: 420px) {
    .actions .deciding { width: 100%; }
    .actions .decide { flex: 1; min-height: 40px; }
    .missing:empty { display: none; }
    :host([compact]) .question { grid-template-columns: minmax(0, 1fr); }
    :host([compact]) .actions { grid-area: auto; flex-wrap: nowrap; }
    :host([compact]) .actions .decide { min-height: 34px; }
  }
  /* -- with little room */
  .low { gap: 5px; padding: 6px 10px; }
  .low .head { gap: 0 8px; }
  .low .ask { flex: 0 1 auto; font-size: .93em; line-height: 1.35; }
  .low .effects { line-height: 1.35; }
  .low :is(.unfold, .missing .more) { min-height: 26px; padding-block: 0; }
  .low .actions { gap: 4px 8px; }
  .low .actions .decide { min-height: 32px; }
`
