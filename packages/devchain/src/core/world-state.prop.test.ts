import { Account, bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Writes, WorldState, stateDigest } from './world-state.ts';

/** The twin: plain maps, copied whole at every checkpoint. */
type Twin = {
  accounts: Map<string, string>;
  codes: Map<string, string>;
  slots: Map<string, string>;
};

type Act =
  | { readonly act: 'account'; readonly who: number; readonly balance: bigint }
  | { readonly act: 'code'; readonly who: number; readonly code: string }
  | { readonly act: 'slot'; readonly who: number; readonly slot: number; readonly value: string }
  | { readonly act: 'delete'; readonly who: number }
  | { readonly act: 'checkpoint' | 'commit' | 'revert' };

const who = fc.nat(2);
const bytes = fc.constantFrom('', '00', '01', '00ff', 'c0de', 'c0ffee');
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant('account' as const), who, balance: fc.bigInt(0n, 3n) }),
  fc.record({ act: fc.constant('code' as const), who, code: bytes }),
  fc.record({ act: fc.constant('slot' as const), who, slot: fc.nat(2), value: bytes }),
  fc.record({ act: fc.constant('delete' as const), who }),
  fc.record({ act: fc.constantFrom('checkpoint' as const, 'commit' as const, 'revert' as const) }),
);

const addressOf = (index: number) =>
  createAddressFromString(`0x${String(index + 1).padStart(40, '0')}`);
const slotOf = (index: number) => hexToBytes(`0x${String(index).padStart(64, '0')}`);
const copy = (twin: Twin): Twin => structuredClone(twin);

async function perform(state: WorldState, stack: Twin[], step: Act): Promise<void> {
  const twin = stack.at(-1) as Twin;
  switch (step.act) {
    case 'account': {
      const before = await state.getAccount(addressOf(step.who));
      const account = new Account(0n, step.balance, undefined, before?.codeHash);
      await state.putAccount(addressOf(step.who), account);
      twin.accounts.set(String(step.who), String(step.balance));
      break;
    }
    case 'code':
      await state.putCode(addressOf(step.who), hexToBytes(`0x${step.code}`));
      twin.codes.set(String(step.who), `0x${step.code}`);
      if (!twin.accounts.has(String(step.who))) twin.accounts.set(String(step.who), '0');
      break;
    case 'slot':
      await state.putStorage(addressOf(step.who), slotOf(step.slot), hexToBytes(`0x${step.value}`));
      twin.slots.set(`${step.who}/${step.slot}`, `0x${step.value.replace(/^(?:00)+/, '')}`);
      break;
    case 'delete':
      await state.deleteAccount(addressOf(step.who));
      twin.accounts.delete(String(step.who));
      twin.codes.delete(String(step.who));
      for (const key of twin.slots.keys())
        if (key.startsWith(`${step.who}/`)) twin.slots.delete(key);
      break;
    case 'checkpoint':
      await state.checkpoint();
      stack.push(copy(twin));
      break;
    case 'commit':
      if (stack.length <= 2) return;
      await state.commit();
      stack.splice(-2, 1);
      break;
    case 'revert':
      if (stack.length <= 2) return;
      await state.revert();
      stack.pop();
  }
}

async function expectSame(state: WorldState, twin: Twin): Promise<void> {
  for (let index = 0; index < 3; index += 1) {
    const address = addressOf(index);
    const balance = (await state.getAccount(address))?.balance.toString();
    expect(balance).toBe(twin.accounts.get(String(index)));
    expect(bytesToHex(await state.getCode(address))).toBe(twin.codes.get(String(index)) ?? '0x');
    for (let slot = 0; slot < 3; slot += 1) {
      const value = bytesToHex(await state.getStorage(address, slotOf(slot)));
      expect(value).toBe(twin.slots.get(`${index}/${slot}`) ?? '0x');
    }
  }
}

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 100);
/** More runs may take longer. */
const TIMEOUT_MS = 30_000 + 500 * RUNS;

test(
  'it holds what plain maps would, through checkpoints; what is written can be done elsewhere and undone',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { maxLength: 25 }), { maxLength: 4 }),
        async (blocks) => {
          const [state, follower] = [new WorldState(), new WorldState()];
          let twin: Twin = { accounts: new Map(), codes: new Map(), slots: new Map() };
          const undos: { readonly undo: Writes; readonly before: Twin }[] = [];
          let digest = '0x';
          for (const steps of blocks) {
            const stack = [copy(twin), copy(twin)];
            state.begin();
            for (const step of steps) await perform(state, stack, step);
            await expectSame(state, stack.at(-1) as Twin);
            const writes = state.written();
            state.undoAll();
            await expectSame(state, twin);
            const next = stack.at(-1) as Twin;
            undos.push({ undo: state.apply(writes), before: twin });
            follower.apply(JSON.parse(JSON.stringify(writes)) as Writes);
            await expectSame(state, next);
            await expectSame(follower, next);
            const changed = stateDigest(digest, { ...writes, extra: '1' });
            digest = stateDigest(digest, writes);
            expect(changed).not.toBe(digest);
            twin = next;
          }
          for (const { undo, before } of undos.toReversed()) {
            state.apply(undo);
            await expectSame(state, before);
          }
        },
      ),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);
