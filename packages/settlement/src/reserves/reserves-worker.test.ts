import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RETURN_ID_MIN } from '@oddlot/custody/bridge-contract';
import { mintData } from '@oddlot/testing/custody';
import { bridgeView, owedMicroUsdc } from '@oddlot/engine';
import { createLogger } from '@oddlot/host/log';
import { type Address, hash } from '@oddlot/units';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import { differenceOf } from '@oddlot/history/reserves/read-proof';
import { payFromBridge } from '@oddlot/testing/venue/pay-from-bridge';
import { TestSettlement } from '@oddlot/testing/venue/test-settlement';
import { Trees } from '@oddlot/testing/venue/trees';
import { TestTerm } from '@oddlot/testing/venue/test-term';
import { HolderReplica } from '@oddlot/replica/replica';
import type { DepositWatcher } from '../deposit-watcher.ts';
import { ReservesWorker } from './reserves-worker.ts';

/**
 * Compares liabilities with a real bridge's balance after arbitrary events on the chain and in the
 * books.
 */

const DAY_MS = 86_400_000;
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 12);

class Rig {
  readonly settlement: TestSettlement;
  readonly trees: Trees;
  readonly watcher: DepositWatcher;
  readonly lines: string[] = [];
  worker: ReservesWorker;
  isHistoryAway = false;
  readonly holder: HolderReplica;
  #nonce = 1_800_000_000_000;
  #building: Promise<never> | undefined;

  private constructor(settlement: TestSettlement, trees: Trees, confirmations: number) {
    this.settlement = settlement;
    this.holder = new HolderReplica(settlement.replica, 'settlement');
    this.holder.enter(new TestTerm());
    this.trees = trees;
    this.watcher = settlement.watcher(settlement.bridged.client(confirmations), { isMinter: true });
    this.worker = this.restart(confirmations);
  }

  static async open(confirmations = 1): Promise<Rig> {
    const rig = new Rig(await TestSettlement.open(), await Trees.create(), confirmations);
    open.push(rig);
    return rig;
  }

  restart(confirmations: number): ReservesWorker {
    const { replica } = this.settlement;
    this.worker = new ReservesWorker({
      client: this.settlement.bridged.client(confirmations),
      contracts: this.settlement.bridged.contracts,
      fromBlock: 0,
      everyMs: DAY_MS,
      watch: () => this.watcher.status,
      isMinter: true,
      replica: this.holder,
      history: {
        ask: () => {
          this.#building = this.#build();
          return this.#building;
        },
      },
      folder: this.trees.folder,
      file: join(this.settlement.bridged.directory, 'paid.json'),
      now: () => replica.nowMs,
      log: createLogger({ destination: { write: (line) => void this.lines.push(line) } }),
    });
    return this.worker;
  }

  async #build(): Promise<never> {
    if (this.isHistoryAway) throw new Error('the history is being computed');
    const { head, state } = this.settlement.replica;
    const { height, timeMs } = head;
    const answer = await this.trees.build(state, height);
    return { asOf: { height, timeMs }, answer } as never;
  }

  async round(): Promise<void> {
    while (await this.watcher.step()) continue;
    while (await this.worker.step()) continue;
    await this.#building?.catch(() => undefined);
    while (await this.worker.step()) continue;
  }

  async deposit(user: number, micro: number): Promise<void> {
    const raw = await this.settlement.bridged.transfer(user, BigInt(micro));
    await this.settlement.bridged.chain.rpc('eth_sendRawTransaction', [raw]);
  }

  /** Deposits test tokens into the bridge to back the grants. */
  async back(micro: bigint): Promise<void> {
    const { contracts, keys } = this.settlement.bridged;
    await this.settlement.bridged.send(keys.minter, { data: mintData(contracts.bridge, micro) });
  }

  grant(user: Address, micro: number): void {
    const amountMicroUsdc = micro;
    const grant = { account: user, subAccount: 'perp', amountMicroUsdc } as const;
    this.settlement.replica.apply({ type: 'creditFaucet', ...grant });
  }

  /** Returns the number of the withdrawal, or undefined if the account has insufficient funds. */
  withdraw(user: Address, micro: number): number | undefined {
    const nonce = ++this.#nonce;
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    const authority = { signer: user, nonce, txHash };
    const { replica } = this.settlement;
    const { outcome } = replica.apply({
      type: 'withdraw',
      authority,
      destination: user,
      amountMicroUsdc: micro,
    });
    return outcome.reject === undefined ? replica.state.nextWithdrawalId - 1 : undefined;
  }

  async pay(withdrawalId: number): Promise<void> {
    const { accounts, withdrawals } = this.settlement.replica.state;
    const { accountIndex, amount, destination, fee } = withdrawals.get(withdrawalId)!;
    await payFromBridge(this.settlement.bridged, {
      withdrawalId: BigInt(withdrawalId),
      user: accounts[accountIndex]!.address as Hex,
      destination: destination as Hex,
      usd: amount - fee,
    });
  }

  settle(withdrawalId: number, paid = true): void {
    this.settlement.replica.apply({ type: 'settleWithdrawal', withdrawalId, paid });
  }

  get published() {
    return bridgeView(this.settlement.replica.state)?.reserves;
  }
}

const open: Rig[] = [];
afterEach(async () => {
  for (const { settlement, trees } of open.splice(0)) {
    await settlement.close();
    rmSync(trees.folder, { recursive: true });
  }
});

test('R-conservation: every difference between chain and books is classified, with nothing left over', async () => {
  const rig = await Rig.open();
  const [user] = rig.settlement.bridged.users as [Address];
  await rig.deposit(0, 9_000_000);
  await rig.deposit(1, 1_500_000);
  await rig.round();
  expect(rig.worker.current).toMatchObject({
    owed: 9_000_000n,
    balance: 10_500_000n,
    keptAside: 1_500_000n,
    unsettled: 0n,
    unbacked: 0n,
  });
  rig.grant(user, 4_000_000);
  await rig.round();
  expect(rig.worker.current).toMatchObject({ owed: 13_000_000n, unbacked: 4_000_000n });
  await rig.back(4_000_000n);
  await rig.round();
  expect(rig.worker.current).toMatchObject({ balance: 14_500_000n, unbacked: 0n });

  const id = rig.withdraw(user, 5_000_000)!;
  await rig.round();
  expect(rig.worker.current).toMatchObject({ owed: 13_000_000n, unsettled: 0n });
  await rig.pay(id);
  await rig.round();
  expect(rig.worker.current).toMatchObject({ owed: 13_000_000n, unsettled: 4_900_000n });
  expect(differenceOf(rig.worker.current!)).toBe(0n);
  rig.restart(1);
  await rig.round();
  expect(rig.worker.current).toMatchObject({ unsettled: 4_900_000n });
  rig.settle(id);
  await rig.round();
  expect(rig.worker.current).toMatchObject({
    owed: 8_100_000n,
    balance: 9_600_000n,
    unsettled: 0n,
  });
  expect(differenceOf(rig.worker.current!)).toBe(0n);
});

test('a payment by the bridge that the venue did not order is detected', async () => {
  const rig = await Rig.open();
  await rig.deposit(0, 9_000_000);
  await rig.round();
  const user = privateKeyToAccount(rig.settlement.bridged.keys.guardian).address;
  // Uses the number of a deposit return, because a withdrawal number would stop the watcher itself.
  const withdrawalId = RETURN_ID_MIN + 77n;
  await payFromBridge(rig.settlement.bridged, {
    withdrawalId,
    user,
    destination: user,
    usd: 2_000_000n,
  });
  await rig.round();
  expect(differenceOf(rig.worker.current!)).toBe(-2_000_000n);
  rig.settlement.replica.pass(DAY_MS);
  await rig.round();
  expect(rig.lines.at(-1)).toContain('bridge holds less than the venue owes');
  expect(rig.published).toMatchObject({ assetsMicroUsdc: 7_000_000 });
});

test('reserves are published at the first start and once each day, with a tree of all accounts', async () => {
  const rig = await Rig.open();
  const { replica } = rig.settlement;
  const [user] = rig.settlement.bridged.users as [Address];
  await rig.deposit(0, 9_000_000);
  await rig.round();
  const first = rig.published;
  expect(first).toMatchObject({
    liabilitiesMicroUsdc: 9_000_000,
    assetsMicroUsdc: 9_000_000,
    shortfallMicroUsdc: 0,
    blockNumber: rig.watcher.status.block,
  });
  await rig.round();
  replica.pass(DAY_MS - (replica.nowMs % DAY_MS) - 1);
  await rig.round();
  expect(rig.published).toEqual(first);
  replica.pass(1);
  await rig.round();
  const { height, publishedMs } = rig.published!;
  expect(publishedMs % DAY_MS).toBe(0);
  expect(readdirSync(rig.trees.folder).sort()).toEqual([`${height}.tree`, 'salt-secret']);
  const proof = await rig.worker.proof(user);
  expect(proof).toMatchObject({
    height,
    root: rig.published!.root,
    parts: [9_000_000n, 0n, 0n, 0n],
  });
});

test('a lost or damaged tree is rebuilt immediately', async () => {
  const rig = await Rig.open();
  await rig.deposit(0, 9_000_000);
  await rig.round();
  const { height } = rig.published!;
  rmSync(join(rig.trees.folder, `${height}.tree`));
  expect(await rig.worker.proof(rig.settlement.bridged.users[0]!)).toBe('missing');
  await rig.round();
  expect(rig.published!.height).toBeGreaterThan(height);
  const again = join(rig.trees.folder, `${rig.published!.height}.tree`);
  writeFileSync(again, readFileSync(again).fill(7, 100));
  expect(await rig.worker.proof(rig.settlement.bridged.users[0]!)).toBe('missing');
  await rig.round();
  expect(await rig.worker.proof(rig.settlement.bridged.users[0]!)).toMatchObject({
    index: expect.any(Number),
  });
});

test('publication waits for pending test tokens, up to a limit, and for the history', async () => {
  const rig = await Rig.open();
  const { replica } = rig.settlement;
  rig.grant(rig.settlement.bridged.users[0]!, 3_000_000);
  await rig.round();
  expect(rig.published).toBeUndefined();
  replica.pass(60_000);
  rig.isHistoryAway = true;
  await rig.round();
  await rig.round();
  expect(rig.lines.filter((line) => line.includes('could not be determined'))).toHaveLength(1);
  rig.isHistoryAway = false;
  replica.pass(60_000);
  await rig.round();
  expect(rig.published).toMatchObject({ unbackedMicroUsdc: 3_000_000, assetsMicroUsdc: 0 });
});

/** Credits deposits as another replica reading the chain at the same time would. */
async function creditElsewhere(rig: Rig): Promise<void> {
  const { bridged, replica } = rig.settlement;
  const file = join(bridged.directory, 'watched-elsewhere.json');
  const other = rig.settlement.watcher(bridged.client(1), { isMinter: true, file });
  while (await other.step()) continue;
  expect(replica.state.bridge?.bookedBlock).toBeGreaterThan(rig.watcher.status.block);
}

test('R-conservation: reserves as of one chain block are not compared with books as of a later block', async () => {
  const rig = await Rig.open();
  await rig.deposit(0, 9_000_000);
  await rig.round();
  await rig.deposit(1, 10_000_774);
  await creditElsewhere(rig);
  rig.settlement.replica.pass(DAY_MS);
  // This replica's view of the chain lags behind, so it compares nothing until it has caught up
  // with the books.
  const before = rig.worker.current;
  const { published } = rig;
  await rig.worker.step();
  expect(rig.worker.current).toEqual(before);
  expect(rig.published).toEqual(published);
  await rig.round();
  expect(rig.worker.current).toMatchObject({ owed: 19_000_774n, balance: 19_000_774n });
  expect(rig.published).toMatchObject({ assetsMicroUsdc: 19_000_774 });
  expect(rig.lines.filter((line) => line.includes('holds less than'))).toEqual([]);
});

test('R-terms: a tree begun in one term is not published in the next', async () => {
  const rig = await Rig.open();
  await rig.deposit(0, 9_000_000);
  while (await rig.watcher.step()) continue;
  while (await rig.worker.step()) continue;
  const begun = rig.settlement.replica.head.height;
  rig.holder.enter(new TestTerm());
  rig.settlement.replica.pass(1);
  await rig.round();
  expect(rig.published!.height).toBeGreaterThan(begun);
});

test('R-terms: a suspended holder cannot publish after its successor has', async () => {
  const rig = await Rig.open();
  const { replica } = rig.settlement;
  await rig.deposit(0, 9_000_000);
  while (await rig.watcher.step()) continue;
  while (await rig.worker.step()) continue;
  const old = rig.holder.term as TestTerm;
  const successor = new HolderReplica(replica, 'settlement');
  successor.enter(new TestTerm('another process'));
  const figures = {
    root: hash(`0x${'ab'.repeat(32)}`),
    leaves: 1,
    liabilitiesMicroUsdc: 9_000_000,
    shortfallMicroUsdc: 0,
    assetsMicroUsdc: 9_000_000,
    keptAsideMicroUsdc: 0,
    unsettledMicroUsdc: 0,
    unbackedMicroUsdc: 0,
  };
  // The height is older, so only the term check rejects the suspended process's result.
  const { blockNumber, height } = { blockNumber: 0, height: 1 };
  await successor.propose({ type: 'publishReserves', height, blockNumber, ...figures });
  const { published } = rig;
  await rig.round();
  expect(rig.published).toEqual(published);
  expect(old.isOver()).toBe(true);
});

type Step =
  | {
      readonly kind: 'deposit' | 'grant' | 'withdraw';
      readonly who: number;
      readonly micro: number;
    }
  | { readonly kind: 'back' | 'pay' | 'settle' | 'return' | 'mine' | 'round' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('deposit' as const, 'grant' as const, 'withdraw' as const),
    who: fc.nat(2),
    micro: fc.integer({ min: 1_000_000, max: 12_000_000 }),
  }),
  fc.record({
    kind: fc.constantFrom(
      'back' as const,
      'pay' as const,
      'settle' as const,
      'return' as const,
      'mine' as const,
      'round' as const,
      'round' as const,
      'restart' as const,
    ),
  }),
);

test('R-conservation: reserves equal liabilities after every round of random histories', async () => {
  const counts = new Map<string, number>();
  const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { minLength: 20, maxLength: 40 }),
      async (confirmations, steps) => {
        const rig = await Rig.open(confirmations);
        const { replica } = rig.settlement;
        const { users } = rig.settlement.bridged;
        const paid = new Set<number>();
        for (const who of [0, 1, 2]) await rig.deposit(who, 60_000_000);
        for (let block = 1; block < confirmations; block++)
          await rig.settlement.bridged.chain.mine();
        await rig.round();
        for (const each of steps) {
          const ids = [...replica.state.withdrawals.keys()];
          const unpaid = ids.find((id) => !paid.has(id));
          if (each.kind === 'deposit') await rig.deposit(each.who, each.micro);
          else if (each.kind === 'grant') rig.grant(users[each.who]!, each.micro);
          else if (each.kind === 'withdraw') rig.withdraw(users[each.who]!, each.micro);
          else if (each.kind === 'back') await rig.back(BigInt(replica.state.deposited) % 7n);
          else if (each.kind === 'mine') await rig.settlement.bridged.chain.mine();
          else if (each.kind === 'restart') rig.restart(confirmations);
          else if (each.kind === 'return' && unpaid !== undefined) rig.settle(unpaid, false);
          else if (each.kind === 'pay' && unpaid !== undefined) {
            const { bridge } = rig.settlement.bridged.contracts;
            const { amount } = replica.state.withdrawals.get(unpaid)!;
            // Test tokens that have not been minted yet cannot be paid out.
            if ((await rig.settlement.bridged.balanceOf(bridge)) < amount) continue;
            await rig.pay(unpaid);
            paid.add(unpaid);
            note('paid');
          } else if (each.kind === 'settle') {
            const id = ids.find((other) => paid.has(other));
            if (id === undefined) continue;
            // The books follow confirmed blocks; the watcher's blocks can be older.
            for (let block = 1; block < confirmations; block++)
              await rig.settlement.bridged.chain.mine();
            rig.settle(id);
            note('settled');
          } else if (each.kind === 'round') {
            await rig.round();
            const { current } = rig.worker;
            if (current === undefined) continue;
            expect(differenceOf(current)).toBe(0n);
            if (current.height === replica.head.height) {
              expect(current.owed).toBe(owedMicroUsdc(replica.state));
              note('compared');
            }
            for (const name of ['unsettled', 'unbacked', 'keptAside'] as const) {
              if (current[name] > 0n) note(name);
            }
          }
        }
      },
    ),
    { numRuns: RUNS },
  );
  for (const what of ['paid', 'settled', 'compared', 'unsettled', 'unbacked', 'keptAside']) {
    expect(counts.get(what) ?? 0, what).toBeGreaterThan(2);
  }
});
