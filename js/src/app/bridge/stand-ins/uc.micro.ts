// Stands for the package `uc.micro`: what markdown-it asks is built into regular expressions.
export const P = /\p{P}/u
export const S = /\p{S}/u
