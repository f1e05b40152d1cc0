import { css } from 'lit'

export const composerStyles = css`
  :host { display: block; }
  .row {
    display: flex; align-items: flex-end; gap: 6px; padding: 5px; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) + 10px); background: var(--_background);
  }
  .row:focus-within { border-color: var(--_accent-ink); outline: 1px solid var(--_accent-ink); }
  textarea {
    flex: 1; min-width: 0; min-height: 36px; max-height: min(12lh, 40vh); padding: 6px 2px; border: 0; background: none; resize: none; field-sizing: content; outline: none;
  }
  textarea:focus-visible { outline: none; } /* the row has it */
  textarea::placeholder { color: var(--_muted); opacity: 1; }
  .round { display: grid; place-items: center; flex: none; width: 36px; height: 36px; padding: 0; border: 1px solid transparent; border-radius: 50%; background: var(--_accent); color: var(--_accent-text); }
  .round.quiet { background: none; color: var(--_muted); }
  .round.quiet:hover { background: color-mix(in srgb, var(--_text) 7%, transparent); color: var(--_text); }
  .round.stop { background: var(--_text); color: var(--_background); }
  .round:disabled { background: var(--_surface); color: var(--_muted); border-color: var(--_border); }
  .chips { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 8px; padding: 4px 4px 0; list-style: none; }
  .chip { display: flex; align-items: center; gap: 7px; max-width: 100%; padding: 3px 4px 3px 10px; border: 1px solid var(--_border); border-radius: 99px; background: var(--_surface); font-size: .87em; }
  .chip > .name { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .picture { position: relative; }
  .picture img { display: block; width: 56px; height: 56px; border: 1px solid var(--_border); border-radius: var(--_small-radius); object-fit: cover; background: var(--_surface); }
  .away { display: grid; place-items: center; flex: none; width: 24px; height: 24px; padding: 0; border: 0; border-radius: 50%; background: none; color: var(--_muted); font-size: .8em; }
  .away:hover { background: color-mix(in srgb, var(--_text) 10%, transparent); color: var(--_text); }
  .picture > .away { position: absolute; top: -8px; inset-inline-end: -8px; border: 1px solid var(--_edge); background: var(--_background); color: var(--_text); }
  .hint { margin: 5px 8px 0; color: var(--_muted); font-size: .82em; }
  .trouble {
    margin: 0 0 8px; padding: 7px 12px; border-radius: var(--_small-radius); overflow-wrap: anywhere; font-size: .9em;
    background: var(--_danger-back); color: var(--_danger);
  }
  @media (forced-colors: active) { .round { border-color: ButtonText; } .round.stop { color: ButtonText; } .row:focus-within { outline: 2px solid Highlight; } }
`
