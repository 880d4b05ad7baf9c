import { applyBlock, type Command, createState, RULES_VERSION } from '@oddlot/engine';
import { address, hash, timeMs } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { AppliedBlock } from '@oddlot/replica/block';
import { genesisCommands } from '@oddlot/replica/genesis-commands';
import { AccountValues } from './account-values.ts';

const START_MS = 1_767_225_600_000;
const DAY_MS = 24 * 3_600_000;
const NO_HASH = hash(`0x${'0'.repeat(64)}`);
/** More than the number of arguments a call can have. */
const ACCOUNTS = 150_000;

test('account values are stored even if all 150,000 accounts have changed since the last interval', () => {
  const state = createState();
  let height = 0;
  const applied = (atMs: number, commands: readonly Command[]): AppliedBlock => {
    height += 1;
    const result = applyBlock(state, { height, timeMs: timeMs(atMs), commands });
    const hashes = { hash: NO_HASH, stateHash: NO_HASH, parentHash: NO_HASH };
    const logged = commands.map((command) => ({ command }));
    return { ...hashes, height, timeMs: atMs, commands: logged, result };
  };
  const values = new AccountValues();
  const opening = {
    type: 'openEra',
    rules: RULES_VERSION,
    stateHash: NO_HASH,
    previousHash: NO_HASH,
  } as const;
  const genesis = [opening, ...genesisCommands('Oddlot-Testnet')];
  expect(values.take(state, applied(START_MS, genesis))).toEqual([]);
  const credits = Array.from({ length: ACCOUNTS }, (_, index): Command => {
    const account = address(`0x${(index + 1).toString(16).padStart(40, '0')}`);
    return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: 5_000_000 };
  });
  expect(values.take(state, applied(START_MS + 1, credits))).toEqual([]);
  const records = values.take(state, applied(START_MS + DAY_MS, []));
  expect(new Set(records.map(({ user }) => user)).size).toBe(ACCOUNTS);
});
