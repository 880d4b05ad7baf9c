import { checkInvariants } from '@oddlot/engine';
import { type Address, address, hash } from '@oddlot/units';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import {
  DepositRig,
  permitAccount,
  permitOf,
  type PermitQuery,
} from '../testing/money/deposit-rig.ts';
import {
  CONTRACT_SENDER,
  type Doing,
  MODEL_BRIDGE,
  type ModelTransaction,
} from '../testing/money/model-chain.ts';
import type { EndpointFault } from '../testing/money/model-endpoint.ts';

/**
 * R-deposit under faults: watcher, permits and relayer on a model of a chain whose endpoints fail and lie,
 * that reorganises, loses and replaces transactions, while the venue dies between any two steps. What must be
 * credited is counted by a reader that knows no log, only what each transaction of the last chain did.
 *
 * `FC_SEED=7 DEPOSIT_HISTORIES=20000 npx vitest run deposit-histories` repeats or prolongs it.
 */

const HISTORIES = Number(process.env['DEPOSIT_HISTORIES'] ?? 500);
const CONFIRMATIONS = 3;
const MINIMUM = 5_000_000n;
const HOUR_MS = 3_600_000;
const GWEI = 1_000_000_000n;

beforeAll(() => {
  const seed = process.env['FC_SEED'] ?? 'the fixed one';
  process.stdout.write(`deposit histories: FC_SEED=${seed} DEPOSIT_HISTORIES=${HISTORIES}\n`);
});

const USERS = [1, 2, 3].map((n): Hex => `0x${String(n).repeat(40)}`);
const OWNER = address(`0x${'0e'.repeat(20)}`);
/** Bound and freed by its owner now and then. */
const AGENT = USERS[2] as Hex;

type Step =
  | { readonly do: 'send'; readonly doing: Doing; readonly isMined: boolean }
  | { readonly do: 'permit'; readonly usd: number; readonly isFronted: boolean }
  | { readonly do: 'again'; readonly which: number }
  | { readonly do: 'fault'; readonly at: number; readonly fault: EndpointFault }
  | { readonly do: 'reorg'; readonly depth: number; readonly rest: 'same' | 'drop' | 'pool' }
  | { readonly do: 'kill'; readonly isWatchedLost: boolean }
  | { readonly do: 'crash'; readonly within: number }
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'fee'; readonly wei: bigint }
  | { readonly do: 'bind'; readonly isBound: boolean }
  | { readonly do: 'round' | 'mine' | 'lose' | 'foreign' | 'badBatch' };

const HONEST: readonly EndpointFault[] = [
  'none',
  'none',
  'down',
  'errors',
  'silent',
  'stale',
  'twice',
];
const LIARS: readonly EndpointFault[] = ['liesLogs', 'liesReceipts', 'liesHashes', 'branch'];

function anyDoing(leastUsd: number): fc.Arbitrary<Doing> {
  const amount = fc.integer({ min: leastUsd, max: 9_000_000 }).map(BigInt);
  const from = fc.constantFrom(...USERS, ...USERS, CONTRACT_SENDER);
  const transfer = fc.record({ does: fc.constant('transfer' as const), from, amount });
  const depositFor = fc.record({
    does: fc.constant('depositFor' as const),
    from: fc.constantFrom(...USERS, CONTRACT_SENDER),
    user: fc.constantFrom(...USERS),
    amount,
  });
  return fc.oneof(transfer, depositFor);
}

function anyStep(leastUsd: number): fc.Arbitrary<Step> {
  const of = <Kind extends Step['do']>(kind: Kind) => fc.constant(kind);
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: of('send'), doing: anyDoing(leastUsd), isMined: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: of('permit'),
        usd: fc.integer({ min: 5_000_000, max: 7_000_000 }),
        isFronted: fc.nat(4).map((n) => n === 0),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: of('again'), which: fc.nat(3) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: of('fault'),
        at: fc.nat(2),
        fault: fc.constantFrom(...HONEST, ...LIARS),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: of('reorg'),
        depth: fc.integer({ min: 1, max: CONFIRMATIONS - 1 }),
        rest: fc.constantFrom('same' as const, 'drop' as const, 'pool' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: of('kill'), isWatchedLost: fc.boolean() }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: of('crash'), within: fc.integer({ min: 1, max: 40 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: of('clock'),
        ms: fc.constantFrom(-HOUR_MS, 31_000, 61_000, 2 * HOUR_MS),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: of('fee'),
        wei: fc.constantFrom(GWEI / 100n, 5n * GWEI, 600n * GWEI),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: of('bind'), isBound: fc.boolean() }) },
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'round' as const,
          'round' as const,
          'round' as const,
          'mine' as const,
          'mine' as const,
          'lose' as const,
          'foreign' as const,
          'badBatch' as const,
        ),
      }),
    },
  );
}

/** A history under way, and what a person would note down about it. */
class History {
  readonly rig: DepositRig;
  readonly asked: PermitQuery[] = [];
  /** The answers that said ok, by permit. */
  readonly sent = new Map<PermitQuery, Set<string>>();
  #users = 0;
  #nonce = 0;

  constructor(endpoints: number, confirmations = CONFIRMATIONS) {
    this.rig = new DepositRig(endpoints, confirmations);
    const grant = { subAccount: 'perp', amountMicroUsdc: 100_000_000 } as const;
    this.rig.apply({ type: 'creditFaucet', account: OWNER, ...grant });
  }

  async run(step: Step): Promise<void> {
    const { rig } = this;
    const { chain } = rig;
    if (step.do === 'send') {
      const made = chain.make(step.doing);
      if (step.isMined) await chain.mine([made]);
      else chain.pool.push(made);
    } else if (step.do === 'permit') await this.#permit(step.usd, step.isFronted);
    else if (step.do === 'again') {
      const query = this.asked[step.which % Math.max(1, this.asked.length)];
      if (query !== undefined) await this.ask(query);
    } else if (step.do === 'fault') this.#fault(step.at, step.fault);
    else if (step.do === 'reorg') await this.reorg(step.depth, step.rest);
    else if (step.do === 'kill') rig.reopen(step);
    else if (step.do === 'crash') {
      rig.crashIn = step.within;
      await rig.round();
    } else if (step.do === 'clock') this.#pass(step.ms);
    else if (step.do === 'fee') chain.baseFee = step.wei;
    else if (step.do === 'bind') this.bind(step.isBound);
    else if (step.do === 'round') await rig.round();
    else if (step.do === 'mine') await chain.mine();
    else if (step.do === 'lose') chain.pool.splice(0, chain.pool.length);
    else if (step.do === 'foreign') this.#foreign();
    else await this.#badBatch();
  }

  async ask(query: PermitQuery): Promise<void> {
    const answer = await this.rig.ask(query);
    if (answer?.ok !== true) return;
    const known = this.sent.get(query) ?? new Set();
    this.sent.set(query, known.add(answer.data.txHash));
  }

  bind(isBound: boolean): void {
    const nonce = this.rig.nowMs + 10 * HOUR_MS + ++this.#nonce;
    const authority = { signer: OWNER, nonce, txHash: hash(`0x${'1'.repeat(64)}`) };
    const agent = isBound ? address(AGENT) : address(`0x${'0'.repeat(40)}`);
    this.rig.apply({ type: 'approveAgent', authority, agent, label: 'bot' });
  }

  /** Nothing is wrong any more, and everybody has time. */
  async heal(): Promise<void> {
    const { rig } = this;
    for (const endpoint of rig.endpoints) endpoint.fault = 'none';
    rig.chain.baseFee = GWEI / 100n;
    rig.crashIn = undefined;
    this.bind(false);
    for (let at = 0; at < 40; at++) {
      await rig.round();
      await rig.chain.mine();
      this.#pass(61_000);
      if (at > 4 && rig.relayer.waiting().length === 0 && rig.watcher.status.isCurrent) break;
    }
    await rig.round();
  }

  /** Everything so far is read, so that there is something to lose. */
  async settle(): Promise<void> {
    for (const endpoint of this.rig.endpoints) endpoint.fault = 'none';
    for (let blocks = 0; blocks < CONFIRMATIONS; blocks++) await this.rig.chain.mine();
    this.rig.crashIn = undefined;
    await this.rig.round();
  }

  async reorg(depth: number, rest: 'same' | 'drop' | 'pool'): Promise<void> {
    const { chain } = this.rig;
    const deep = Math.min(depth, chain.head.number);
    if (deep === 0) return;
    const removed = chain.blocks
      .slice(-deep)
      .flatMap(({ receipts }) => receipts.map(({ transaction }) => transaction));
    // Something of somebody else in front, so that logs move to other numbers.
    const first = chain.make({ does: 'transfer', from: CONTRACT_SENDER, amount: 1n });
    await chain.reorganise(deep, rest === 'same' ? [[first, ...removed]] : [[first]]);
    if (rest === 'pool') chain.pool.push(...removed);
  }

  async #permit(usd: number, isFronted: boolean): Promise<void> {
    const { chain, nowMs } = this.rig;
    const query = await permitOf(++this.#users, BigInt(usd), Math.floor(nowMs / 1000) + 10_000);
    this.asked.push(query);
    await this.ask(query);
    // Anybody may hand a permit in; the venue's own transaction then finds it used.
    if (isFronted) chain.pool.push(chain.make({ does: 'permits', permits: [plainPermit(query)] }));
  }

  /** Of two permits one is signed by somebody else. */
  async #badBatch(): Promise<void> {
    const { chain, nowMs } = this.rig;
    const deadline = Math.floor(nowMs / 1000) + 10_000;
    const good = plainPermit(await permitOf(++this.#users, 6_000_000n, deadline));
    const user = permitAccount(++this.#users).address.toLowerCase() as Hex;
    const permits = [{ ...good, user }, good];
    chain.pool.push(chain.make({ does: 'permits', permits }));
  }

  /** One endpoint may lie as long as another is there that does not. */
  #fault(at: number, fault: EndpointFault): void {
    const { endpoints } = this.rig;
    const endpoint = endpoints[at % endpoints.length]!;
    const others = endpoints.filter((each) => each !== endpoint);
    const isLie = LIARS.includes(fault);
    if (isLie && (others.length === 0 || others.some((each) => LIARS.includes(each.fault)))) return;
    endpoint.fault = fault;
  }

  #foreign(): void {
    const { chain, relayerAddress: from } = this.rig;
    const nonce = chain.head.nonces.get(from) ?? 0;
    const at = chain.pool.findIndex(
      ({ signed }) => signed?.from === from && signed.nonce === nonce,
    );
    if (at >= 0) chain.pool.splice(at, 1);
    const signed = { from, nonce, maxFee: 10_000n * GWEI };
    const foreign: ModelTransaction = { ...chain.make({ does: 'nothing' }), signed };
    chain.pool.push(foreign);
  }

  #pass(ms: number): void {
    this.rig.nowMs += ms;
    this.rig.chain.timeSeconds = Math.max(
      this.rig.chain.timeSeconds,
      Math.floor(this.rig.nowMs / 1000),
    );
  }
}

const plainPermit = ({ deadline, signature, usd, user }: PermitQuery) => ({
  user: user as Hex,
  usd: BigInt(usd),
  deadline: BigInt(deadline),
  signature: { ...signature, r: signature.r as Hex, s: signature.s as Hex },
});

type Counted = {
  readonly credited: Map<string, bigint>;
  readonly pots: Map<string, bigint>;
  readonly aside: bigint;
};

/** What the confirmed blocks hold for whom, counted by hand. */
function count({ chain, confirmations }: DepositRig): Counted {
  const credited = new Map<string, bigint>();
  const pots = new Map<string, bigint>();
  let aside = 0n;
  const confirmed = chain.blocks.slice(0, Math.max(0, chain.head.number - confirmations + 2));
  for (const { amount, kind, user } of confirmed.flatMap(({ receipts }) =>
    receipts.flatMap(({ received }) => received),
  )) {
    if (kind === 'plain' && user === CONTRACT_SENDER) {
      aside += amount;
      continue;
    }
    const sum = amount >= MINIMUM ? amount : amount + (pots.get(user) ?? 0n);
    if (amount < MINIMUM) pots.delete(user);
    if (sum < MINIMUM) pots.set(user, sum);
    else credited.set(user, (credited.get(user) ?? 0n) + sum);
  }
  return { credited, pots, aside };
}

const sumOf = (amounts: Iterable<bigint>): bigint =>
  [...amounts].reduce((sum, each) => sum + each, 0n);

function creditedTotal({ replica }: DepositRig): bigint {
  return replica.state.bridge?.creditedTotal ?? 0n;
}

function expectCounted(rig: DepositRig): void {
  const counted = count(rig);
  const { book } = rig.watcher.status;
  const bound = sumOf(
    book.aside.filter(({ reason }) => reason === 'bound').map(({ amount }) => BigInt(amount)),
  );
  expect(creditedTotal(rig) + bound).toBe(sumOf(counted.credited.values()));
  const pots = Object.entries(book.pots).map(
    ([user, { amount }]) => [user, BigInt(amount)] as const,
  );
  expect(new Map(pots)).toEqual(counted.pots);
  expect(
    sumOf(
      book.aside.filter(({ reason }) => reason !== 'bound').map(({ amount }) => BigInt(amount)),
    ),
  ).toBe(counted.aside);
}

function expectBalances(rig: DepositRig): void {
  for (const [user, amount] of count(rig).credited) {
    const at = rig.replica.state.accountIndex.get(user as Address);
    expect(at).toBeDefined();
    const account = rig.replica.state.accounts[at!];
    expect([user, account?.perpBalance]).toEqual([user, amount]);
  }
  checkInvariants(rig.replica.state);
}

const isQuiet = ({ endpoints }: DepositRig): boolean =>
  endpoints.every(({ fault }) => fault === 'none' || fault === 'twice');

test('R-deposit: through any history of faults everything is credited once, and nothing is stuck', async () => {
  const histories = fc.record({
    endpoints: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(anyStep(1_000_000), { minLength: 5, maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(histories, async ({ endpoints, steps }) => {
      const history = new History(endpoints);
      const { rig } = history;
      try {
        for (const step of steps) {
          const { deaths } = rig;
          await history.run(step);
          const { isCurrent, state } = rig.watcher.status;
          if (step.do === 'round' && rig.deaths === deaths && isQuiet(rig)) {
            expect([state, isCurrent]).toEqual(['ok', true]);
            expectCounted(rig);
          }
        }
        await history.heal();
        expect(rig.watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
        expectCounted(rig);
        expectBalances(rig);
        expect(rig.relayer.waiting().map(({ key, trouble }) => [key, trouble])).toEqual([]);
        for (const [query, hashes] of history.sent) {
          await history.ask(query);
          const mined = rig.chain.blocks.flatMap(({ receipts }) =>
            receipts.filter(({ transaction }) => hashes.has(transaction.hash)),
          );
          expect(mined.length).toBeGreaterThan(0);
        }
      } finally {
        rig.close();
      }
    }),
    { numRuns: (HISTORIES * 4) / 5 },
  );
}, 300_000);

const SHALLOW = 2;
const DEEP = 6;

type Place = { readonly txHash: string; readonly logIndex: number; readonly account: string };

/** What the engine has credited, with the amount. */
function creditedPlaces({ replica }: DepositRig): Map<string, bigint> {
  const all = [...(replica.state.bridge?.credited.values() ?? [])];
  return new Map(all.map(({ account, amount, txHash }) => [`${txHash}:${account}`, amount]));
}

/** Credited, and on the chain not there any more, found by looking through all of it. */
function lostPlaces({ chain, replica }: DepositRig): readonly string[] {
  const isThere = ({ account, logIndex, txHash }: Place): boolean =>
    chain.blocks.some(({ receipts }) =>
      receipts.some(({ firstLog, logs, transaction }) => {
        if (transaction.hash !== txHash) return false;
        const isEvent = transaction.doing.does !== 'transfer';
        const at = logs.findIndex(
          ({ address: by, topics }) =>
            (by === MODEL_BRIDGE) === isEvent && topics[1]?.endsWith(account.slice(2)),
        );
        return firstLog + at === logIndex;
      }),
    );
  const all = [...(replica.state.bridge?.credited.values() ?? [])];
  return all.filter((each) => !isThere(each)).map(({ account, txHash }) => `${txHash}:${account}`);
}

/** The operator has compared, and says that this is the chain from now on. */
async function accept(history: History): Promise<void> {
  const { rig } = history;
  const { reorganisation } = rig.watcher.status;
  expect(reorganisation?.is).toMatch(/^0x/);
  rig.accepted = reorganisation?.is;
  rig.reopen();
  await rig.round();
}

test('R-deposit: a chain that gives up what was confirmed stops all crediting until it is accepted, and nothing counts twice', async () => {
  const deep = fc.record({
    do: fc.constant('reorg' as const),
    depth: fc.integer({ min: 1, max: DEEP }),
    rest: fc.constantFrom('same' as const, 'drop' as const, 'pool' as const),
  });
  const step = fc.oneof(
    { weight: 12, arbitrary: anyStep(5_000_000) },
    { weight: 2, arbitrary: deep },
  );
  const histories = fc.record({
    endpoints: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(step, { minLength: 8, maxLength: 40 }),
  });
  let stopped = 0;
  await fc.assert(
    fc.asyncProperty(histories, async ({ endpoints, steps }) => {
      const history = new History(endpoints, SHALLOW);
      const { rig } = history;
      const ever = new Map<string, bigint>();
      try {
        for (const each of steps) {
          const { state: was } = rig.watcher.status;
          const before = creditedTotal(rig);
          const { deaths } = rig;
          if (each.do === 'reorg' && each.depth > SHALLOW) await history.settle();
          await history.run(each);
          for (const [place, amount] of creditedPlaces(rig)) ever.set(place, amount);
          if (each.do === 'reorg') await rig.round();
          else if (each.do !== 'round') continue;
          if (rig.deaths !== deaths || !isQuiet(rig)) continue;
          const { reorganisation, state } = rig.watcher.status;
          if (state !== 'reorganised') continue;
          stopped += 1;
          if (was === 'reorganised') expect(creditedTotal(rig)).toBe(before);
          const told = reorganisation?.vanished.map(
            ({ account, source }) => `${source.txHash}:${account}`,
          );
          const accepted = rig.watcher.status.book.vanished.map(
            ({ account, source }) => `${source.txHash}:${account}`,
          );
          expect(new Set([...(told ?? []), ...accepted])).toEqual(
            new Set([...lostPlaces(rig), ...accepted]),
          );
          if (steps.length % 2 === 0) await accept(history);
        }
        for (let times = 0; times < 4; times++) {
          await history.heal();
          if (rig.watcher.status.state === 'reorganised') await accept(history);
        }
        expect(rig.watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
        expect(rig.relayer.waiting()).toEqual([]);
        const onChain = new Map<string, bigint>();
        for (const { received, transaction } of rig.chain.blocks
          .slice(0, -SHALLOW + 1)
          .flatMap(({ receipts }) => receipts)) {
          for (const { amount, kind, user } of received) {
            if (kind === 'plain' && user === CONTRACT_SENDER) continue;
            onChain.set(`${transaction.hash}:${user}`, amount);
          }
        }
        const all = new Map([...ever, ...onChain]);
        expect(creditedTotal(rig)).toBe(sumOf(all.values()));
        const lost = [...ever.keys()].filter((place) => !onChain.has(place));
        const told = rig.watcher.status.book.vanished.map(
          ({ account, source }) => `${source.txHash}:${account}`,
        );
        expect(new Set(told)).toEqual(new Set(lost));
        checkInvariants(rig.replica.state);
      } finally {
        rig.close();
      }
    }),
    { numRuns: HISTORIES / 5 },
  );
  // Histories that never stop would show nothing.
  expect(stopped).toBeGreaterThan(HISTORIES / 10);
}, 300_000);
