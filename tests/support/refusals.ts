import { expect } from 'vitest';
import { factsOf, type Actor } from './actors.ts';
import { refusalText, type Reply } from './client.ts';

/** How a refusal is expected to look, and that it is all that happened. */

export type Expected = readonly [
  status: number,
  code: number,
  message?: string | RegExp,
  field?: string,
];

/** Refused with code 10002, whatever the words. */
export const BAD: Expected = [400, 10002];

/** The text has the name of the field, the details have its path. */
export function missing(field: string): Expected {
  return [400, 10002, `Missing field: ${nameOf(field)}`, field];
}

export function wrong(field: string): Expected {
  return [400, 10002, `Wrong type for ${nameOf(field)}`, field];
}

/**
 * Sends something that must be refused and must change nothing: orders, balances, positions and
 * agents of everyone given are compared before and after.
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
  const told = refusalText(reply.json);
  if (message instanceof RegExp) expect(told).toMatch(message);
  else if (message !== undefined) expect(told).toBe(message);
  expect(reply.json.name).toEqual(expect.any(String));
  if (field !== undefined) expect(reply.json.details).toMatchObject({ field });
  expect(await factsOf(...people)).toEqual(before);
}

function nameOf(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}
