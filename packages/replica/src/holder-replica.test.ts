import { address } from '@oddlot/units';
import { expect, test } from 'vitest';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { TestTerm } from '@oddlot/testing/venue/test-term';
import { HolderReplica, TermOverError } from './replica.ts';

const ALICE = address(`0x${'a1'.repeat(20)}`);
const GRANT = {
  type: 'creditFaucet',
  account: ALICE,
  subAccount: 'perp',
  amountMicroUsdc: 5_000_000,
} as const;

function holderOf(replica: TestReplica, term: TestTerm): HolderReplica {
  const holder = new HolderReplica(replica, 'settlement');
  holder.enter(term);
  return holder;
}

test("R-terms: every command includes its lease's term, which is numbered by the log", async () => {
  const replica = new TestReplica();
  const holder = holderOf(replica, new TestTerm('a'));
  const { block } = await holder.propose(GRANT);
  const term = { lease: 'settlement', number: 1, holder: 'a' };
  expect(block.commands).toEqual([{ command: { ...GRANT, term } }]);
  holder.enter(new TestTerm('a'));
  const again = await holder.propose(GRANT);
  expect(again.block.commands[0]?.command).toMatchObject({ term: { ...term, number: 2 } });
});

test('R-terms: if another holder acquires the lease while a command is under way, the command is rejected and the former holder stops', async () => {
  const replica = new TestReplica();
  const term = new TestTerm('a');
  const suspended = holderOf(replica, term);
  await suspended.propose(GRANT);
  const { deposited } = replica.state;
  const resume = replica.hold();
  const delayed = suspended.propose(GRANT);
  await replica.apply({ ...GRANT, term: { lease: 'settlement', number: 2, holder: 'b' } });
  resume();
  await expect(delayed).rejects.toThrow(TermOverError);
  expect(term.isOver()).toBe(true);
  expect(replica.state.deposited).toBe(deposited + 5_000_000n);
  await expect(suspended.propose(GRANT)).rejects.toThrow(TermOverError);
  expect(replica.state.deposited).toBe(deposited + 5_000_000n);
});

test('R-terms: a process suspended before its first command stops if another holder has used its term number', async () => {
  const replica = new TestReplica();
  const term = new TestTerm('a');
  const suspended = holderOf(replica, term);
  await holderOf(replica, new TestTerm('b')).propose(GRANT);
  await expect(suspended.propose(GRANT)).rejects.toThrow(TermOverError);
  expect(term.isOver()).toBe(true);
});

test('the holder of a lost lease proposes no commands', async () => {
  const replica = new TestReplica();
  const term = new TestTerm();
  const holder = holderOf(replica, term);
  term.end();
  await expect(holder.propose(GRANT)).rejects.toThrow(TermOverError);
  expect(replica.proposed).toBe(0);
});
