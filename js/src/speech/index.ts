// `sluice/speech`: what an answer says, as a voice says it.
export { segmenter, type Cue, type Segment, type SegmentOptions, type Segmenter } from './segmenter.js'
export { speaker, type HeldOrder, type Interrupted, type Speaker, type SpeakerOptions, type SpokenMessage, type Stopped } from './speaker.js'
export { systemVoice, type SystemVoiceOptions } from './system-voice.js'
export { httpVoice, type HttpVoiceOptions, type PcmFormat } from './http-voice.js'
export { microphone, type Ears, type Microphone, type MicrophoneOptions } from './microphone.js'
export { type SpeechClock, type Voice } from './voice.js'
export { type SpokenWords } from './language.js'
