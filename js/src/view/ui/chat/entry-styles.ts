import { css } from 'lit'

export const entryStyles = css`
  :host { display: block; min-width: 0; }
  .entry { display: flex; flex-direction: column; min-width: 0; outline-offset: 3px; border-radius: var(--_radius); }
  .mine {
    align-self: flex-end; max-width: 84%; min-width: 0; padding: 9px 15px; border-radius: var(--sluice-mine-radius, calc(var(--_radius) + 6px));
    border: 1px solid transparent;
    background: var(--sluice-mine, color-mix(in srgb, var(--_accent) 15%, var(--_surface))); color: var(--sluice-mine-text, var(--_text));
  }
  .mine:has(.editor) { align-self: stretch; max-width: 100%; margin-bottom: 12px; }
  .theirs {
    min-width: 0; border: 1px solid transparent;
    background: var(--sluice-theirs, transparent); padding: var(--sluice-theirs-padding, 0); border-radius: var(--sluice-theirs-radius, calc(var(--_radius) + 6px));
  }
  .words { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
  .folded { max-height: 12lh; overflow: hidden; mask-image: linear-gradient(#000 calc(100% - 3lh), transparent); }
  .unfold { min-height: 24px; margin-top: 4px; padding: 2px 0; border: 0; background: none; font-size: .87em; font-weight: 600; text-decoration: underline; text-underline-offset: 3px; }
  .pictures { display: flex; flex-wrap: wrap; gap: 6px; }
  .pictures:not(:last-child) { margin-bottom: 6px; }
  .pictures img { display: block; max-width: min(100%, 220px); max-height: 180px; min-width: 24px; min-height: 24px; border-radius: var(--_small-radius); background: #fff; }
  .files { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
  .files:not(:last-child) { margin-bottom: 6px; }
  .files > li { max-width: 100%; }
  .file { display: flex; align-items: center; gap: 7px; max-width: 100%; min-height: 28px; padding: 3px 12px 3px 10px; border: 1px solid var(--_edge); border-radius: 99px; background: var(--_background); color: var(--_text); font: inherit; font-size: .87em; }
  button.file:hover { background: var(--_surface); }
  .file > .name { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .file > .size { flex: none; color: var(--_muted); }
  .editor { display: grid; gap: 8px; }
  .editor textarea { width: 100%; min-height: 4lh; max-height: 14lh; field-sizing: content; resize: vertical; color: var(--_text); }
  .deciding, .ways, .deleting { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
  .deciding { justify-content: flex-end; }
  .ways, .deleting { margin-top: 10px; }
  .deleting { justify-content: flex-end; font-size: .93em; }
  .button.danger { border-color: var(--_danger); color: var(--_danger); }
  .interrupted { margin: 8px 0 0; font-size: .86em; color: var(--_warning); font-weight: 550; text-align: end; }
  .interrupted + .ways { justify-content: flex-end; }

  .below { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 10px; min-height: 28px; color: var(--_muted); }
  .mine ~ .below { justify-content: flex-end; }
  .toolbar { display: flex; align-items: center; gap: 1px; margin-inline-start: -6px; transition: opacity .12s; }
  .tool { display: grid; place-items: center; min-width: 28px; height: 28px; padding: 0 6px; border: 0; border-radius: var(--_small-radius); background: none; color: inherit; font-size: .93em; }
  .tool:hover { background: color-mix(in srgb, var(--_text) 8%, transparent); color: var(--_text); }
  .tool[aria-disabled='true'] { opacity: .45; }
  .versions { display: flex; align-items: center; font-size: .82em; font-variant-numeric: tabular-nums; }
  .day { align-self: center; margin: 4px 0 12px; padding: 1px 12px; border-radius: 99px; background: var(--_surface); color: var(--_muted); font-size: .82em; }
  .time { font-size: .82em; font-variant-numeric: tabular-nums; }
  .note { font-size: .82em; }
  .usage { font-size: .82em; font-variant-numeric: tabular-nums; }
  @media (hover: hover) {
    :host(:not([last])) :is(.toolbar, .time), .time { opacity: 0; transition: opacity .12s; }
    :host(:hover) :is(.toolbar, .time), :host(:focus-within) :is(.toolbar, .time) { opacity: 1; }
  }
  @media (prefers-contrast: more) { .mine, .theirs { border-color: var(--_text); } :host .toolbar { opacity: 1 !important; } }
  @media (forced-colors: active) { .mine, .theirs { border-color: CanvasText; } :host .toolbar { opacity: 1 !important; } }
  @media (prefers-reduced-motion: no-preference) {
    :host([fresh]) :is(.mine, .theirs) { animation: come .2s ease-out; }
  }
  @keyframes come { from { opacity: 0; translate: 0 5px; } }
`
