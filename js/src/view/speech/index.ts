// `sluice/speech`: what an answer says, as a voice says it.
export {
  speechSegmenter,
  type SpeechCue,
  type SpeechSegment,
  type SegmentOptions,
  type Segmenter,
} from './segmenter.js'
export { speaker } from './speaker.js'
export type {
  HeldOrder,
  InterruptedSpeech,
  Speaker,
  SpeakerOptions,
  SpokenMessage,
  StoppedSpeech,
} from './speaker-options.js'
export { systemVoice, type SystemVoiceOptions } from './system-voice.js'
export { httpVoice, type HttpVoiceOptions, type PcmFormat } from './http-voice.js'
export { microphone, type SpeechRecognizer, type Microphone, type MicrophoneOptions } from './microphone.js'
export type { MouthShape, Viseme, Vowel } from './vowels.js'
export type { SpeechClock, Voice } from './voice.js'
export type { SpokenWords } from './language.js'
