// `sluice/speech`: what an answer says, as a voice says it.
export { segmenter, type Cue, type Segment, type SegmentOptions, type Segmenter } from './segmenter.js'
export { type SpokenWords } from './language.js'
