import { expect, test } from 'vitest';
import { ALICE, BOB, CAROL, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import type { AppliedBlock } from '@oddlot/replica/block';
import { RecentBlocks } from './recent-blocks.ts';

function traded(recent: RecentBlocks, count: number): { venue: TestVenue; blocks: AppliedBlock[] } {
  const venue = TestVenue.open();
  const blocks: AppliedBlock[] = [];
  venue.onBlock((block) => {
    blocks.push(block);
    recent.onBlock(block);
  });
  for (let left = count; left > 0; left -= 1) {
    venue.order(BOB, { sell: true, price: 100, size: 1 });
    venue.order(ALICE, { buy: true, price: 100, size: 1 });
  }
  return { venue, blocks };
}

test('only the newest blocks are kept, and a range that includes older blocks is reported as missing', () => {
  const recent = new RecentBlocks(20);
  const { blocks, venue } = traded(recent, 10);
  const { height } = venue.state;
  expect(recent.between(height, height)).toEqual([]);
  expect(recent.between(height - 2, height)).toEqual(blocks.slice(-2));
  expect(recent.between(height - 3, height - 1)).toEqual(blocks.slice(-3, -1));
  expect(recent.between(blocks[0]!.height - 1, height)).toBeUndefined();
});

test('a block lists the users and instruments it concerns', () => {
  const recent = new RecentBlocks();
  const { blocks } = traded(recent, 1);
  const last = blocks.at(-1)!;
  expect([ALICE, BOB, CAROL].map((user) => recent.hasOrdersOf(last, user))).toEqual([
    true,
    true,
    false,
  ]);
  expect([1, 2].map((id) => recent.hasTradesOf(last, id))).toEqual([true, false]);
});

test('a snapshot contains the newest blocks, including their amounts', () => {
  const recent = new RecentBlocks();
  const { blocks, venue } = traded(recent, 500);
  const restored = new RecentBlocks();
  restored.restore(JSON.parse(JSON.stringify(recent.dump())));
  const { height } = venue.state;
  const last = restored.between(height - 10, height);
  expect(last).toEqual(blocks.slice(-10));
  expect(restored.between(blocks[0]!.height - 1, height)).toBeUndefined();
  // Blocks applied after the restore continue the restored ones.
  venue.onBlock((block) => restored.onBlock(block));
  venue.credit(ALICE);
  expect(restored.between(height - 1, height + 1)?.map((block) => block.height)).toEqual([
    height,
    height + 1,
  ]);
  restored.reset();
  expect(restored.between(height - 1, height)).toBeUndefined();
});
