import type { EndpointFault } from '@oddlot/testing/custody';
import { address, hash } from '@oddlot/units';
import fc from 'fast-check';
import type { Hex } from 'viem';
import type { PermitAnswer } from '../../../../packages/settlement/src/permit-deposits.ts';
import { CONTRACT_SENDER, type Doing, doingOn } from './deposit-chain.ts';
import { DepositRig, permitAccount, permitOf, type PermitQuery } from './deposit-rig.ts';

/**
 * Random events around deposits, in random order: on the chain, at its endpoints, on the clock and
 * at the venue.
 */

const CONFIRMATIONS = 3;
const HOUR_MS = 3_600_000;
const GWEI = 1_000_000_000n;

const USERS = [1, 2, 3].map((n): Hex => `0x${String(n).repeat(40)}`);
const OWNER = address(`0x${'0e'.repeat(20)}`);
/** An agent that its owner repeatedly approves and revokes. */
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
  'slow',
  'stale',
  'twice',
];
const FALSE_DATA: readonly EndpointFault[] = [
  'falseLogs',
  'falseReceipts',
  'falseHashes',
  'branch',
];

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

export function anyStep(leastUsd: number): fc.Arbitrary<Step> {
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
        fault: fc.constantFrom(...HONEST, ...FALSE_DATA),
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

/** A history in progress, with its expected results. */
export class History {
  readonly rig: DepositRig;
  readonly asked: PermitQuery[] = [];
  /** Permits that the venue accepted. */
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
      const made = doingOn(chain, step.doing);
      if (step.isMined) chain.mine([made]);
      else chain.wait(made);
    } else if (step.do === 'permit') await this.#permit(step.usd, step.isFronted);
    else if (step.do === 'again') {
      const query = this.asked[step.which % Math.max(1, this.asked.length)];
      if (query !== undefined) await this.ask(query);
    } else if (step.do === 'fault') this.#fault(step.at, step.fault);
    else if (step.do === 'reorg') this.reorg(step.depth, step.rest);
    else if (step.do === 'kill') rig.reopen(step);
    else if (step.do === 'crash') {
      rig.crashIn = step.within;
      await rig.round();
    } else if (step.do === 'clock') rig.nowMs += step.ms;
    else if (step.do === 'fee') chain.baseFee = step.wei;
    else if (step.do === 'bind') this.bind(step.isBound);
    else if (step.do === 'round') await rig.round();
    else if (step.do === 'mine') chain.mine();
    else if (step.do === 'lose') while (chain.drop());
    else if (step.do === 'foreign') this.#foreign();
    else await this.#badBatch();
  }

  async ask(query: PermitQuery): Promise<PermitAnswer | undefined> {
    const answer = await this.rig.ask(query);
    if (answer?.ok !== true) return answer;
    const known = this.sent.get(query) ?? new Set();
    this.sent.set(query, known.add(answer.data.txHash));
    return answer;
  }

  bind(isBound: boolean): void {
    const nonce = this.rig.nowMs + 10 * HOUR_MS + ++this.#nonce;
    const authority = { signer: OWNER, nonce, txHash: hash(`0x${'1'.repeat(64)}`) };
    const agent = isBound ? address(AGENT) : address(`0x${'0'.repeat(40)}`);
    this.rig.apply({ type: 'approveAgent', authority, agent, label: 'bot' });
  }

  /** Ends all faults and then runs for long enough that the pipeline recovers. */
  async heal(): Promise<void> {
    const { rig } = this;
    rig.faults.fill('none');
    rig.chain.baseFee = GWEI / 100n;
    rig.crashIn = undefined;
    this.bind(false);
    for (let at = 0; at < 40; at++) {
      await rig.round();
      rig.chain.mine();
      rig.nowMs += 61_000;
      if (at > 4 && rig.relayer.waiting().length === 0 && rig.watcher.status.isCurrent) break;
    }
    await rig.round();
  }

  /** Confirms and reads all existing deposits, so that a later loss would be detected. */
  async settle(): Promise<void> {
    this.rig.faults.fill('none');
    for (let blocks = 0; blocks < CONFIRMATIONS; blocks++) this.rig.chain.mine();
    this.rig.crashIn = undefined;
    await this.rig.round();
  }

  /** Replaces the newest blocks with a longer branch. */
  reorg(depth: number, rest: 'same' | 'drop' | 'pool'): void {
    const { chain } = this.rig;
    const { number } = chain.head;
    if (number === 0) return;
    const removed = chain.cut(depth);
    // An extra transaction at the front changes the log indexes of all later ones.
    const first = doingOn(chain, { does: 'transfer', from: CONTRACT_SENDER, amount: 1n });
    chain.seal(rest === 'same' ? [first, ...removed] : [first]);
    while (chain.head.number <= number) chain.seal([]);
    if (rest === 'pool') for (const each of removed) chain.wait(each);
  }

  async #permit(usd: number, isFronted: boolean): Promise<void> {
    const { chain, nowMs } = this.rig;
    const query = await permitOf(++this.#users, BigInt(usd), Math.floor(nowMs / 1000) + 10_000);
    this.asked.push(query);
    await this.ask(query);
    // Any address can submit a permit first. The venue's own transaction then fails, because the
    // permit has already been used.
    const permits = [plainPermit(query)];
    if (isFronted) chain.wait(doingOn(chain, { does: 'permits', permits }));
  }

  /** Sends two permits, one of which is signed by the wrong key. */
  async #badBatch(): Promise<void> {
    const { chain, nowMs } = this.rig;
    const deadline = Math.floor(nowMs / 1000) + 10_000;
    const good = plainPermit(await permitOf(++this.#users, 6_000_000n, deadline));
    const user = permitAccount(++this.#users).address.toLowerCase() as Hex;
    const permits = [{ ...good, user }, good];
    chain.wait(doingOn(chain, { does: 'permits', permits }));
  }

  /** An endpoint may return false data as long as another endpoint is honest. */
  #fault(at: number, fault: EndpointFault): void {
    const { faults } = this.rig;
    const place = at % faults.length;
    const others = faults.toSpliced(place, 1);
    const isLie = FALSE_DATA.includes(fault);
    if (isLie && (others.length === 0 || others.some((each) => FALSE_DATA.includes(each)))) return;
    faults[place] = fault;
  }

  #foreign(): void {
    const { chain, relayerAddress: from } = this.rig;
    const nonce = chain.head.nonces.get(from) ?? 0;
    for (const each of chain.waiting(from)) if (each.nonce === nonce) chain.drop(each.hash);
    chain.wait({ ...chain.make({ from, to: from, data: '0x' }), nonce, maxFee: 10_000n * GWEI });
  }
}

const plainPermit = ({ deadline, signature, usd, user }: PermitQuery) => ({
  user: user as Hex,
  usd: BigInt(usd),
  deadline: BigInt(deadline),
  signature: { ...signature, r: signature.r as Hex, s: signature.s as Hex },
});
