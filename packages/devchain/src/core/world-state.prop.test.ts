import { Account, bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Writes, WorldState, stateDigest } from './world-state.ts';

/** The reference model consists of plain maps that are copied completely at every checkpoint. */
type Model = {
  accounts: Map<string, string>;
  codes: Map<string, string>;
  slots: Map<string, string>;
};

type Act =
  | { readonly act: 'account'; readonly account: number; readonly balance: bigint }
  | { readonly act: 'code'; readonly account: number; readonly code: string }
  | {
      readonly act: 'slot';
      readonly account: number;
      readonly slot: number;
      readonly value: string;
    }
  | { readonly act: 'delete'; readonly account: number }
  | { readonly act: 'checkpoint' | 'commit' | 'revert' };

const account = fc.nat(2);
const bytes = fc.constantFrom('', '00', '01', '00ff', 'c0de', 'c0ffee');
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant('account' as const), account, balance: fc.bigInt(0n, 3n) }),
  fc.record({ act: fc.constant('code' as const), account, code: bytes }),
  fc.record({ act: fc.constant('slot' as const), account, slot: fc.nat(2), value: bytes }),
  fc.record({ act: fc.constant('delete' as const), account }),
  fc.record({ act: fc.constantFrom('checkpoint' as const, 'commit' as const, 'revert' as const) }),
);

const addressOf = (index: number) =>
  createAddressFromString(`0x${String(index + 1).padStart(40, '0')}`);
const slotOf = (index: number) => hexToBytes(`0x${String(index).padStart(64, '0')}`);
const copy = (model: Model): Model => structuredClone(model);

async function perform(state: WorldState, stack: Model[], step: Act): Promise<void> {
  const model = stack.at(-1) as Model;
  switch (step.act) {
    case 'account': {
      const before = await state.getAccount(addressOf(step.account));
      const account = new Account(0n, step.balance, undefined, before?.codeHash);
      await state.putAccount(addressOf(step.account), account);
      model.accounts.set(String(step.account), String(step.balance));
      break;
    }
    case 'code':
      await state.putCode(addressOf(step.account), hexToBytes(`0x${step.code}`));
      model.codes.set(String(step.account), `0x${step.code}`);
      if (!model.accounts.has(String(step.account))) model.accounts.set(String(step.account), '0');
      break;
    case 'slot':
      await state.putStorage(
        addressOf(step.account),
        slotOf(step.slot),
        hexToBytes(`0x${step.value}`),
      );
      model.slots.set(`${step.account}/${step.slot}`, `0x${step.value.replace(/^(?:00)+/, '')}`);
      break;
    case 'delete':
      await state.deleteAccount(addressOf(step.account));
      model.accounts.delete(String(step.account));
      model.codes.delete(String(step.account));
      for (const key of model.slots.keys())
        if (key.startsWith(`${step.account}/`)) model.slots.delete(key);
      break;
    case 'checkpoint':
      await state.checkpoint();
      stack.push(copy(model));
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

async function expectSame(state: WorldState, model: Model): Promise<void> {
  for (let index = 0; index < 3; index += 1) {
    const address = addressOf(index);
    const balance = (await state.getAccount(address))?.balance.toString();
    expect(balance).toBe(model.accounts.get(String(index)));
    expect(bytesToHex(await state.getCode(address))).toBe(model.codes.get(String(index)) ?? '0x');
    for (let slot = 0; slot < 3; slot += 1) {
      const value = bytesToHex(await state.getStorage(address, slotOf(slot)));
      expect(value).toBe(model.slots.get(`${index}/${slot}`) ?? '0x');
    }
  }
}

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 100);
const TIMEOUT_MS = 30_000 + 500 * RUNS;

test(
  'the state matches plain maps through checkpoints, and its writes can be applied elsewhere and undone',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { maxLength: 25 }), { maxLength: 4 }),
        async (blocks) => {
          const [state, follower] = [new WorldState(), new WorldState()];
          let model: Model = { accounts: new Map(), codes: new Map(), slots: new Map() };
          const undos: { readonly undo: Writes; readonly before: Model }[] = [];
          let digest = '0x';
          for (const steps of blocks) {
            const stack = [copy(model), copy(model)];
            state.begin();
            for (const step of steps) await perform(state, stack, step);
            await expectSame(state, stack.at(-1) as Model);
            const writes = state.written();
            state.undoAll();
            await expectSame(state, model);
            const next = stack.at(-1) as Model;
            undos.push({ undo: state.apply(writes), before: model });
            follower.apply(JSON.parse(JSON.stringify(writes)) as Writes);
            await expectSame(state, next);
            await expectSame(follower, next);
            const changed = stateDigest(digest, { ...writes, extra: '1' });
            digest = stateDigest(digest, writes);
            expect(changed).not.toBe(digest);
            model = next;
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
