import type { SignedCommand } from '@oddlot/engine';
import { address, hash, type Hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import { alice, indexedVenues, credit, WAIT } from '@oddlot/testing/venue/indexed-ledger';
import type { IndexedVenue } from '@oddlot/testing/venue/indexed-venue';
import { ExplorerTail } from './recent-blocks.ts';

const venues = indexedVenues();
const hashOf = (n: number): Hash => hash(`0x${String(n).repeat(64)}`);

const signed = (n: number, nonce: number): SignedCommand => ({
  type: 'approveAgent',
  authority: { signer: alice, nonce: 1_767_225_601_000 + nonce, txHash: hashOf(n) },
  agent: address(`0x${String(n).repeat(40)}`),
  label: `agent ${n}`,
});

async function startVenue() {
  const tails: ExplorerTail[] = [];
  const venue = await venues.start({
    projections: (state) => {
      tails.push(new ExplorerTail(state));
      return tails;
    },
  });
  return { venue, tail: tails[0]! };
}

async function stored({ indexer }: IndexedVenue) {
  const txs = await indexer.ask('txs', { limit: 20 });
  const blocks = await indexer.ask('blocks', { limit: 20 });
  return {
    txs: txs.answer.map(({ error, txHash }) => [txHash, error]).toReversed(),
    counts: blocks.answer.map(({ numTxs }) => numTxs).toReversed(),
  };
}

test('the explorer lists a request only once, even if replicas put it into several blocks', async () => {
  const { tail, venue } = await startVenue();
  await venue.propose(credit(1), signed(1, 1), signed(1, 1), signed(2, 2), signed(1, 1));
  // A different request with a used nonce is not executed either. A single process would reject it
  // before it reaches a block.
  await venue.propose(signed(3, 2));
  const expected = [
    [hashOf(1), null],
    [hashOf(2), null],
  ];
  const counts = [0, 0, 1, 0, 1, 0, 0];
  expect(tail.txs.map(({ error, hash: txHash }) => [txHash, error])).toEqual(expected);
  expect(tail.blocks.map(({ numTxs }) => numTxs)).toEqual(counts);
  expect(await stored(venue)).toEqual({ txs: expected, counts });
  // A query for the repeated request returns the receipt for its first execution.
  const receipt = await venue.receipts.find({ by: 'txHash', txHash: hashOf(1) });
  expect(receipt).toMatchObject({ block: { height: 3 } });
  expect(receipt?.outcome.error).toBeNull();
  await venues.stop(venue, 'crash');
  await venues.loseStore();
  const again = await startVenue();
  await expect
    .poll(() => stored(again.venue).catch(() => undefined), WAIT)
    .toEqual({
      txs: expected,
      counts,
    });
  expect(again.tail.blocks).toEqual(tail.blocks);
  expect(again.tail.txs).toEqual(tail.txs);
});
