// The pet in its page: a state for all that goes on, a face for every state. No DOM but for the bubble and the body.
export { companion, type Companion, type CompanionOptions, type PetClock, type PetSpeaker, type PetView } from './companion.js'
export type { Live, PetClient } from './follow.js'
export { petStates, type PetState, type StateLook, type StateMap } from './states.js'
export type { Proactive } from './speaks-first.js'
export type { BubbleLook, QuietHours } from '../bridge/pet-settings.js'
export { petBody, type BodyOptions } from './body.js'
export type { PetWindowMessage, PetWindowOrder, PetWindowSide } from '../bridge/pet-window.js'
export { petBubble, type BubbleOptions, type PetBubble } from './bubble.js'
