import { css } from 'lit'

/**
 * Takes no room and is not there for people. Not `display: none`: a flex box around the chat is laid out with no height
 * first, the queries below hold then, and every animation within would begin anew.
 */
const away = css`visibility: hidden !important; contain: size !important; flex: none !important; height: 0 !important; min-height: 0 !important; padding-block: 0 !important; border: 0 !important; overflow: hidden !important;`

export const chatStyles = css`
  :host {
    display: flex; flex-direction: column; position: relative; min-width: 0; height: 100%; min-height: min(100dvh, 24rem); overflow: hidden;
    background: var(--sluice-chat-background, var(--_background)); container: chat / size;
  }
  sluice-thread { flex: 1; }
  .head { display: flex; align-items: center; gap: 10px; padding: 10px 18px; border-bottom: 1px solid var(--_border); }
  .avatar { width: 38px; height: 38px; flex: none; border-radius: 50%; object-fit: cover; }
  .who { flex: 1; min-width: 0; }
  /* Beside what an app has in the header both wrap: nothing is cut, or runs below the buttons. */
  h2 { margin: 0; font-size: 1.07em; line-height: 1.3; overflow-wrap: anywhere; }
  .state { display: flex; align-items: center; gap: 6px; margin: 0; font-size: .84em; line-height: 1.4; color: var(--_muted); overflow-wrap: anywhere; }
  .dot { flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--_success); }
  :host(:is([state='thinking'], [state='speaking'], [state='busy'])) .dot { background: var(--_accent-ink); }
  :host(:is([state='asking'], [state='offline'])) .state { color: var(--_warning); font-weight: 600; }
  :host(:is([state='asking'], [state='offline'])) .dot { background: var(--_warning); }
  .banner {
    display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; margin: 0; padding: 7px 18px; font-size: .9em; font-weight: 600; overflow-wrap: anywhere;
    background: color-mix(in srgb, var(--_warning) 12%, var(--_background)); color: var(--_warning);
  }
  .banner button { min-height: 24px; padding: 0; border: 0; background: none; font-weight: 600; text-decoration: underline; text-underline-offset: 3px; }
  .foot { width: 100%; max-width: calc(var(--sluice-measure, 46rem) + 36px); margin-inline: auto; padding: 6px 18px 14px; }
  /* A question takes up to 60 % of the height, all of it where there is little; what is between its head and its buttons scrolls. */
  .dock { --sluice-dock-height: 60cqh; margin-bottom: 8px; }
  .welcome { padding: 8vh 0 20px; }
  .welcome h2 { font-size: 1.6em; white-space: normal; letter-spacing: -.01em; }
  .welcome p { margin: 6px 0 18px; color: var(--_muted); }
  .suggestions { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(230px, 100%), 1fr)); gap: 9px; margin: 0; padding: 0; list-style: none; }
  .suggestions button {
    width: 100%; min-height: 44px; padding: 9px 14px; border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_surface); text-align: start; overflow-wrap: anywhere;
  }
  .suggestions button:hover { border-color: var(--_accent-ink); }
  .drop { position: absolute; inset: 6px; display: grid; place-items: center; border: 3px dashed var(--_accent-ink); border-radius: var(--_radius); background: color-mix(in srgb, var(--_background) 80%, transparent); pointer-events: none; font-weight: 600; }
  /* Little room: the conversation has it. */
  @container chat (max-height: 480px) {
    :host([state='asking'][approvals='dock']) sluice-composer { ${away} }
    :host([state='asking']) .foot { padding: 0 4px 2px; }
    .dock { --sluice-dock-height: calc(100cqh - 40px); margin-bottom: 0; }
  }
  @container chat (max-height: 330px) {
    :host([state='asking'][approvals='dock']) :is(sluice-thread, .head) { ${away} }
    :host([state='asking'][approvals='dock']) ::slotted([slot='header']) { ${away} }
    .dock { --sluice-dock-height: calc(100cqh - 4px); }
  }
  @container chat (max-height: 420px) {
    .head { padding: 2px 12px; }
    .avatar { width: 24px; height: 24px; }
    .who { display: flex; align-items: baseline; gap: 10px; }
    h2 { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .state { flex: none; white-space: nowrap; }
    .foot { padding: 2px 8px 6px; }
    .welcome { padding-top: 0; }
  }
  @media (prefers-reduced-motion: no-preference) {
    :host(:is([state='thinking'], [state='speaking'], [state='busy'])) .dot { animation: beat 1s ease-in-out infinite; }
    .banner { animation: come .2s .5s ease-out backwards; }
  }
  @media (prefers-contrast: more) { .head, .banner { border-bottom: 1px solid var(--_text); } }
  @keyframes beat { 50% { opacity: .35; scale: .8; } }
  @keyframes come { from { opacity: 0; } }
`
