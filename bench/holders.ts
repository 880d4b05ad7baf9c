import {
  applyBlock,
  checkInvariants,
  createState,
  type Command,
  type EngineEvent,
  type OrderRequest,
  type State,
} from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { listing } from './positions.ts';
import { atMost, collectGarbage, same, show, sized, type Row, type Scale } from './report.ts';

/**
 * Whether what happens to a market costs by those who hold it, or by all accounts of the venue. The
 * same hundred hold one among few strangers and among very many; the ratio of the two is printed.
 */

const TARGET = 1.5;
const START_MS = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const ID = instrumentId(1);
const ORACLE = 1_000_000;
const LOTS = 1_000;
const CREDITS_PER_BLOCK = 1_000;
const USDC = 1_000_000;

export async function holdersSection(scale: Scale): Promise<readonly Row[]> {
  const holders = sized(scale, { full: 100, quick: 100, tiny: 4 });
  const many = sized(scale, { full: 100_000, quick: 100_000, tiny: 40 });
  const few = sized(scale, { full: 1_000, quick: 1_000, tiny: 10 });
  const rounds = sized(scale, { full: 9, quick: 4, tiny: 2 });
  const spent = new Map<Act, { few: number[]; many: number[] }>(
    ACTS.map((act) => [act, { few: [], many: [] }]),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const act of ACTS) {
      const small = new Market(holders, few).play(act);
      const large = new Market(holders, many).play(act);
      // In the first round the code is compiled.
      if (round === 0) continue;
      spent.get(act)?.few.push(small);
      spent.get(act)?.many.push(large);
    }
  }
  return ACTS.map((act) => {
    const { few: small = [], many: large = [] } = spent.get(act) ?? {};
    const words = [
      `${show(Math.min(...small))} ms among ${show(few)} accounts`,
      `${show(Math.min(...large))} ms among ${show(many)}`,
      `${show(holders)} holders`,
    ];
    // The shortest of each: the collector of garbage works on all accounts, beside and in between.
    const ratio = Math.min(...large) / Math.min(...small);
    return atMost(`${act} by accounts of the venue`, words.join(', '), ratio, TARGET);
  });
}

const ACTS = ['funding', 'deleveraging', 'delisting'] as const;
type Act = (typeof ACTS)[number];

/** A perp that half of the holders are long and half are short, among strangers. */
class Market {
  readonly #state: State = createState();
  readonly #holders: number;
  #nowMs = START_MS;
  /** Above the time of the first block (R-nonce). */
  #nonce = START_MS + 1_000;

  constructor(holders: number, accounts: number) {
    this.#holders = holders;
    this.#block([
      { type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') },
      { type: 'registerPerp', perp: listing(ID) },
    ]);
    this.#price(ORACLE);
    for (let from = 0; from < accounts; from += CREDITS_PER_BLOCK) {
      const count = Math.min(CREDITS_PER_BLOCK, accounts - from);
      this.#block(Array.from({ length: count }, (_, at) => credit(from + at, holders)));
    }
    for (let at = 0; at < holders; at += 2) {
      this.#block([this.#place(at, true), this.#place(at + 1, false)]);
    }
  }

  /** Brings the market to the moment before, and returns the time of the block that does it, in ms. */
  play(act: Act): number {
    const { spentMs, events } =
      act === 'funding'
        ? this.#funding()
        : act === 'deleveraging'
          ? this.#adl()
          : this.#delisting();
    const told = {
      funding: 'fundingPaid',
      deleveraging: 'deleveraged',
      delisting: 'positionSettled',
    };
    const found = events.filter(({ type }) => type === told[act]).length;
    same(`${act} reaches holders`, found > 0, true);
    if (act !== 'deleveraging') same(`${act} reaches all of them`, found, this.#holders);
    checkInvariants(this.#state);
    return spentMs;
  }

  #funding(): Timed {
    // A book, so that the hour has a sample.
    this.#block([this.#place(1, false, ORACLE + 10_000)]);
    this.#passTo(START_MS + HOUR_MS - 5_000);
    this.#price(ORACLE);
    this.#passTo(START_MS + HOUR_MS);
    return this.#timed(() => this.#price(ORACLE));
  }

  /** A fall that ruins the longs: the fund is empty, so the shorts are deleveraged. */
  #adl(): Timed {
    return this.#timed(() => this.#price((ORACLE * 94) / 100));
  }

  #delisting(): Timed {
    this.#block([{ type: 'setPerp', instrumentId: ID, delisted: true, changes: {} }]);
    const endMs = this.#nowMs + HOUR_MS;
    while (this.#nowMs < endMs - 5_000) {
      this.#nowMs += 4_999;
      this.#price(ORACLE);
    }
    this.#passTo(endMs);
    return this.#timed(() => this.#block([]));
  }

  #passTo(timeMsThen: number): void {
    this.#nowMs = timeMsThen - 1;
  }

  #timed(happen: () => readonly EngineEvent[]): Timed {
    collectGarbage();
    let events: readonly EngineEvent[] = [];
    const beforeMs = performance.now();
    events = happen();
    return { spentMs: performance.now() - beforeMs, events };
  }

  #price(oracle: number): readonly EngineEvent[] {
    const prices = [{ instrumentId: ID, oracle }];
    return this.#block([{ type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs + 1) }]);
  }

  #place(who: number, isBuy: boolean, price = ORACLE): Command {
    const nonce = this.#nonce++;
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    const order: OrderRequest = {
      instrumentId: ID,
      isBuy,
      price,
      size: LOTS,
      reduceOnly: false,
      timeInForce: 'gtc',
    };
    const authority = { signer: someone(who), nonce, txHash };
    return { type: 'placeOrders', authority, orders: [order] };
  }

  #block(commands: readonly Command[]): readonly EngineEvent[] {
    this.#nowMs += 1;
    const { height } = this.#state;
    const block = { height: height + 1, timeMs: timeMs(this.#nowMs), commands };
    const { events, outcomes } = applyBlock(this.#state, block);
    for (const { entries, reject } of outcomes) {
      const why = reject ?? entries?.find((entry) => entry.reject !== undefined)?.reject;
      if (why !== undefined) throw new Error(`refused: ${why.reason}`);
    }
    return events;
  }
}

type Timed = { readonly spentMs: number; readonly events: readonly EngineEvent[] };

function someone(n: number): Address {
  return address(`0x${(0x100_0000 + n).toString(16).padStart(40, '0')}`);
}

/** Longs have just enough for their 20×, shorts plenty, strangers a little. */
function credit(at: number, holders: number): Command {
  const usdc = at >= holders ? 10 : at % 2 === 0 ? 60 : 10_000;
  return {
    type: 'creditFaucet',
    account: someone(at),
    subAccount: 'perp',
    amountMicroUsdc: usdc * USDC,
  };
}
