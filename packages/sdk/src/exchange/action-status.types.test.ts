import { expect, test } from 'vitest';
import type { ActionStatus } from '../index.ts';

/**
 * The compiler must report an error for each marked line. If a type change lets such a line
 * compile, `npm run types` reports the unused mark as an error.
 */

const NAMES = {
  txHash: '0x01',
  traceId: '01',
  signer: '0x02',
  user: '0x03',
  nonce: 1,
  actionType: 'order',
};
const BLOCK = { height: 7, time: 1_800_000_000_000, hash: '0x04' };
const RESULT: { type: string; statuses: ['success'] } = {
  type: 'PlaceOrder',
  statuses: ['success'],
};

/** Reads a field that exists only for the given status, without a null check. */
function contentOf(receipt: ActionStatus): string | number {
  switch (receipt.status) {
    case 'executed':
      return `${receipt.block.height} ${receipt.result.type}`;
    case 'failed':
      return receipt.error.message;
    case 'queued':
      return receipt.block.height;
    case 'pending':
      return receipt.nonce;
    case 'unknown':
      return String(receipt.txHash satisfies null);
  }
}

test('the status of an action determines which fields are in its receipt', () => {
  const error = { code: 10_004, name: 'MARGIN', message: 'Insufficient margin' };
  const undecided = { result: null, error: null };
  const executed = {
    ...NAMES,
    status: 'executed',
    block: BLOCK,
    result: RESULT,
    error: null,
  } as const;
  expect(contentOf(executed)).toBe('7 PlaceOrder');
  expect(contentOf({ ...executed, status: 'failed', error })).toBe('Insufficient margin');
  expect(contentOf({ ...NAMES, status: 'queued', block: BLOCK, ...undecided })).toBe(7);
  expect(contentOf({ ...NAMES, status: 'pending', block: null, ...undecided })).toBe(1);
});

test('the compiler rejects access to fields that can be null until the status is checked', () => {
  const pending: ActionStatus = {
    ...NAMES,
    status: 'pending',
    block: null,
    result: null,
    error: null,
  };
  const receipt = pending as ActionStatus;
  // @ts-expect-error: the block of a pending action is null
  expect(() => receipt.block.height).toThrow(/height/);
  // @ts-expect-error: only a failed action has an error
  expect(() => receipt.error.message).toThrow(/message/);
  // @ts-expect-error: an executed action has a block
  const wrong: ActionStatus = { ...pending, status: 'executed' };
  expect(wrong.block).toBeNull();
});
