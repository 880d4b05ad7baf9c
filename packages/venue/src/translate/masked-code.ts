const SHOWN_CHARACTERS = 2;

/** An access code as it is shown: enough to tell which one it is to whoever knows it, and nothing to anybody else. */
export function maskedCode(code: string): string {
  return `${[...code].slice(0, SHOWN_CHARACTERS).join('')}****`;
}
