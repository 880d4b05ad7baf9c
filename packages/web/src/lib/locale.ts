/** The locale of numbers and dates: the browser's, as long as nobody chooses another. */
let chosen: string | undefined;

export function locale(): string {
  return chosen ?? globalThis.navigator?.language ?? 'en-US';
}

/** Undefined goes back to the browser's. */
export function chooseLocale(tag: string | undefined): void {
  chosen = tag;
}
