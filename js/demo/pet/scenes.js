// What one can begin with: the scenes of the scripted model, in the welcome and behind a button, or a few suggestions
// for a real one.
import { look, word } from './words.js'

const $ = (selector) => document.querySelector(selector)
const groups = ['talk', 'pet', 'approval', 'trouble']

/** `say(text)`: asks. Gives back `show({ scripted, busy })`, for whenever that or the language changes. */
export function startScenes({ demo, talk, say }) {
  const all = $('#scenes-all')

  function draw() {
    for (const place of [$('#scenes'), all]) {
      place.replaceChildren(
        ...groups.flatMap((group) => {
          const title = document.createElement(place === all ? 'h2' : 'h3')
          title.textContent = word(group === 'pet' ? 'petGroup' : group)
          const cards = document.createElement('div')
          cards.className = 'cards'
          cards.append(...demo.scenarios.filter((scene) => scene.group === group).map(sceneButton))
          return [title, cards]
        }),
      )
    }
    talk.suggestions = ['suggestRain', 'suggestWeather', 'suggestNote', 'suggestFace'].map(word)
  }

  function sceneButton({ id, title, question }) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'scene'
    button.dataset.scene = id
    const [name, quote] = [document.createElement('strong'), document.createElement('span')]
    name.textContent = title[look.language]
    quote.textContent = question[look.language]
    button.append(name, quote)
    button.addEventListener('click', () => {
      if (button.ariaDisabled === 'true') return
      all.hidePopover?.()
      say(question[look.language])
    })
    return button
  }

  let drawn
  return {
    show({ scripted, busy }) {
      if (drawn !== look.language) draw()
      drawn = look.language
      // Without it the chat welcomes by itself, with the suggestions.
      $('#welcome').slot = scripted ? 'welcome' : 'none'
      $('#scenes-open').hidden = !scripted
      // The keyboard still comes to them: what scrolls holds nothing else.
      for (const button of document.querySelectorAll('.scene')) button.ariaDisabled = String(busy)
    },
  }
}
