/**
 * Marks what has letters stand in the order in which nobody wrote them (U+202D, U+202E): `gnp.exe` would look like `exe.png`. No honest text needs
 * it. Arabic and Hebrew go by the marks for embedding and isolating, which act only within the block, code or link that they stand in.
 */
export const withoutOverrides = (text: string): string => text.replace(/[\u202d\u202e]/g, '\ufffd')
