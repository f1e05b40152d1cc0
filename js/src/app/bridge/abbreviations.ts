// Where an abbreviation ends and its sentence does not. Words behind whose full stop the sentence goes on. Those that
// also end one ("etc.", "p.m.") are not here: a capital letter decides.
const abbreviations = new Set([
  ...'mr mrs ms mx dr prof st gen col capt lt sgt rev hon fig figs vol vols nos pp eq sec approx vs cf e.g i.e viz ca'.split(
    ' ',
  ), // English
  ...'z.b d.h u.a s.o bzw ggf evtl nr hr fr str abb inkl'.split(' '), // German
  ...'mme mlle env p.ex'.split(' '), // French
  ...'sr sra srta dra ud uds núm pág'.split(' '), // Spanish
])

/** Does the sentence go on behind this word and its full stop? */
export function goesOn(word: string): boolean {
  return abbreviations.has(word.toLowerCase()) || /^\p{Lu}$/u.test(word) // J. K. Rowling
}
