// The look of the bubble. Colours are those that a page sets for the elements of sluice/ui.
export const bubbleStyles = `
  :host { display: block; pointer-events: none; font: calc(var(--sluice-font-size, 14px) * var(--bubble-size, 1))/1.5 var(--sluice-font, system-ui, sans-serif); }
  :host([hidden]), [hidden] { display: none !important; }
  .bubble {
    position: relative; pointer-events: auto; box-sizing: border-box; width: fit-content; max-width: 100%; margin-inline: auto; padding: 9px 14px; border-radius: 16px;
    border: 1px solid var(--sluice-border, #7f8fae66); background: var(--sluice-surface, Canvas); color: var(--sluice-text, CanvasText); box-shadow: 0 3px 10px #16305e2b;
  }
  .bubble::after {
    content: ''; position: absolute; width: 11px; height: 11px; left: clamp(14px, calc(var(--bubble-points, 50%) - 6px), 100% - 26px); bottom: -7px; border: solid var(--sluice-border, #7f8fae66); border-width: 0 1px 1px 0;
    background: inherit; rotate: 45deg;
  }
  :host([data-side='left']) .bubble::after { left: auto; right: -7px; top: clamp(14px, calc(var(--bubble-points, 45%) - 6px), 100% - 26px); bottom: auto; rotate: -45deg; }
  :host([data-side='right']) .bubble::after { left: -7px; top: clamp(14px, calc(var(--bubble-points, 45%) - 6px), 100% - 26px); bottom: auto; rotate: 135deg; }
  :host([data-side='below']) .bubble::after { top: -7px; bottom: auto; rotate: 225deg; }
  .bubble.small { width: 100%; padding: 2px 6px; } /* the element within has no width of its own */
  .bubble.asks { border-color: var(--sluice-warning, #b4540a); }
  p { margin: 0; max-height: 4lh; overflow: hidden; overflow-wrap: anywhere; white-space: pre-line; }
  button { font: inherit; color: inherit; min-width: 26px; min-height: 26px; padding: 2px 8px; border: 0; border-radius: 9px; background: none; cursor: pointer; }
  button:hover:not([aria-disabled='true']) { background: color-mix(in srgb, currentColor 10%, transparent); }
  button[aria-disabled='true'] { opacity: 0.4; cursor: default; }
  :focus-visible { outline: 2px solid var(--sluice-accent, #2567c9); outline-offset: 1px; }
  nav { display: flex; align-items: center; justify-content: flex-end; gap: 2px; margin: 2px -8px -5px; font-size: 12px; font-variant-numeric: tabular-nums; color: var(--sluice-muted, inherit); }
  .first { display: flex; align-items: center; justify-content: space-between; gap: 8px; margin: 2px -8px -5px 0; font-size: 12px; color: var(--sluice-muted, inherit); }
  .first button { text-decoration: underline; text-underline-offset: 3px; }
  .show { margin: 4px 0 -2px -8px; font-weight: 600; text-decoration: underline; text-underline-offset: 3px; }
  .asks p { font-weight: 600; }
  @media (prefers-contrast: more) { .bubble, .bubble::after { border-color: var(--sluice-text, CanvasText); } nav, .first { color: inherit; } }
  @media (prefers-reduced-motion: no-preference) { .bubble { animation: come 0.18s ease-out; } @keyframes come { from { opacity: 0; translate: 0 5px; } } }
`
