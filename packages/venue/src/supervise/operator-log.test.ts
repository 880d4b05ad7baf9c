import { afterEach, expect, test } from 'vitest';
import { signed, testKey } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { ADMIN_KEY_BYTE } from '@oddlot/testing/venue/http/test-replica';
import { refusedOperatorLog } from './operator-log.ts';

let edge: TestEdge;
afterEach(() => edge.close());

test('a rejected operator command is logged, and untrusted clients cannot flood the log', async () => {
  const lines: Record<string, unknown>[] = [];
  const info = (fields: object) => void lines.push(fields as Record<string, unknown>);
  edge = await startEdge({
    onRefused: (command, reason) => refuse(command as Parameters<typeof refuse>[0], reason),
  });
  const refuse = refusedOperatorLog(edge.replica as never, { info } as never);
  let nonce = edge.replica.nowMs;
  const halt = (key: ReturnType<typeof testKey>) => {
    nonce += 1;
    const action = { type: 'venueAdmin', setPerp: { instrumentId: 9, haltTrading: true } };
    return edge.send('/exchange', signed(action, { key, nonce, confirm: 'executed' }));
  };
  const admin = testKey(ADMIN_KEY_BYTE);
  const refused = await halt(admin);
  expect(refused.json.status).not.toBe('ok');
  await halt(admin);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({
    signer: admin.address,
    action: 'venueAdmin',
    height: edge.replica.head.height,
    result: expect.any(String),
  });
  for (let at = 0; at < 20; at += 1) await halt(testKey(1));
  expect(lines.length).toBeLessThan(12);
});
