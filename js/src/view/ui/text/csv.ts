/** A table as CSV (RFC 4180). */
export function csvOf(table: HTMLTableElement | null | undefined): string {
  const rows = [...(table?.rows ?? [])].map((row) => [...row.cells].map((cell) => field(cell.innerText)).join(','))
  return rows.map((row) => `${row}\r\n`).join('')
}

/** A spreadsheet would run what begins like a formula. */
export function field(text: string): string {
  const value = /^[=+@\t\r-]/.test(text) && !/^[+-]?[\d.,]+%?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
