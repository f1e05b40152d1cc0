import { css } from 'lit'

/** Distances stand above a block only, so none that comes moves the one before it. */
export const textStyles = css`
  .text {
    overflow-wrap: anywhere;
    --_code-keyword: light-dark(#7a29b8, #d2a8ff); --_code-string: light-dark(#17692f, #8fd9a0); --_code-number: light-dark(#a33c00, #ffb27d);
    --_code-title: light-dark(#1d52b8, #93bdff); --_code-type: light-dark(#00677a, #7ddcea); --_code-attribute: light-dark(#8a4a00, #f0c674);
  }
  .text > slot { display: block; }
  .text > .group { contain: layout style; contain-intrinsic-size: auto 0 auto 20em; margin-inline: -1.3em -4px; padding-inline: 1.3em 4px; }
  /* What was drawn and scrolled away takes no part in painting; it keeps the size that it had. */
  .text > .group.done { content-visibility: auto; }
  .text > .group + .group, .text > .group > * + * { margin-top: .7em; }
  .text :is(p, h3, h4, h5, h6, ul, ol, blockquote, table, hr) { margin: 0; }
  /* What came and is not read yet. */
  .text .coming:not(pre *) { white-space: pre-line; }
  .text > .group > .coming { display: block; }
  /* In the margin of the line that it stands in: its place along the line is fixed, the one across is where it would stand. */
  .text .cue { position: absolute; inset-inline-start: .25em; margin-top: .35em; color: var(--_accent-ink); font-size: .82em; line-height: 1; }
  .text .cue + .cue { margin-top: 1.5em; }
  .text .cue.failed { color: var(--_muted); opacity: .7; }
  .text > .group > .cues { height: 0; margin-top: 0; }
  .text :is(p, h3, h4, h5, h6, th, td) { unicode-bidi: plaintext; text-align: start; }
  .text > .group > :is(h3, h4, h5, h6):not(:first-child) { margin-top: 1.1em; }
  .text :is(h3, h4, h5, h6) { font-size: 1em; font-weight: 650; line-height: 1.35; }
  .text .h1 { font-size: 1.34em; }
  .text .h2 { font-size: 1.18em; }
  .text .h3 { font-size: 1.07em; }
  .text :is(ul, ol) { padding-inline-start: 1.7em; }
  .text :is(li, blockquote) > * + * { margin-top: .35em; }
  .text li + li { margin-top: .2em; }
  .text .task { list-style: none; }
  .text .task > p > input { margin: 0 .55em 0 -1.45em; vertical-align: -.1em; accent-color: var(--_accent); }
  .text blockquote { padding-inline-start: 14px; border-inline-start: 3px solid var(--_border); color: var(--_muted); }
  .text hr { border: 0; border-top: 1px solid var(--_border); }
  .text :not(pre) > code { padding: .1em .32em; border-radius: 5px; background: var(--_inset); font: .89em var(--_mono); unicode-bidi: isolate; white-space: break-spaces; }
  .text kbd { padding: .05em .4em; border: 1px solid var(--_edge); border-bottom-width: 2px; border-radius: 5px; font: .85em var(--_mono); }
  .text :is(sub, sup) { line-height: 0; font-size: .78em; }
  .text a { color: var(--_accent-ink); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 2.5px; unicode-bidi: isolate; }
  .text a:hover { text-decoration-thickness: 2px; }
  .text a > .host { color: var(--_warning); font: 600 .86em var(--_mono); }
  /* With kerning Chromium lays a long line without blanks out in quadratic time: 14 s for 50,000 × A. */
  .plain .chunk { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; contain: content; font-kerning: none; }
  .plain .chunk:nth-child(n + 40) { content-visibility: auto; contain-intrinsic-size: auto none auto 24em; }

  .text .bar { display: flex; align-items: center; justify-content: flex-end; gap: 2px; min-height: 30px; padding: 2px 4px 0 10px; }
  .text .language { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--_muted); font: .8em var(--_mono); }
  .text .act {
    padding: 2px 8px; border: 1px solid transparent; border-radius: 6px; background: none; color: var(--_muted); font-size: .8em; line-height: 1.5;
  }
  .text .act:hover, .text .act[aria-pressed='true'] { background: color-mix(in srgb, var(--_text) 9%, transparent); color: var(--_text); }
  .text .code { border: 1px solid var(--_border); border-radius: var(--_small-radius); background: var(--_inset); contain: layout style; }
  .text pre {
    margin: 0; padding: 2px 12px 10px; max-height: 32rem; overflow: auto; overscroll-behavior-x: contain; tab-size: 4;
    font: .86em / 1.55 var(--_mono); unicode-bidi: isolate; text-align: left;
  }
  .text pre:focus-visible, .text .scroll:focus-visible { outline-offset: -2px; }
  .text pre > code { display: block; font: inherit; overflow-wrap: normal; }
  .text pre .chunk { display: block; white-space: pre; contain: content; width: max-content; min-width: 100%; }
  ::highlight(sluice-keyword) { color: var(--_code-keyword); }
  ::highlight(sluice-string) { color: var(--_code-string); }
  ::highlight(sluice-number) { color: var(--_code-number); }
  ::highlight(sluice-comment) { color: var(--_muted); }
  ::highlight(sluice-title) { color: var(--_code-title); }
  ::highlight(sluice-type) { color: var(--_code-type); }
  ::highlight(sluice-attribute) { color: var(--_code-attribute); }
  ::highlight(sluice-added) { color: var(--_success); }
  ::highlight(sluice-removed) { color: var(--_danger); }
  .text .code.wrapped pre .chunk { white-space: pre-wrap; overflow-wrap: anywhere; width: auto; }

  .text .table > .bar { min-height: 0; padding: 0; opacity: 0; height: 0; position: relative; z-index: 1; transition: opacity .12s; }
  .text .table > .bar > .act { position: absolute; inset-block-start: 4px; inset-inline-end: 4px; background: var(--_background); border-color: var(--_border); }
  .text .table:is(:hover, :focus-within) > .bar { opacity: 1; }
  @media (hover: none) { .text .table > .bar { opacity: 1; height: auto; } .text .table > .bar > .act { position: static; } }
  .text .scroll { overflow-x: auto; border: 1px solid var(--_border); border-radius: var(--_small-radius); }
  .text table { border-collapse: collapse; min-width: 100%; font-size: .95em; overflow-wrap: normal; }
  .text :is(th, td) { padding: 6px 11px; min-width: 3em; max-width: 28em; border-top: 1px solid var(--_border); vertical-align: top; }
  .text :is(th, td) + :is(th, td) { border-inline-start: 1px solid var(--_border); }
  .text thead th { border-top: 0; background: var(--_surface); font-weight: 600; white-space: nowrap; }
  .text .right { text-align: end; }
  .text .center { text-align: center; }

  .text .picture {
    display: inline-flex; flex-wrap: wrap; align-items: baseline; gap: 2px 8px; max-width: 100%; padding: 3px 10px;
    border: 1px solid var(--_border); border-radius: 9px; background: var(--_surface); font-size: .92em; vertical-align: middle;
  }
  .text .picture > .act { margin-inline-start: -6px; padding-inline: 6px; font-size: .95em; color: var(--_accent-ink); text-align: start; }
  .text .picture > .address { color: var(--_muted); font: .82em var(--_mono); overflow-wrap: anywhere; unicode-bidi: isolate; direction: ltr; }
  .text .picture > .note { color: var(--_danger); }
  .text .picture > img { display: block; max-width: 100%; max-height: 24rem; border-radius: 6px; }
  .text .picture[data-state='shown'] > :is(.act, .address, .note) { display: none; }
  .text .math { unicode-bidi: isolate; direction: ltr; }
  .text .math.display { display: block; padding-block: .5em; overflow: auto hidden; text-align: center; }

  @media (forced-colors: active) {
    .text :is(.code, .scroll, .picture, kbd), .text :not(pre) > code { border: 1px solid CanvasText; }
  }
  @media (prefers-contrast: more) {
    .text { --_border: var(--_text); --_muted: var(--_text); }
  }
`
