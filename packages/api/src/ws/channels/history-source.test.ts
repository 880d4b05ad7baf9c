import { address } from '@oddlot/units';
import { expect, test } from 'vitest';
import { TestHistory } from '@oddlot/testing/venue/ws/test-history';
import type { Stream } from '../stream.ts';
import { HistorySource, USER_FILLS } from './user-history.ts';

const user = address(`0x${'a'.repeat(40)}`);

function source() {
  const history = new TestHistory();
  history.isPrompt = false;
  const stream = { seq: 0, publish: () => undefined } as unknown as Stream;
  const params = { user, accountType: ['perp'] } as never;
  const rows = new HistorySource({ history, writer: USER_FILLS, params, stream, height: 0 });
  const ask = (client: string) => rows.snapshotLater({ client, spend: () => undefined });
  return { history, ask };
}

test("R-requests: a client does not wait for another client's queries", async () => {
  const { ask, history } = source();
  const [first, second] = [ask('first'), ask('second')];
  expect(ask('first')).toBe(first);
  expect(history.waitingCount).toBe(2);
  history.fail();
  await expect(first).rejects.toThrow('not there');
  history.answer();
  expect(await second).toMatchObject({ seq: 0 });
});

test('when many clients return at once, a few queries serve all of them', async () => {
  const { ask, history } = source();
  const asked = Array.from({ length: 100 }, (_, at) => ask(`client ${at}`));
  expect(history.waitingCount).toBe(8);
  history.fail();
  await expect(asked[0]).rejects.toThrow('not there');
  history.answer();
  const [answered, ...others] = await Promise.all([asked[1], ...asked.slice(8)]);
  expect(new Set(others)).toEqual(new Set([answered]));
  while (history.waitingCount > 0) history.answer();
  await Promise.all(asked.slice(1));
});
