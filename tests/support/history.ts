import { expect } from 'vitest';
import type { Client, Json, Reply } from './client.ts';

/**
 * Returns the complete response to a query that must succeed, including the fields next to `data`.
 */
export async function queryHistory(client: Client, query: object): Promise<Json> {
  const reply = await client.info(query);
  expect(reply.json, `${JSON.stringify(query)} ${reply.text}`).toMatchObject({ success: true });
  expect(reply.json.asOf).toEqual({ height: expect.any(Number), time: expect.any(Number) });
  return reply.json;
}

/** Returns the rows of all pages, following the cursors. */
export async function allPages(
  client: Client,
  query: object,
  rowsOf: (data: Json) => Json[] = (data) => data,
): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | null = null;
  do {
    const page = await queryHistory(client, { ...query, ...(cursor === null ? {} : { cursor }) });
    rows.push(...rowsOf(page.data));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** Checks how a query is paged, including page boundaries. `rows` lists all rows, newest first. */
export async function expectPaging(
  client: Client,
  query: object,
  rows: readonly Json[],
  options: { readonly offset?: boolean; readonly rowsOf?: (data: Json) => Json[] } = {},
): Promise<void> {
  const { offset = true, rowsOf = (data: Json) => data } = options;
  const read = async (more: object) =>
    rowsOf((await queryHistory(client, { ...query, ...more })).data);
  expect(rows.length).toBeGreaterThan(2);
  expect(await read({ limit: rows.length })).toEqual(rows);
  expect(await read({ limit: 2 })).toEqual(rows.slice(0, 2));
  expect(await queryHistory(client, { ...query, limit: rows.length })).toMatchObject({
    nextCursor: null,
  });
  for (const limit of [1, 2, rows.length - 1, rows.length, rows.length + 1]) {
    expect(await allPages(client, { ...query, limit }, rowsOf)).toEqual(rows);
  }
  if (!offset) return;
  expect(await read({ limit: 2, offset: 1 })).toEqual(rows.slice(1, 3));
  expect(await read({ limit: 5, offset: rows.length })).toEqual([]);
}

/** Checks that both ends of a time range are inclusive. */
export async function expectTimes(
  client: Client,
  query: object,
  rows: readonly Json[],
  timeOf: (row: Json) => number,
): Promise<void> {
  const times = rows.map(timeOf);
  const some = times[Math.floor(times.length / 2)] ?? 0;
  const read = async (span: object) => (await queryHistory(client, { ...query, ...span })).data;
  expect(await read({ startTime: some, endTime: some })).toEqual(
    rows.filter((row) => timeOf(row) === some),
  );
  expect(await read({ startTime: some })).toEqual(rows.filter((row) => timeOf(row) >= some));
  expect(await read({ endTime: some - 1 })).toEqual(rows.filter((row) => timeOf(row) < some));
  expect(await read({ startTime: some + 1, endTime: some - 1 })).toEqual([]);
}

/**
 * Checks how a query about an account rejects invalid fields, and how it answers for an account
 * without history.
 */
export async function expectRefusals(client: Client, query: { type: string }): Promise<void> {
  const user = `0x${'12'.repeat(20)}`;
  const shown = ({ json, status }: Reply) => `${status} ${json.code} ${json.message}`;
  const ask = async (more: object) => shown(await client.info({ ...query, user, ...more }));
  expect(shown(await client.info(query))).toBe('400 10002 Missing field: user');
  expect(await ask({ user: '0x12' })).toBe('400 10002 Wrong type for user');
  expect(await ask({ minHeight: '1' })).toBe('400 10002 Wrong type for minHeight');
}

/** Checks how a query rejects invalid cursors. */
export async function expectCursorRefusals(client: Client, query: object): Promise<void> {
  const shown = ({ json, status }: Reply) => `${status} ${json.code} ${json.message}`;
  const ask = async (more: object) => shown(await client.info({ ...query, ...more }));
  for (const cursor of ['', 'x', 'W10', Buffer.from('[1,2]').toString('base64url')]) {
    expect(await ask({ cursor }), cursor).toBe('200 10000 Invalid cursor');
  }
  expect(await ask({ cursor: 5 })).toBe('400 10002 Wrong type for cursor');
}
