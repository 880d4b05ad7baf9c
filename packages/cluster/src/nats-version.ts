/**
 * When one server is cut off from the others, earlier releases lose messages acknowledged by a
 * majority of the servers, and have no setting for syncing each message.
 */
export const NATS_VERSION_MIN = '2.10.0';

export function isBelowNatsMin(version: string): boolean {
  const found = numbersOf(version);
  const minimum = numbersOf(NATS_VERSION_MIN);
  const at = minimum.findIndex((number, index) => number !== (found[index] ?? 0));
  return at >= 0 && (found[at] ?? 0) < (minimum[at] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  return (/\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
}
