import { css } from 'lit'

export const cardStyles = css`
  :host { display: block; contain: layout style; container-type: inline-size; }
  .card {
    position: relative; overflow: clip;
    border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface);
  }
  .busy { --_tone: var(--_accent-ink); }
  .wait { --_tone: var(--_warning); }
  .good { --_tone: var(--_success); }
  .bad { --_tone: var(--_danger); }
  .off { --_tone: var(--_muted); }
  .card.wait { border-color: color-mix(in srgb, var(--_tone) 45%, var(--_border)); }

  .nested { margin: 0 12px 9px; }

  /* -- the line that is always there */
  .head { position: relative; display: flex; align-items: center; }
  .toggle {
    flex: 1; min-width: 0; display: flex; align-items: center; gap: 10px; padding: 9px 12px;
    border: 0; border-radius: var(--_radius); background: none; text-align: start;
  }
  .toggle:hover { background: color-mix(in srgb, var(--_text) 4%, transparent); }
  .toggle:focus-visible { outline-offset: -2px; }
  .picture {
    flex: none; display: grid; place-items: center; width: 30px; height: 30px; border-radius: 9px;
    color: var(--_accent-ink); background: color-mix(in srgb, var(--_accent) 13%, transparent);
  }
  .own { display: grid; place-items: center; width: 18px; height: 18px; }
  .own.drawn { background: currentColor; mask: center / contain no-repeat; }
  .call { flex: 1 1 auto; min-width: 0; display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 10px; }
  .name { font-weight: 600; font-size: .97em; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .summary {
    flex: 1 1 8em; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    color: var(--_muted); font-size: .88em; unicode-bidi: isolate;
  }
  .summary.error { color: var(--_danger); }
  .state { flex: none; display: flex; align-items: center; gap: 5px; color: var(--_tone); font-size: .88em; font-weight: 550; }
  .time { flex: none; color: var(--_muted); font-size: .84em; font-variant-numeric: tabular-nums; }
  .time:empty { display: none; }
  .chevron { flex: none; color: var(--_muted); font-size: .9em; transition: transform .15s; }
  .open .chevron { transform: rotate(90deg); }
  .stop { flex: none; min-height: 30px; margin-inline-end: 8px; padding: 4px 7px; }

  /* -- what goes on */
  .spinner { width: 13px; height: 13px; border-radius: 50%; border: 2px solid color-mix(in srgb, var(--_tone) 25%, transparent); border-top-color: var(--_tone); }
  .shimmer { position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
  .shimmer::before {
    content: ''; position: absolute; inset: 0; width: 45%; transform: translateX(-100%);
    background: linear-gradient(90deg, transparent, color-mix(in srgb, var(--_accent) 17%, transparent), transparent);
  }
  .bar { position: absolute; inset: auto 0 0; height: 2px; overflow: hidden; background: color-mix(in srgb, var(--_accent) 14%, transparent); }
  .bar::before {
    content: ''; position: absolute; inset: 0; width: 30%; transform: translateX(-100%); border-radius: 2px;
    background: var(--_accent-ink);
  }
  .writing {
    display: flex; flex-direction: column-reverse; max-height: 7.6em; margin: 0 12px 12px; overflow: hidden;
    border-radius: var(--_small-radius); background: var(--_inset); contain: content;
  }
  .written { display: grid; padding: 8px 10px; font-size: .82em; overflow-wrap: anywhere; }
  .written > p { margin: 0; color: var(--_muted); }
  .written > code { font: 1em / 1.5 var(--_mono); white-space: pre-wrap; }
  .written > code:not(:only-child) { margin-inline-start: 1em; }
  .written > :last-child::after { content: ''; display: inline-block; width: .5em; height: 1.05em; margin-inline-start: 1px; vertical-align: -.2em; background: var(--_accent-ink); }
  .line { display: flex; gap: 8px; align-items: baseline; margin: -2px 12px 10px 52px; font-size: .88em; color: var(--_muted); }
  .line > bdi { min-width: 0; max-height: 4.8em; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
  .share { display: block; width: calc(100% - 64px); height: 4px; margin: -4px 12px 12px 52px; border: 0; border-radius: 99px; overflow: hidden; appearance: none; background: color-mix(in srgb, var(--_accent) 16%, var(--_inset)); }
  .share::-webkit-progress-bar { background: none; }
  .share::-webkit-progress-value { background: var(--_accent-ink); border-radius: 99px; }
  .share::-moz-progress-bar { background: var(--_accent-ink); border-radius: 99px; }
  .line.notice { color: var(--_warning); }
  .line .icon { align-self: flex-start; margin-top: .2em; }
  @media (prefers-reduced-motion: no-preference) {
    .spinner { animation: turn .8s linear infinite; }
    .shimmer::before { animation: sweep 1.6s ease-in-out infinite; }
    .bar::before { animation: run 1.3s ease-in-out infinite; }
    .written > :last-child::after { animation: blink 1s steps(2, jump-none) infinite; }
    .streaming .picture { animation: nod 1.2s ease-in-out infinite; }
  }
  @keyframes turn { to { transform: rotate(1turn); } }
  @keyframes sweep { from { transform: translateX(-100%); } to { transform: translateX(230%); } }
  @keyframes run { from { transform: translateX(-100%); } to { transform: translateX(340%); } }
  @keyframes blink { from { opacity: 1; } to { opacity: 0; } }
  @keyframes nod { 0%, 100% { transform: none; } 30% { transform: translateY(-2px) rotate(-5deg); } 70% { transform: translateY(1px) rotate(4deg); } }

  /* -- opened */
  .body { display: grid; gap: 14px; padding: 4px 12px 14px; border-top: 1px solid var(--_border); }
  .section { min-width: 0; }
  .title { display: flex; align-items: center; justify-content: space-between; gap: 8px; min-height: 28px; margin-top: 6px; }
  .title > h4 { margin: 0; font-size: .82em; font-weight: 600; color: var(--_muted); letter-spacing: .02em; }
  .copy { min-height: 26px; padding: 2px 6px; font-size: .82em; }
  .rewritten > summary { width: fit-content; cursor: pointer; font-size: .84em; color: var(--_muted); }
  .rewritten[open] > summary { margin-bottom: 6px; }
  .problem { color: var(--_danger); background: var(--_danger-back); }
  .facts { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 8px 0 0; font-size: .84em; color: var(--_muted); }
  .decisions { margin: 0; padding: 0; list-style: none; font-size: .9em; }
  .decisions bdi { overflow-wrap: anywhere; }
  .picture-result { display: block; max-width: min(100%, 420px); max-height: 320px; border-radius: var(--_small-radius); margin-top: 6px; }
  sluice-approval { display: block; color-scheme: inherit; border-top: 1px solid var(--_border); }
  .head[hidden] ~ sluice-approval { border-top: 0; }

  /* -- what nobody waits for: a mark at the end of the line above */
  :host([quiet]:not([open])) { position: relative; height: 0; contain: none; container-type: normal; margin-top: 0; z-index: 1; }
  .mark {
    position: absolute; inset-inline-end: 0; bottom: 1px; display: grid; place-items: center; width: 24px; height: 24px; padding: 0; border: 0; border-radius: 50%;
    color: var(--_muted); background: color-mix(in srgb, var(--_accent) 10%, var(--_background)); font-size: .84em;
  }
  .mark:hover { color: var(--_text); }
  .mark.failed { opacity: .6; background: var(--_inset); }

  /* -- pictures of a result */
  .thumbs { display: flex; gap: 6px; padding: 0 12px 10px 52px; }
  .thumb { position: relative; width: 64px; height: 64px; padding: 0; border: 1px solid var(--_border); border-radius: var(--_small-radius); overflow: clip; background: var(--_inset); cursor: zoom-in; }
  .thumb > img { display: block; width: 100%; height: 100%; object-fit: cover; }
  .thumb > span { position: absolute; inset: 0; display: grid; place-items: center; background: rgb(0 0 0 / .5); color: #fff; font-weight: 600; }
  .drawn-by-app { padding: 2px 12px 12px; }

  @container (max-width: 460px) {
    .thumbs { padding-inline-start: 49px; }
    .toggle { display: grid; grid-template: 'picture name name chevron' auto 'picture state time chevron' auto / auto auto 1fr auto; gap: 0 9px; padding: 8px 10px; }
    .picture { grid-area: picture; }
    .call { grid-area: name; }
    .state { grid-area: state; }
    .time { grid-area: time; }
    .chevron { grid-area: chevron; }
    .summary { display: none; }
    .line { margin-inline-start: 49px; }
    .share { width: calc(100% - 61px); margin-inline-start: 49px; }
  }
`
