// Styles of the configuration page. It shares tokens and controls with the other elements.
import { css } from 'lit'
import { controls, foreign, tokens } from '../shared/theme.js'

const shared = css`
  p { margin: 0; }
  .muted { color: var(--_muted); font-size: .88em; }
  input[type='search'] { width: 100%; }
  .field, input[type='search'] {
    min-height: 34px; padding: 4px 10px; border: 1px solid var(--_edge); border-radius: var(--_small-radius);
    background: var(--_background); font-size: .93em;
  }
`

export const configurationStyles = [
  tokens,
  controls,
  foreign,
  shared,
  css`
  :host { display: block; container-type: inline-size; background: var(--_background); }

  header { position: sticky; top: 0; z-index: 1; background: var(--_background); border-bottom: 1px solid var(--_border); }
  [role='tablist'] { display: flex; gap: 2px; overflow-x: auto; scrollbar-width: none; padding: 3px 3px 0; }
  [role='tab'] {
    flex: none; display: inline-flex; align-items: center; gap: 6px; min-height: 40px; padding: 6px 14px;
    border: 0; border-bottom: 2px solid transparent; background: none; color: var(--_muted); font-weight: 500;
    border-radius: var(--_small-radius) var(--_small-radius) 0 0;
  }
  [role='tab']:hover { color: var(--_text); background: color-mix(in srgb, var(--_text) 5%, transparent); }
  [role='tab'][aria-selected='true'] { color: var(--_accent-ink); border-bottom-color: var(--_accent-ink); }
  [role='tab']:focus-visible { outline-offset: -2px; }
  .count {
    min-width: 1.5em; padding: 0 .4em; border-radius: 1em; text-align: center; font-size: .78em; line-height: 1.5;
    background: color-mix(in srgb, var(--_accent) 16%, transparent); color: var(--_accent-ink);
  }
  .status { position: sticky; bottom: 0; z-index: 1; padding: 0 14px; display: flex; justify-content: center; pointer-events: none; }
  .status > div {
    display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; max-width: 100%; max-height: 9em; overflow: auto; pointer-events: auto;
    font-size: .9em; color: var(--_muted); border-radius: var(--_small-radius); overflow-wrap: anywhere;
  }
  .status.saving > div, .status.saved > div, .status.failed > div {
    margin-bottom: 12px; padding: 5px 16px; background: var(--_background); border: 1px solid var(--_border); box-shadow: 0 4px 18px rgb(0 0 0 / .16);
  }
  .status.saved [role='status'] { color: var(--_success); }
  .status [role='alert'] { color: var(--_danger); overflow-wrap: anywhere; min-width: 0; }
  .status [role='alert'] b { margin-inline-end: .3em; }

  section { padding: 12px 14px 24px; }
  section:focus { outline: none; }
  .intro { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 6px 16px; min-height: 34px; margin-bottom: 10px; color: var(--_muted); }
  .state { padding: 28px 14px; text-align: center; color: var(--_muted); display: grid; gap: 12px; justify-items: center; }
  .note { padding: 8px 12px; border-radius: var(--_small-radius); background: var(--_inset); margin-bottom: 10px; font-size: .93em; }

  .rows { border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface); }
  .row {
    display: grid; grid-template-columns: minmax(0, 1fr) minmax(200px, 300px); gap: 4px 24px; align-items: center; padding: 12px 16px;
    border-top: 1px solid var(--_border); position: relative;
  }
  .row:first-child { border-top: 0; }
  .row.changed::before, .tools > li.changed::before {
    content: ''; position: absolute; inset-block: 8px; inset-inline-start: 0; width: 3px; border-radius: 3px; background: var(--_accent);
  }
  .row-protocol, .row-protocols { align-items: start; }
  .label label { font-weight: 550; }
  .label label { margin-inline-end: 6px; }
  .label code { font: .8em var(--_mono); color: var(--_muted); overflow-wrap: anywhere; }
  .label p { font-size: .9em; line-height: 1.45; color: var(--_muted); }
  .standard { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; margin-top: 1px; }
  .label .standard { font-size: .82em; }
  .standard .button { min-height: 24px; padding: 0 6px; color: var(--_accent-ink); font-size: 1em; }
  .mark { margin-inline-start: 8px; font-size: .76em; padding: 1px 7px; border-radius: 1em; background: color-mix(in srgb, var(--_accent) 14%, transparent); color: var(--_accent-ink); white-space: nowrap; }
  .control { display: flex; flex-direction: column; align-items: flex-end; min-width: 0; gap: 6px; }
  .control select { width: 100%; }
  .control sluice-picker { width: 100%; }
  .control > p { width: 100%; }
  .number { display: flex; flex-direction: row-reverse; align-items: center; gap: 8px; width: 100%; }
  .number input { width: 9em; flex: none; text-align: end; font-variant-numeric: tabular-nums; }
  .unit { color: var(--_muted); font-size: .88em; white-space: nowrap; }
  [aria-invalid='true'] { border-color: var(--_danger) !important; outline-color: var(--_danger); }
  .fault { grid-column: 1 / -1; font-size: .88em; color: var(--_danger); max-height: 7em; overflow: auto; overflow-wrap: anywhere; }
  .fault span { color: var(--_muted); white-space: nowrap; }

  .switch {
    appearance: none; flex: none; width: 42px; height: 24px; border-radius: 12px; position: relative; cursor: pointer; margin: 0;
    border: 1px solid var(--_edge); background: color-mix(in srgb, var(--_text) 12%, var(--_background)); transition: background .15s;
  }
  .switch::after {
    content: ''; position: absolute; top: 3px; inset-inline-start: 3px; width: 16px; height: 16px; border-radius: 50%;
    background: color-mix(in srgb, var(--_text) 72%, var(--_background)); transition: inset-inline-start .15s, background .15s;
  }
  .switch:checked { background: var(--_accent); border-color: transparent; }
  .switch:checked::after { inset-inline-start: 21px; background: var(--_accent-text); }
  .switch:disabled { opacity: .45; cursor: default; }

  details { margin-top: 14px; }
  summary { cursor: pointer; padding: 6px 4px; margin-bottom: 6px; font-weight: 500; width: fit-content; border-radius: var(--_small-radius); }
  fieldset { border: 0; border-top: 1px solid var(--_border); margin: 0; padding: 10px 16px 14px; display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 12px 20px; }
  legend { float: inline-start; grid-column: 1 / -1; padding: 0; font-weight: 550; }
  .setting { display: flex; flex-direction: column; gap: 3px; min-width: 0; justify-content: flex-end; }
  .setting label, .setting > span:first-child { font-size: .9em; font-weight: 500; }
  .setting p { font-size: .84em; line-height: 1.4; color: var(--_muted); flex: 1; }
  .setting .fault { flex: none; color: var(--_danger); }
  .setting select { width: 100%; }

  .filter { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: center; margin: 18px 0 10px; }
  .filter input { flex: 1 1 240px; width: auto; min-width: 0; }
  .tag {
    display: inline-flex; align-items: center; gap: 3px; font-size: .78em; line-height: 1.5; padding: 0 8px; border-radius: 1em; border: 1px solid var(--_border);
    background: var(--_background); color: var(--_muted); min-height: 22px;
  }
  button.tag:hover { color: var(--_text); border-color: var(--_edge); }
  .tag.chosen { background: color-mix(in srgb, var(--_accent) 14%, transparent); color: var(--_accent-ink); border-color: transparent; }
  .chips { display: flex; flex-wrap: wrap; gap: 4px; }
  .tools { list-style: none; margin: 0; padding: 0; border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface); }
  .tools > li { border-top: 1px solid var(--_border); position: relative; content-visibility: auto; contain-intrinsic-size: auto 72px; }
  .tools > li:first-child { border-top: 0; border-start-start-radius: var(--_radius); border-start-end-radius: var(--_radius); }
  .tool { display: grid; grid-template-columns: 42px minmax(0, 1fr) auto auto auto; gap: 6px 14px; align-items: center; padding: 11px 16px; }
  .about { min-width: 0; }
  .about .name { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 7px; overflow-wrap: anywhere; }
  .name b { font: 600 .93em var(--_mono); }
  .name .mark { margin: 0; }
  .about p { font-size: .9em; line-height: 1.45; color: var(--_muted); overflow-wrap: anywhere; }
  .about .why { color: var(--_warning); }
  .about .fault { color: var(--_danger); }
  .cost { white-space: nowrap; font-variant-numeric: tabular-nums; }
  .level { position: relative; }
  .level select { padding-inline-start: 24px; }
  .level::before { content: ''; position: absolute; inset-inline-start: 10px; top: calc(50% - 4px); width: 8px; height: 8px; border-radius: 50%; background: var(--_success); pointer-events: none; }
  .level.moderate::before { background: var(--_warning); }
  .level.sensitive::before { background: var(--_danger); }
  .details .icon { transition: transform .15s; }
  .details[aria-expanded='true'] .icon { transform: rotate(90deg); }
  .more { padding: 2px 16px 16px 72px; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(260px, 100%), 1fr)); gap: 12px 20px; align-items: end; }
  .more > .button { justify-self: start; }
  .schema { grid-column: 1 / -1; font-size: .93em; }
  .schema > span { font-weight: 500; font-size: .95em; }

  h3 { margin: 22px 0 8px; font-size: 1em; font-weight: 600; }
  .rules { list-style: none; margin: 0; padding: 0; border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface); }
  .rules > li { display: flex; gap: 14px; align-items: center; padding: 10px 16px; border-top: 1px solid var(--_border); }
  .rules > li:first-child { border-top: 0; }
  .rules .about { flex: 1; }
  .rules pre { margin-top: 4px; max-height: 12em; }
  .rules .deny { color: var(--_danger); }

  .tokens { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 12px; margin-bottom: 10px; }
  .tokens b { font-size: 1.25em; font-variant-numeric: tabular-nums; }
  .tokens span { color: var(--_muted); font-size: .9em; }
  .tokens .button { margin-inline-start: auto; align-self: center; }
  .tokens ~ pre { max-height: 70vh; padding: 14px 16px; border: 1px solid var(--_border); border-radius: var(--_radius); }

  @container (max-width: 640px) {
    section { padding-inline: 10px; }
    .row { grid-template-columns: minmax(0, 1fr); padding-inline: 14px; }
    .row-flag { grid-template-columns: minmax(0, 1fr) 42px; }
    .control { align-items: stretch; }
    .number { flex-direction: row; }
    .tool { grid-template-columns: 42px minmax(0, 1fr) auto auto; padding-inline: 12px; gap: 6px 10px; }
    .about { grid-column: 2 / -1; }
    .tool .cost { grid-column: 2; white-space: normal; }
    .more { padding-inline: 14px; }
    fieldset { padding-inline: 14px; }
  }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
  @media (forced-colors: active) {
    .switch { appearance: auto; width: 20px; }
    .switch::after, .level::before { display: none; }
  }
`,
]

export const pickerStyles = [
  tokens,
  controls,
  shared,
  css`
  :host { display: block; font-size: inherit; }
  ul {
    list-style: none; margin: 6px 0 0; padding: 3px; max-height: 13.2em; overflow: auto; overscroll-behavior: contain;
    border: 1px solid var(--_border); border-radius: var(--_small-radius); background: var(--_background);
  }
  li { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 8px; padding: 3px 8px 3px 26px; border-radius: 6px; cursor: pointer; position: relative; font-size: .9em; }
  li b { font: 500 .95em var(--_mono); }
  li span { color: var(--_muted); font-size: .88em; overflow-wrap: anywhere; }
  li:hover { background: color-mix(in srgb, var(--_text) 6%, transparent); }
  li.active { outline: 2px solid var(--_accent-ink); outline-offset: -2px; }
  li[aria-selected='true'] { background: color-mix(in srgb, var(--_accent) 12%, transparent); }
  li[aria-selected='true']::before {
    content: ''; position: absolute; inset-inline-start: 10px; top: .55em; width: 4px; height: 9px; border: solid var(--_accent-ink); border-width: 0 2px 2px 0; transform: rotate(42deg);
  }
  .hits { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  p { padding: 8px; color: var(--_muted); font-size: .9em; }
`,
]
