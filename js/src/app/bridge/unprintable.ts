/** Control characters, separators of lines, and halves of characters. */
export const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]/u
