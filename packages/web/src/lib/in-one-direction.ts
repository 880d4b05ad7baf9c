/** Signs that turn the direction of the text around them: embeddings, overrides, isolates and marks. */
const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * A text without signs that turn its direction. Whoever names an outcome could make the price beside it read
 * backwards (59¢ as ¢95); what is written from right to left still is.
 */
export function inOneDirection(text: string): string {
  return text.replace(TURNING, '');
}
