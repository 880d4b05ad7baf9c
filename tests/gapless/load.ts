import { setTimeout as sleep } from 'node:timers/promises';
import { cancelByCloidAction, cloidOf, order, orderAction, type Actor } from '../support/actors.ts';
import { tokenSend } from '../support/keys.ts';
import type { Market } from '../support/market.ts';
import { operate } from '../support/outcomes.ts';
import type { OutcomeMarket } from '../support/deployer.ts';
import type { SeededRandom } from '../support/seeded.ts';

/**
 * Users who continuously trade with each other through signed requests, even after the venue was
 * down. Their responses are ignored, because the results are in the log.
 */
export class Load {
  sent = 0;
  readonly #people: readonly Person[];
  readonly #random: SeededRandom;
  #isRunning = true;

  constructor(options: {
    actors: readonly Actor[];
    markets: readonly Market[];
    outcome: OutcomeMarket;
    random: SeededRandom;
  }) {
    this.#random = options.random;
    this.#people = options.actors.map((actor) => ({ ...options, actor, cloids: [] }));
  }

  /** Trades until stopped, and resolves once the last request has a response. */
  async run(): Promise<void> {
    await Promise.all(this.#people.map((person) => this.#press(person)));
  }

  stop(): void {
    this.#isRunning = false;
  }

  async #press(person: Person): Promise<void> {
    while (this.#isRunning) {
      try {
        await act(person, this.#random);
        this.sent += 1;
      } catch {
        // The venue is down, or went down before it responded.
        await sleep(100);
      }
      await sleep(this.#random.below(60));
    }
  }
}

type Person = {
  readonly actor: Actor;
  readonly markets: readonly Market[];
  readonly outcome: OutcomeMarket;
  /** The ids of orders that may be resting. */
  readonly cloids: { asset: number; cloid: string }[];
};

let cloidCount = 0;

async function act(person: Person, random: SeededRandom): Promise<void> {
  const { actor, cloids, outcome } = person;
  const percent = random.below(100);
  if (percent < 4) {
    await tokenSend(actor, { to: actor.address, amount: '6', into: 'outcome' });
  } else if (percent < 8) {
    await operate(actor, 'split', [outcome, '5']);
  } else if (percent < 25 && cloids.length > 0) {
    const [cancel] = cloids.splice(random.below(cloids.length), 1);
    const signed = await actor.sign(cancelByCloidAction(...(cancel === undefined ? [] : [cancel])));
    await actor.client.exchange(signed);
  } else {
    const count = random.below(4) === 0 ? 3 : 1;
    const orders = Array.from({ length: count }, () => nextOrder(person, random));
    await actor.client.exchange(await actor.sign(orderAction(...orders)));
  }
}

/**
 * Places most orders around the mark, where other orders rest. One in five is a bid that rests far
 * below the mark.
 */
function nextOrder({ cloids, markets }: Person, random: SeededRandom) {
  const market = random.pick(markets);
  const cloid = cloidOf(`gapless ${(cloidCount += 1)}`);
  cloids.push({ asset: market.id, cloid });
  if (cloids.length > 50) cloids.shift();
  const isFar = random.below(5) === 0;
  const side = isFar ? 'buy' : random.pick(['buy', 'sell'] as const);
  const price = isFar
    ? market.ticks(market.at(-1000), -random.below(40))
    : market.ticks(market.at(0), random.below(9) - 4);
  const size = market.worth(12 + random.below(10));
  return order({ market, side, price, size, tif: random.pick(['Gtc', 'Gtc', 'Ioc']), cloid });
}
