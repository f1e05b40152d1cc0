// Somebody's desktop: an editor with a file in it, drawn, so that a pet has something to stand on.
import { readPng } from './palette.mjs'

const code = [
  ['k', '# ', '周末计划'],
  ['', ''],
  ['t', '- [x] ', '订周六的高铁票'],
  ['t', '- [x] ', '给妈妈打电话'],
  ['t', '- [ ] ', '和小林吃午饭，十二点半'],
  ['t', '- [ ] ', '看展：丝与歌'],
  ['', ''],
  ['k', '## ', '带什么'],
  ['', ''],
  ['t', '1. ', '雨伞，四点以后有雨'],
  ['t', '2. ', '相机和两块电池'],
  ['t', '3. ', '上次借的书'],
  ['', ''],
  ['k', '## ', '路线'],
  ['', ''],
  ['', '断桥 → 白堤 → 平湖秋月，'],
  ['', '走得慢一点，大约四十分钟。'],
]

/** As a picture, `scale` times its size. */
export async function drawEditor(browser, { width, height, scale, scheme }) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: scale, colorScheme: scheme })
  const escape = (text) => text.replaceAll('>', '&gt;')
  await page.setContent(`<!doctype html><html lang="zh-CN"><style>
    :root { color-scheme: light dark; --back: light-dark(#dfe6f2, #0c111d); --page: light-dark(#fff, #161c2b); --side: light-dark(#f3f5fa, #111726); --ink: light-dark(#27324a, #d5def2); --soft: light-dark(#8591ab, #66738f); --key: light-dark(#2d5fc4, #8ab8ff); --green: light-dark(#27825a, #6bd0a0); }
    body { margin: 0; height: 100vh; background: var(--back); font: 15px/1.75 system-ui, 'Noto Sans CJK SC', sans-serif; color: var(--ink); }
    .window { position: absolute; inset: 26px 30px; border-radius: 12px; overflow: hidden; background: var(--page); display: grid; grid-template: 38px 1fr / 190px 1fr; box-shadow: 0 0 0 1px light-dark(#c5cfe2, #252e45); }
    header { grid-column: 1 / -1; background: var(--side); display: flex; align-items: center; gap: 8px; padding: 0 14px; color: var(--soft); font-size: 13px; }
    i { width: 11px; height: 11px; border-radius: 50%; background: light-dark(#c9d1e2, #333d57); }
    nav { background: var(--side); padding: 10px 16px; font-size: 13px; color: var(--soft); line-height: 2.1; }
    nav b { color: var(--ink); font-weight: 500; }
    main { padding: 12px 0; }
    p { margin: 0; display: grid; grid-template-columns: 46px 1fr; }
    p > span { color: var(--soft); text-align: right; padding-right: 16px; font-size: 12px; }
    .k { color: var(--key); font-weight: 600; } .t { color: var(--green); }
  </style><div class="window"><header><i></i><i></i><i></i> 周末.md</header>
  <nav>笔记<br><b>周末.md</b><br>菜谱.md<br>读书.md<br>草稿</nav>
  <main>${code.map(([kind, mark, text = ''], at) => `<p><span>${at + 1}</span><span style="color:inherit;text-align:left;font-size:15px"><span class="${kind}">${escape(mark)}</span>${kind === 'k' ? `<span class="k">${text}</span>` : escape(text)}</span></p>`).join('')}</main></div></html>`)
  const picture = readPng(await page.screenshot())
  await page.close()
  return picture
}
