/**
 * JSON text without the space between its parts, for the log: it means and is signed as the same, and
 * a client that pads its requests does not fill the disk.
 */
export function withoutSpace(text: string): string {
  if (!SPACE.test(text)) return text;
  return text.replaceAll(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}

const SPACE = /[ \t\r\n]/;
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\r\n]+/g;
