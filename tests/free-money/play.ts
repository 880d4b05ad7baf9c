import type { Command, OrderRequest } from '@oddlot/engine';
import { type Address, instrumentId } from '@oddlot/units';
import { Examination, type Gains } from './examination.ts';
import { Finding } from './finding.ts';
import type { FundingFigures } from './funding-judge.ts';
import type { Act, History, Person, Step } from './history.ts';
import { crossNumbers } from './margin-model.ts';
import type { MarginFigures } from './margin-judge.ts';
import { type Held, larger, type Funds, smaller } from './state-copy.ts';
import { playStretch, type Players } from './stretch.ts';
import { listing, order, testAddress, START_MS, type Unsigned, Venue } from './venue.ts';

/** Plays a history on its own venue and checks every entry. */

export type Played = {
  readonly finding: Finding | undefined;
  readonly entries: number;
  readonly reached: ReadonlyMap<string, number>;
  readonly funding: FundingFigures;
  readonly margins: MarginFigures;
  readonly gains: Gains;
  /** Consensus time between the first and the last entry. */
  readonly simulatedMs: number;
};

const OWNERS_FROM = 0xa000;
const OTHERS_FROM = 0xb000;
const PRICE_MIN = 20_000;
const PRICE_MAX = 50_000_000;
const TICK = 100;
const HOUR_MS = 3_600_000;
const BEFORE_HOUR_MS = 20_000;
const CLOSING_STEP_MS = 30_000;

export function play(history: History): Played {
  const table = new Table(history);
  let finding: Finding | undefined;
  try {
    for (const step of history.steps) table.step(step);
    table.conclude();
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    finding = error;
  }
  const { entries, simulatedMs } = table;
  const { funding, gains, margins, reached } = table.examination;
  return { finding, entries, simulatedMs, reached, funding, margins, gains };
}

class Table {
  readonly #venue: Venue;
  readonly #people: readonly Address[];
  readonly #perps: readonly number[];
  readonly #players: Players;
  readonly examination: Examination;
  entries = 0;

  constructor({ opening }: History) {
    const owners = opening.owners.map((_, at) => testAddress(OWNERS_FROM + at));
    this.#people = [...owners, ...opening.others.map((_, at) => testAddress(OTHERS_FROM + at))];
    this.#perps = opening.perps.map((_, at) => at + 1);
    const perps = opening.perps.map(({ maxLeverage, mmrE8 }, at) =>
      listing(at + 1, {
        tiers: [{ tier: 1, minSize: 0, maxSize: 100_000_000, maxLeverage, mmrE8 }],
      }),
    );
    this.#venue = new Venue(perps);
    const { fund, state } = this.#venue;
    this.examination = new Examination(owners, fund);
    this.#venue.watch((entry) => {
      this.entries += 1;
      this.examination.judge(state, entry);
    });
    if (opening.fundUsdc > 0) this.#venue.credit(this.#venue.fund, opening.fundUsdc);
    const people = [...opening.owners, ...opening.others];
    for (const [at, person] of people.entries()) this.#seat(this.#who(at), person);
    this.#players = {
      venue: this.#venue,
      makers: people.flatMap(({ quotes }, at) =>
        quotes === undefined ? [] : [{ address: this.#who(at), quotes }],
      ),
      who: (at) => this.#who(at),
      id: (at) => this.#id(at),
      lots: (funds, id, share) => this.#lots(funds, id, share),
      command: (act) => this.#command(act),
    };
  }

  get simulatedMs(): number {
    return this.#venue.nowMs - START_MS;
  }

  conclude(): void {
    this.examination.conclude(this.#venue.state);
  }

  #seat(address: Address, { isHedged, isIsolated, leverage, usdc }: Person): void {
    const venue = this.#venue;
    venue.credit(address, usdc);
    const commands: Unsigned[] = [];
    if (isHedged) commands.push({ type: 'updatePositionMode', mode: 'hedge' });
    for (const [at, id] of this.#perps.entries()) {
      const perp = { instrumentId: instrumentId(id) };
      const marginMode = isIsolated[at] === true ? 'isolated' : 'cross';
      const times = leverage[at] ?? 1;
      commands.push({ type: 'updateMarginMode', ...perp, marginMode });
      commands.push({ type: 'updateLeverage', ...perp, leverage: times });
      if (isHedged && marginMode === 'isolated') {
        commands.push({ type: 'updateLeverage', ...perp, leverage: -times });
      }
    }
    venue.apply(commands.map((command) => venue.sign(address, command)));
  }

  step(step: Step): void {
    const venue = this.#venue;
    switch (step.kind) {
      case 'deal':
        this.#deal(step);
        break;
      case 'prices': {
        const commands = step.acts.map((act) => this.#command(act));
        venue.wait(1_000 * step.seconds);
        const changes = this.#moved(step.moves);
        venue.prices(changes, ...commands.filter((command) => command !== undefined));
        break;
      }
      case 'hour':
        // The book is sampled until the end of the hour, when funding is due.
        venue.wait(Math.max(0, HOUR_MS - BEFORE_HOUR_MS - (venue.nowMs % HOUR_MS))).prices({});
        venue.wait(BEFORE_HOUR_MS + 1_000).prices(this.#moved(step.moves));
        break;
      case 'stretch':
        playStretch(this.#players, step);
        break;
      case 'close':
        this.step({ kind: 'delist', perp: step.perp });
        for (let left = HOUR_MS; left > 0; left -= CLOSING_STEP_MS) {
          const isHalfWay = left === HOUR_MS / 2;
          venue.wait(CLOSING_STEP_MS).prices(isHalfWay ? this.#moved(step.moves) : {});
        }
        break;
      case 'hush':
        venue.hush(this.#id(step.perp), step.isHushed);
        break;
      case 'halt':
      case 'delist': {
        const id = instrumentId(this.#id(step.perp));
        const change =
          step.kind === 'halt' ? { halted: step.isHalted } : { delisted: true as const };
        venue.apply([{ type: 'setPerp', instrumentId: id, changes: {}, ...change }]);
        break;
      }
      default: {
        const command = this.#command(step);
        if (command !== undefined) venue.apply([command]);
      }
    }
  }

  #moved(moves: readonly number[]): Record<number, number> {
    const changes: Record<number, number> = {};
    for (const [at, move] of moves.entries()) {
      const id = this.#id(at);
      const moved = Math.round((this.#venue.oracleOf(id) * (1_000 + move)) / 1_000);
      changes[id] = Math.min(PRICE_MAX, Math.max(PRICE_MIN, moved));
    }
    return changes;
  }

  #who(at: number): Address {
    return this.#people[at % this.#people.length] ?? testAddress(OWNERS_FROM);
  }

  #id(at: number): number {
    return this.#perps[at % this.#perps.length] ?? 1;
  }

  #funds(address: Address): Funds | undefined {
    return this.#venue.shot.fundsByAccount.get(address);
  }

  #mark(id: number): number {
    return this.#venue.shot.markets.get(id)?.mark ?? 0;
  }

  #priceNear(id: number, thousandths: number): number {
    const price = (this.#mark(id) * (1_000 + thousandths)) / 1_000;
    return Math.max(TICK, Math.round(price / TICK) * TICK);
  }

  /** Returns an account's free balance, computed without the engine. */
  #free(funds: Funds): bigint {
    const marks = (id: number): number => this.#mark(id);
    const { initial, value } = crossNumbers(funds, this.#venue.shot, marks, marks);
    return larger(0n, smaller(funds.balance, value - initial));
  }

  /** Returns the number of lots that a fraction of the free balance supports. */
  #lots(funds: Funds, id: number, share: number): number {
    const leverage = funds.held.find((held) => held.id === id)?.leverage ?? 10;
    const most = (this.#free(funds) * BigInt(leverage)) / BigInt(Math.max(1, this.#mark(id)));
    return Math.max(1, Number((most * BigInt(share)) / 105n));
  }

  #deal(step: Extract<Step, { kind: 'deal' }>): void {
    const venue = this.#venue;
    const id = this.#id(step.perp);
    const [buyer, seller] = [this.#who(step.buyer), this.#who(step.seller)];
    const [bought, sold] = [this.#funds(buyer), this.#funds(seller)];
    if (bought === undefined || sold === undefined || this.#mark(id) === 0) return;
    const size = Math.min(this.#lots(bought, id, step.share), this.#lots(sold, id, step.share));
    const price = this.#priceNear(id, step.away);
    if (buyer !== seller) {
      venue.deal({ buyer, seller }, { id, price, size });
      return;
    }
    // If the same account is on both sides, each of its hedge positions trades with any resting
    // orders.
    const terms = { id, price, size, timeInForce: 'ioc' } as const;
    for (const isBuy of [true, false]) venue.place(buyer, order({ ...terms, isBuy }));
  }

  #command(act: Act): Command | undefined {
    const address = this.#who(act.who);
    const funds = this.#funds(address);
    if (funds === undefined) return undefined;
    const command = this.#unsigned(act, funds);
    return command === undefined ? undefined : this.#venue.sign(address, command);
  }

  #unsigned(act: Act, funds: Funds): Unsigned | undefined {
    const part = (amount: bigint, share: number): number =>
      Number((amount * BigInt(Math.abs(share))) / 100n);
    // A fraction above 100 exceeds the free balance from before the entry, because a gap can
    // release money.
    const money = (share: number): number =>
      Number(smaller(larger(0n, funds.balance), BigInt(part(this.#free(funds), share))));
    switch (act.kind) {
      case 'order':
        return { type: 'placeOrders', orders: [this.#order(act, funds)] };
      case 'exit': {
        const orders = this.#exits(act, funds);
        return orders.length === 0 ? undefined : { type: 'placeOrders', orders };
      }
      case 'margin': {
        const isolated = funds.held.filter(({ isIsolated, size }) => isIsolated && size !== 0);
        const held = isolated[act.nth % Math.max(1, isolated.length)];
        if (held === undefined) return undefined;
        return {
          type: 'updateIsolatedMargin',
          instrumentId: instrumentId(held.id),
          isBuy: held.size > 0,
          amountMicroUsdc: act.share > 0 ? money(act.share) : -part(held.margin, act.share),
        };
      }
      case 'leverage': {
        const id = this.#id(act.perp);
        const held = funds.held.find((each) => each.id === id && each.size !== 0);
        const isSigned = funds.isHedged && held?.isIsolated === true && held.size < 0;
        const leverage = isSigned ? -act.leverage : act.leverage;
        return { type: 'updateLeverage', instrumentId: instrumentId(id), leverage };
      }
      case 'send':
      case 'aside': {
        const isAside = act.kind === 'aside';
        return {
          type: 'sendToken',
          destination: isAside ? funds.address : this.#who(act.to),
          token: 0,
          amountMicroUsdc: money(act.share),
          from: 'perp',
          to: isAside ? 'outcome' : 'perp',
        };
      }
      case 'withdraw': {
        const amountMicroUsdc = money(act.share);
        return { type: 'withdraw', destination: testAddress(0xdead), amountMicroUsdc };
      }
      case 'cancel':
        return { type: 'cancelAll' };
      default: {
        const id = this.#id(act.perp);
        const isBuy = funds.held.some((held) => held.id === id && held.size > 0);
        return { type: 'reversePosition', instrumentId: instrumentId(id), isBuy };
      }
    }
  }

  #order(act: Extract<Act, { kind: 'order' }>, funds: Funds): OrderRequest {
    const id = this.#id(act.perp);
    const { isBuy, reduceOnly, timeInForce } = act;
    const held = funds.held.find(
      (each) => each.id === id && (reduceOnly ? isBuy === each.size < 0 : true) && each.size !== 0,
    );
    const size =
      reduceOnly && held !== undefined
        ? Math.max(1, Math.floor((Math.abs(held.size) * act.share) / 100))
        : this.#lots(funds, id, act.share);
    const price = this.#priceNear(id, act.away);
    return order({ id, isBuy, reduceOnly, timeInForce, price, size });
  }

  /** Returns a TP/SL order for each of the account's matching positions in the market. */
  #exits(act: Extract<Act, { kind: 'exit' }>, funds: Funds): OrderRequest[] {
    const id = this.#id(act.perp);
    const price = this.#priceNear(id, act.away);
    const fits = ({ size }: Held): boolean => {
      const isUp = act.trigger === 'takeProfit' ? size > 0 : size < 0;
      return size !== 0 && isUp === act.away > 0;
    };
    return funds.held
      .filter((held) => held.id === id && fits(held))
      .map((held) => ({
        ...order({ id, isBuy: held.size < 0, reduceOnly: true, price, size: Math.abs(held.size) }),
        trigger: { kind: act.trigger, price, isMarket: act.isMarket },
      }));
  }
}
