import { expect } from 'vitest';
import { factsOf, type Actor } from './actors.ts';
import { refusalText, type Reply } from './client.ts';

export type Expected = readonly [
  status: number,
  code: number,
  message?: string | RegExp,
  field?: string,
];

/** Code 10002 with any text. */
export const BAD: Expected = [400, 10002];

/** The message names the missing field, and the details include its path. */
export function missing(field: string): Expected {
  return [400, 10002, `Missing field: ${nameOf(field)}`, field];
}

export function wrong(field: string): Expected {
  return [400, 10002, `Wrong type for ${nameOf(field)}`, field];
}

/**
 * Sends a request that must be rejected, and checks that the given accounts' orders, balances,
 * positions and agents did not change.
 */
export async function expectHarmless(
  people: readonly Actor[],
  send: () => Promise<Reply>,
  expected: Expected,
): Promise<void> {
  const before = await factsOf(...people);
  const reply = await send();
  const [status, code, message, field] = expected;
  expect([reply.status, reply.json?.code], reply.text).toEqual([status, code]);
  const text = refusalText(reply.json);
  if (message instanceof RegExp) expect(text).toMatch(message);
  else if (message !== undefined) expect(text).toBe(message);
  expect(reply.json.name).toEqual(expect.any(String));
  if (field !== undefined) expect(reply.json.details).toMatchObject({ field });
  expect(await factsOf(...people)).toEqual(before);
}

function nameOf(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}
