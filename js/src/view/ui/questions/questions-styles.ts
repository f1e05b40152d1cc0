import { css } from 'lit'

export const questionsStyles = css`
  :host { display: block; container-type: inline-size; }
  .dock {
    display: flex; flex-direction: column; max-height: var(--sluice-dock-height, 60dvh); overflow: hidden; border: 1px solid color-mix(in srgb, var(--_warning) 45%, var(--_border));
    border-radius: var(--_radius); background: var(--_surface);
  }
  @media (max-height: 479px) { .dock { max-height: var(--sluice-dock-height, 100dvh); } }
  sluice-approval { color-scheme: inherit; min-width: 0; }
  p { margin: 0; }
  .title { flex: none; padding: 7px 12px 3px; font-weight: 600; }
  .list[role] { flex: 1 1 auto; min-height: 0; overflow: auto; overscroll-behavior: contain; padding: 0 4px 4px; }
  .list:focus-visible { outline-offset: -2px; }
  .tool {
    position: sticky; top: 0; z-index: 1; padding: 3px 8px; background: var(--_surface); font-size: .86em; color: var(--_muted); overflow-wrap: anywhere;
  }
  .tool > .name { font: 600 .97em var(--_mono); color: var(--_text); }
  .called { font-weight: 600; color: var(--_text); }
  .times { font-variant-numeric: tabular-nums; }
  .group + .group { border-top: 1px solid var(--_border); }
  .bar { flex: none; display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; padding: 7px 12px; border-top: 1px solid var(--_border); }
  .bar > :first-child { flex: 1 1 8em; min-width: 0; font-size: .88em; color: var(--_muted); text-align: start; }
  .bar .note { flex-basis: 100%; margin: 0; font-size: .88em; color: var(--_muted); }
  .bar .note:empty { display: none; }
  .bar .more { padding: 2px; border: 0; background: none; color: var(--_accent-ink); font-weight: 600; text-decoration: underline; text-underline-offset: 2px; }
  .deciding { display: flex; gap: 8px; }
  :host([compact]) .dock { font-size: .93em; }
  @container (max-width: 420px) {
    .deciding { width: 100%; }
    .deciding > .button { flex: 1; padding-inline: 8px; }
  }
`
