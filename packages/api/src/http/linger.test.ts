import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { startEdge } from '@oddlot/testing/venue/http/test-edge';

const RATE_LIMIT = { type: 'rateLimit' };

test('a replica that shuts down serves one more request on each open connection', async () => {
  const { send, edge } = await startEdge({ edge: { lingerMs: 1_000 } });
  const agent = new Agent({ keepAlive: true });
  await send('/info', RATE_LIMIT, { agent });
  const drained = edge.drain();
  await expect(send('/info', RATE_LIMIT, { agent: new Agent() })).rejects.toThrow('ECONN');
  expect(await send('/info', RATE_LIMIT, { agent })).toMatchObject({
    status: 200,
    headers: { connection: 'close' },
  });
  await drained;
  agent.destroy();
});
