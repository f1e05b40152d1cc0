/**
 * Marks what has letters stand in the order in which nobody wrote them (U+202D, U+202E): `gnp.exe` would look like
 * `exe.png`. No honest text needs it. Arabic and Hebrew go by the marks for embedding and isolating, which act only
 * within the block, code or link that they stand in.
 */
export const withoutOverrides = (text: string): string => text.replace(/[\u202d\u202e]/g, '\ufffd')

/**
 * Marks all that turns code round, also what turns whole words: behind U+2067 a statement stands in front of the
 * comment that it follows. Code has its order by itself, and what stands in the wrong one says something else. Marked
 * text is as long as it was.
 */
export const codeWithoutTurns = (code: string): string => code.replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
