import { css } from 'lit'

export const approvalStyles = css`
  :host { display: block; container-type: inline-size; }
  .question { position: relative; display: grid; gap: 12px; padding: 12px; outline-offset: -3px; }
  .public { --_tone: var(--_success); }
  .moderate { --_tone: var(--_warning); }
  .sensitive { --_tone: var(--_danger); }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; }
  .ask { font-weight: 600; flex: 1 1 auto; }
  .level {
    display: inline-flex; align-items: center; gap: 5px; padding: 2px 9px; border-radius: 99px; font-size: .84em; font-weight: 600;
    color: var(--_tone); background: color-mix(in srgb, var(--_tone) 12%, transparent);
    border: 1px solid color-mix(in srgb, var(--_tone) 30%, transparent);
  }
  .expiry { font-size: .84em; color: var(--_muted); font-variant-numeric: tabular-nums; }
  .expiry.soon { color: var(--_danger); font-weight: 600; }
  .tool { margin: 0; display: grid; gap: 2px; }
  .tool > bdi {
    justify-self: start; max-width: 100%; max-height: 4.8em; overflow: auto; padding: 2px 8px; border-radius: 6px;
    background: var(--_inset); border: 1px solid var(--_border);
    font: 600 .92em/1.5 var(--_mono); overflow-wrap: anywhere;
  }
  .description { color: var(--_muted); font-size: .92em; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 6.4em; overflow: auto; unicode-bidi: isolate; }
  .told { margin: 0; font-size: .86em; color: var(--_muted); overflow-wrap: anywhere; }
  .preview > p { margin: 0 0 4px; font-size: .86em; font-weight: 600; color: var(--_muted); }
  .preview > p.failed { color: var(--_danger); }
  .picture-result { display: block; max-width: min(100%, 420px); max-height: 320px; border-radius: var(--_small-radius); margin-top: 6px; }
  .editor { display: grid; gap: 4px; }
  label { font-size: .86em; color: var(--_muted); }
  textarea {
    width: 100%; min-height: 9em; max-height: 26em; resize: vertical; padding: 8px 10px; border: 1px solid var(--_edge); border-radius: var(--_small-radius);
    background: var(--_background); font: .86em/1.55 var(--_mono); tab-size: 2;
  }
  [aria-invalid='true'] { border-color: var(--_danger); }
  .problem { margin: 0; font-size: .88em; color: var(--_danger); overflow-wrap: anywhere; unicode-bidi: isolate; }
  .options { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
  .options > label { display: inline-flex; align-items: center; gap: 7px; }
  .options .exact { color: var(--_text); }
  .options input { width: 16px; height: 16px; accent-color: var(--_accent); }
  .reason { display: grid; gap: 3px; }
  .reason .field { width: 100%; }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
  .actions .space { flex: 1; }
  .actions .deciding { display: flex; gap: 8px; }
  .actions .decide { min-width: 92px; position: relative; overflow: clip; }
  .decide[aria-disabled='true']::after {
    content: ''; position: absolute; inset: auto 0 0; height: 3px; background: currentColor; opacity: .5; transform-origin: left; transform: scaleX(0);
  }
  @media (prefers-reduced-motion: no-preference) {
    .arming .decide[aria-disabled='true']::after { animation: arm var(--_arm, .6s) linear both; }
  }
  @keyframes arm { from { transform: scaleX(0); } to { transform: scaleX(1); } }
  .note:empty { display: none; }
  .note { margin: 0; font-size: .88em; color: var(--_muted); }
  @container (max-width: 420px) {
    .actions .space { display: none; }
    .actions .deciding { width: 100%; }
    .actions .decide { flex: 1; min-height: 40px; }
    .ask { flex-basis: 100%; }
  }
`
