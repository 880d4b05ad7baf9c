import { afterEach, expect, test } from 'vitest';
import { orderAction, signed, testKey } from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';

const alice = testKey(1);
let edge: TestEdge;

afterEach(() => edge.close());

async function place(p: string) {
  edge.replica.credit(alice.address);
  const order = orderAction({ p });
  const nonce = edge.replica.nowMs;
  return (await edge.send('/exchange', signed(order, { key: alice, nonce, confirm: 'executed' })))
    .json;
}

test('a transaction without a receipt is still shown with its signer and content', async () => {
  edge = await startEdge({ receipts: { recentMax: 0 } });
  edge.replica.credit(alice.address);
  const action = orderAction({ p: '90' });
  const nonce = edge.replica.nowMs;
  await edge.send('/exchange', signed(action, { key: alice, nonce }));
  const { height } = edge.replica.head;
  const { data: block } = (await edge.send('/info', { type: 'block', height })).json;
  const { data } = (await edge.send('/info', { type: 'tx', txHash: block.txs[0].hash })).json;
  expect(data).toMatchObject({
    signer: alice.address,
    nonce,
    action,
    result: { type: 'PlaceOrder', statuses: ['success'] },
  });
  expect(data.result).not.toHaveProperty('orders');
});

test('state hashes of recent blocks come from memory, and older ones from the history', async () => {
  edge = await startEdge();
  const { height } = await place('90');
  const { data, asOf } = (await edge.send('/info', { type: 'stateHash', height })).json;
  const { data: block } = (await edge.send('/info', { type: 'block', height })).json;
  expect(data).toEqual({ height, blockTime: block.blockTime, stateHash: block.stateHash });
  expect(asOf.height).toBe(edge.replica.head.height);
  // The replica behaves as if the block were no longer in its memory.
  edge.replica.headAt = (at) => (at === height ? undefined : edge.replica.head);
  expect((await edge.send('/info', { type: 'stateHash', height })).json.data).toEqual(data);
});
