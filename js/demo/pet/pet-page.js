// Lulu's page of the settings: voice, size, bubble, quiet hours, and in Electron the keys that show and hide her.
import { changePet } from './pet-settings.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

export function startPetPage({ desktop }) {
  let shown

  /** Shows what holds; where a change is refused, what held before. */
  async function change(what) {
    let why = ''
    try {
      shown = await changePet(desktop, what)
    } catch (error) {
      why = word('failed') + (error.detail ?? error.message)
    }
    $('#pet-said').textContent = why
    show()
  }

  function show() {
    for (const radio of document.querySelectorAll('input[name=voice]')) radio.checked = radio.value === look.voice
    $('#no-voice').hidden = look.voice === 'off' || speechSynthesis.getVoices().length > 0
    const { first } = look
    $('#first').checked = first !== null
    $('#first-after').value = first?.after ?? 20
    $('#first-per-day').value = first?.perDay ?? 4
    for (const part of ['after', 'per-day']) $(`#first-${part}`).disabled = first === null
    if (!shown) return
    const { scale, bubble, quietHours, hotkey } = shown
    $('#size').value = scale
    $('#size-said').value = `${Math.round(scale * 100)} %`
    $('#bubble').checked = !bubble.off
    $('#bubble-size').value = bubble.size
    $('#bubble-duration').value = bubble.duration
    for (const part of ['size', 'duration']) $(`#bubble-${part}`).disabled = bubble.off
    $('#quiet').checked = quietHours !== null
    $('#quiet-from').value = quietHours?.from ?? '22:00'
    $('#quiet-to').value = quietHours?.to ?? '07:30'
    for (const part of ['from', 'to']) $(`#quiet-${part}`).disabled = quietHours === null
    $('#hotkey-line').hidden = !desktop
    $('#hotkey').value = hotkey ?? ''
  }

  const hours = () =>
    $('#quiet').checked ? { from: $('#quiet-from').value || '22:00', to: $('#quiet-to').value || '07:30' } : null
  $('#voices').addEventListener('change', ({ target }) => (look.voice = target.value))
  speechSynthesis.addEventListener('voiceschanged', show)
  $('#size').addEventListener('input', ({ target }) => change({ scale: Number(target.value) }))
  $('#bubble').addEventListener('change', ({ target }) => change({ bubble: { off: !target.checked } }))
  $('#bubble-size').addEventListener('change', ({ target }) => change({ bubble: { size: Number(target.value) } }))
  $('#bubble-duration').addEventListener('change', ({ target }) =>
    change({ bubble: { duration: Number(target.value) } }),
  )
  for (const part of ['#quiet', '#quiet-from', '#quiet-to'])
    $(part).addEventListener('change', () => change({ quietHours: hours() }))
  for (const part of ['#first', '#first-after', '#first-per-day']) {
    $(part).addEventListener('change', () => {
      const [after, perDay] = [$('#first-after'), $('#first-per-day')]
      if (!$('#first').checked)
        look.first = null // whatever stands in the fields
      else if ([after, perDay].every((field) => field.reportValidity()))
        look.first = { after: after.valueAsNumber, perDay: perDay.valueAsNumber }
    })
  }
  $('#hotkey').addEventListener('change', ({ target }) => change({ hotkey: target.value.trim() || null }))
  onLook(show)
  return { open: () => change() }
}
