const UNICODE = 0x75;

/** The escapes of one letter, by the code of the letter. */
const LETTERS: ReadonlyMap<number, number> = new Map([
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** The code unit of a JSON escape, given the position after its backslash; -1 for a bad one. */
export function readEscape(text: string, position: number): number {
  const code = text.charCodeAt(position);
  if (code !== UNICODE) return LETTERS.get(code) ?? -1;
  const digits = text.slice(position + 1, position + 5);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
}
