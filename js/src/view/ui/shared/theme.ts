// Styles that the elements share. Colours follow the colour scheme in use: the system's, or the one that the page sets
// with `color-scheme` on the element, `--sluice-color-scheme` on anything around it, or `theme="light" | "dark"` on the
// element.
//
// A page can set these, on the element or anything around it:
//   --sluice-color-scheme   light dark    which schemes may be used
//   --sluice-font           system-ui     and --sluice-mono for code, --sluice-font-size (15px)
//   --sluice-text           CanvasText    text; --sluice-muted: secondary text
//   --sluice-background     Canvas        background of the page; colours of cards are mixed from it
//   --sluice-surface                      cards; --sluice-inset: boxes of code in them; --sluice-border
//   --sluice-accent         blue          buttons, focus, activity
//   --sluice-accent-text    white         text on the accent
//   --sluice-success, --sluice-warning, --sluice-danger
//   --sluice-radius         12px          corners of cards
//   --sluice-gap            12px          between blocks
//   --sluice-max-height     16rem         of one value; a longer one scrolls
import { css } from 'lit'

/** Tokens: `--_name` inside an element is what a page sets as `--sluice-name`. */
export const tokens = css`
  :host {
    color-scheme: var(--sluice-color-scheme, light dark);
    --_background: var(--sluice-background, Canvas);
    --_text: var(--sluice-text, color-mix(in srgb, CanvasText 92%, Canvas));
    --_muted: var(--sluice-muted, color-mix(in srgb, var(--_text) 66%, var(--_background)));
    --_surface: var(--sluice-surface, color-mix(in srgb, var(--_text) 3.5%, var(--_background)));
    --_inset: var(--sluice-inset, color-mix(in srgb, var(--_text) 5%, var(--_background)));
    --_border: var(--sluice-border, color-mix(in srgb, var(--_text) 14%, var(--_background)));
    --_edge: color-mix(in srgb, var(--_text) 48%, var(--_background));
    --_accent: var(--sluice-accent, #3b63e0);
    --_accent-text: var(--sluice-accent-text, #fff);
    --_accent-ink: color-mix(in srgb, var(--_accent) 70%, var(--_text));
    --_ink: var(--_text);
    --_success: color-mix(in srgb, var(--sluice-success, #12915a) 72%, var(--_ink));
    --_warning: color-mix(in srgb, var(--sluice-warning, #b86e00) 72%, var(--_ink));
    --_danger: color-mix(in srgb, var(--sluice-danger, #d32f45) 64%, var(--_ink));
    --_danger-back: color-mix(in srgb, var(--_danger) 9%, var(--_surface));
    --_radius: var(--sluice-radius, 12px);
    --_small-radius: min(8px, var(--_radius));
    --_gap: var(--sluice-gap, 12px);
    --_max-height: var(--sluice-max-height, 16rem);
    --_font: var(--sluice-font, system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif);
    --_mono: var(--sluice-mono, ui-monospace, 'Cascadia Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace);
    font: 400 var(--sluice-font-size, 15px) / 1.6 var(--_font);
    color: var(--_text);
    text-align: start;
  }
  /* As light as the text, without its tint: red stays red where text is blue. */
  @supports (color: oklch(from red l c h)) { :host { --_ink: oklch(from var(--_text) l 0 h); } }
  :host([theme='light']) { color-scheme: light; }
  :host([theme='dark']) { color-scheme: dark; }
  :host([hidden]), [hidden] { display: none !important; }
  @media (prefers-contrast: more) {
    :host {
      --_text: var(--sluice-text, CanvasText);
      --_muted: var(--_text); --_border: var(--_edge);
      --_edge: var(--_text);
      --_accent: color-mix(in srgb, var(--sluice-accent, #3b63e0) 72%, black);
      --_accent-ink: color-mix(in srgb, var(--sluice-accent, #3b63e0) 40%, var(--_text));
      --_success: color-mix(in srgb, var(--sluice-success, #12915a) 28%, var(--_ink));
      --_warning: color-mix(in srgb, var(--sluice-warning, #b86e00) 28%, var(--_ink));
      --_danger: color-mix(in srgb, var(--sluice-danger, #d32f45) 28%, var(--_ink));
    }
  }
`

export const controls = css`
  *, *::before, *::after { box-sizing: border-box; }
  .icon { width: 1.15em; height: 1.15em; flex: none; display: block; }
  button, select, input, textarea { font: inherit; color: inherit; margin: 0; }
  button { cursor: pointer; }
  button:disabled, button[aria-disabled='true'] { cursor: default; }
  :focus-visible { outline: 2px solid var(--_accent-ink); outline-offset: 2px; }

  .button {
    display: inline-flex; align-items: center; justify-content: center; gap: 6px;
    min-height: 34px; padding: 4px 14px;
    font-size: .93em; font-weight: 550; line-height: 1.3;
    border: 1px solid var(--_border); border-radius: var(--_small-radius);
    background: var(--_background); color: var(--_text);
    transition: background .12s, border-color .12s, opacity .12s;
  }
  .button:hover { background: color-mix(in srgb, var(--_text) 7%, var(--_background)); }
  .button.primary { background: var(--_accent); border-color: transparent; color: var(--_accent-text); }
  .button.primary:hover { background: color-mix(in srgb, var(--_accent) 88%, black); }
  .button.quiet { background: none; border-color: transparent; padding-inline: 8px; color: var(--_muted); font-weight: 450; }
  .button.quiet:hover { background: color-mix(in srgb, var(--_text) 7%, transparent); color: var(--_text); }
  .button:disabled, .button[aria-disabled='true'] { opacity: .5; }
  @media (forced-colors: active) {
    button:not(:focus-visible) { outline: 1px solid ButtonText; outline-offset: -1px; }
  }

  select, .field {
    min-height: 34px; padding: 4px 8px;
    border: 1px solid var(--_edge); border-radius: var(--_small-radius);
    background: var(--_background);
    font-size: .93em;
  }
  .hidden-text {
    position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; border: 0;
    overflow: hidden; clip-path: inset(50%); white-space: nowrap;
  }
`

/** Text of models and tools: unchanged, on its own lines, with its own direction. */
export const foreign = css`
  .value {
    margin: 0; padding: 7px 10px;
    max-height: var(--_max-height); overflow: auto; overscroll-behavior: contain;
    border-radius: var(--_small-radius); background: var(--_inset);
    font: .86em / 1.55 var(--_mono);
    white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4;
    unicode-bidi: isolate; text-align: start;
    contain: content;
  }
  bdi { unicode-bidi: isolate; }
  .code-point, .blank, .cut, .script {
    padding: 0 .2em; border-radius: 3px; unicode-bidi: isolate; direction: ltr;
    background: color-mix(in srgb, var(--_danger) 13%, transparent); color: var(--_danger);
    font: 600 .88em var(--_mono); white-space: nowrap;
  }
  .blank, .cut { background: color-mix(in srgb, var(--_warning) 13%, transparent); color: var(--_warning); }
  .script { font: inherit; white-space: inherit; text-decoration: underline wavy; }
`
