import type { LedgerUpdate } from '@oddlot/sdk';
import { expect, test } from 'vitest';
import { movementOf } from './withdrawals.tsx';

const row = (delta: LedgerUpdate['delta']): LedgerUpdate => ({ time: 7, hash: '0x1', delta });

test('a movement shows its amount as a gain or loss for the account, and names the counterparty', () => {
  const out = row({
    type: 'withdraw',
    amount: '100',
    token: 'USDC',
    fee: '0.1',
    nonce: 1,
    destination: '0xd',
    status: 'failed',
  });
  expect(movementOf(out)).toMatchObject({ kind: 'withdraw', amount: '-100', other: '0xd' });
  expect(movementOf(out)?.status).toBe('failed');
  const own = row({
    type: 'accountTransfer',
    amount: '5',
    token: 'USDC',
    fromAccountType: 'perp',
    toAccountType: 'outcome',
  });
  expect(movementOf(own)).toMatchObject({ kind: 'toOutcome', amount: '-5' });
  expect(movementOf(row({ type: 'deposit', amount: '5', token: 'USDC' }))?.kind).toBe('deposit');
});

test('ledger updates for trades are not movements', () => {
  const split = row({ type: 'outcomeSplit', amount: '5', instrumentId: 1, sz: '5' });
  expect(movementOf(split)).toBeUndefined();
});
