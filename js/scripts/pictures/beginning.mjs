/** When every picture begins, for host and page: a Saturday afternoon. */
export const beginning = Date.UTC(2026, 9, 17, 14, 2)
