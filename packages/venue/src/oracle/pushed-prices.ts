import type { Command, PriceSource } from '@oddlot/engine';
import type { AppliedBlock } from '../block/block.ts';
import type { Replica } from '../replica/replica.ts';

/** A price that an operator pushed, in the units of its instrument or 10^-8, and when it executed. */
type Pushed = { readonly price: number; readonly atMs: number };

export type PushedPricesOptions = {
  readonly replica: Pick<Replica, 'onBlock'>;
  /** Commands that will be in the log ahead of whatever is proposed now, and have not executed. */
  readonly underWay: () => Iterable<Command>;
};

/**
 * The prices that operators pushed since this process started, by perp and by underlying. A simulated price
 * gives way to them: a walk knows nothing, and an operator may know something.
 */
export class PushedPrices {
  readonly #underWay: () => Iterable<Command>;
  readonly #last = new Map<string, Pushed>();

  constructor({ replica, underWay }: PushedPricesOptions) {
    this.#underWay = underWay;
    replica.onBlock((block) => this.#take(block));
  }

  ofPerp(instrumentId: number): Pushed | undefined {
    return this.#last.get(perpKey(instrumentId));
  }

  ofSymbol(symbol: string, source: PriceSource): Pushed | undefined {
    return this.#last.get(symbolKey(symbol, source));
  }

  /** What prices are on their way for: one that is simulated now would stand after them in the log. */
  underWay(): PendingPrices {
    const keys = new Set<string>();
    for (const command of this.#underWay()) for (const { key } of pushesOf(command)) keys.add(key);
    return {
      hasPerp: (instrumentId) => keys.has(perpKey(instrumentId)),
      hasSymbol: (symbol, source) => keys.has(symbolKey(symbol, source)),
    };
  }

  #take({ commands, result, timeMs }: AppliedBlock): void {
    for (const [place, { command }] of commands.entries()) {
      const outcome = result.outcomes[place];
      if (outcome?.reject !== undefined) continue;
      const skipped = new Set(outcome?.skipped?.map(({ index }) => index));
      for (const { index, key, price } of pushesOf(command)) {
        if (!skipped.has(index)) this.#last.set(key, { price, atMs: timeMs });
      }
    }
  }
}

/** The prices that are on their way into the log. */
export type PendingPrices = {
  hasPerp(instrumentId: number): boolean;
  hasSymbol(symbol: string, source: PriceSource): boolean;
};

type Push = { readonly index: number; readonly key: string; readonly price: number };

/** What a command pushes in the name of an operator; those of the process itself have none. */
function pushesOf(command: Command): Push[] {
  if (command.type !== 'pushOracle' && command.type !== 'pushPrice') return [];
  if (command.operator === undefined) return [];
  if (command.type === 'pushOracle') {
    return command.prices.map(({ instrumentId, oracle }, index) => ({
      index,
      key: perpKey(instrumentId),
      price: oracle,
    }));
  }
  return command.prices.map(({ priceE8, source, symbol }, index) => ({
    index,
    key: symbolKey(symbol, source),
    price: priceE8,
  }));
}

function perpKey(instrumentId: number): string {
  return `perp ${instrumentId}`;
}

function symbolKey(symbol: string, source: PriceSource): string {
  return `${source} ${symbol}`;
}
