// What is compared with its baseline: pages of the gallery, the demo and the tester, with how they come to be as they
// are to be seen.
import { groups } from '../../js/pages/gallery/scenes.js'

const wide = { width: 1280, height: 3200 }
const narrow = { width: 360, height: 6400 }
const looks = [
  ['en-light', { lang: 'en', colorScheme: 'light', viewport: wide }],
  ['zh-dark', { lang: 'zh', colorScheme: 'dark', viewport: wide }],
  ['en-narrow', { lang: 'en', colorScheme: 'light', viewport: narrow }],
]
const ready = ({ page }) =>
  page.evaluate(
    () =>
      document.querySelectorAll('.stage').length > 0 &&
      [...document.querySelectorAll('.stage')].every((one) => 'ready' in one.dataset),
  )

const gallery = (name, id, { lang, ...look }) => ({
  name: `gallery-${id}-${name}`,
  host: 'gallery',
  path: `/?only=${id}&lang=${lang}`,
  look,
  async act(stage) {
    await stage.arrive(() => stage.page.locator('.stage').count(), 'the page')
    await stage.until(() => ready(stage), 'the states')
    await stage.pass(1800, 300)
  },
  clip: 'main',
})

const screens = [
  ['en-light', { locale: 'en-US', colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['zh-dark', { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
  ['en-narrow', { locale: 'en-US', colorScheme: 'light', viewport: { width: 360, height: 740 } }],
]
const begun = (stage) =>
  stage.arrive(() => stage.page.evaluate(() => 'ready' in document.documentElement.dataset), 'the page')
const scene = (id, ms) => async (stage) => {
  await begun(stage)
  await stage.page.locator(`[data-scene=${id}]:visible`).first().dispatchEvent('click')
  await stage.pass(ms, 200)
}
const demo = {
  welcome: async (stage) => {
    await begun(stage)
    await stage.pass(600, 200)
  },
  question: scene('umbrella', 6000),
  several: scene('errands', 4000),
  answer: scene('trip', 9000),
}

const tester = (tab) => async (stage) => {
  await stage.arrive(() => stage.page.getByRole('tab').count(), 'the page')
  await stage.page.getByRole('tab').nth(tab).dispatchEvent('click')
  await stage.pass(1600, 400)
}

export const shots = [
  ...groups.flatMap(([id]) => looks.map(([name, look]) => gallery(name, id, look))),
  ...['cards', 'questions', 'chat'].flatMap((id) => [
    gallery('contrast', id, { ...looks[0][1], contrast: 'more' }),
    gallery('forced', id, { ...looks[0][1], forcedColors: 'active' }),
  ]),
  ...Object.entries(demo).flatMap(([id, act]) =>
    screens.map(([name, look]) => ({ name: `demo-${id}-${name}`, host: 'demo', path: '/', look, act })),
  ),
  ...screens
    .map(([name, look]) => ({
      name: `demo-pet-${name}`,
      host: 'demo',
      path: '/?view=pet',
      look: { ...look, viewport: { width: 340, height: 460 } },
      act: demo.welcome,
    }))
    .slice(0, 2),
  ...['tools', 'parse', 'run'].flatMap((id, tab) =>
    screens
      .slice(0, 2)
      .map(([name, look]) => ({ name: `tester-${id}-${name}`, host: 'tester', path: '/', look, act: tester(tab) })),
  ),
]
