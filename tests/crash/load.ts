import type { Actor } from '../support/actors.ts';
import { cancelByCloidAction, cloidOf, order, orderAction } from '../support/actors.ts';
import type { Client, Json } from '../support/client.ts';
import type { Market } from '../support/market.ts';
import type { JsonObject, Signed } from '../support/wallet.ts';
import type { SeededRandom } from '../support/seeded.ts';

/**
 * Signing clients that send requests until the venue is down. Every request is stored with its
 * bytes and its response, if any, so that a test can ask for the receipt and send the bytes again.
 */

export type Sent = {
  readonly actor: Actor;
  readonly kind: 'order' | 'batch' | 'cancel' | 'trade';
  readonly signed: Signed;
  readonly confirm: boolean;
  readonly cloids: readonly string[];
  /** A response with status `ok`. From then on, the venue must not lose the action. */
  acknowledged?: Json;
};

export type Load = {
  /** The requests sent since the venue last started. */
  readonly sent: Sent[];
  /** Responses that are neither an acceptance nor a broken connection. None are expected. */
  readonly surprises: string[];
  /** The highest block seen in a response. */
  height: number;
  acknowledgedCount: number;
  killed: boolean;
  /** A hook that is called synchronously at each acknowledgement. */
  onAcknowledged?: () => void;
};

/**
 * The maximum number of resting orders. They are far enough from the market that only their owner
 * changes them.
 */
const LIVE_MAX = 150;
const IN_FLIGHT = 2;

/** Places and cancels orders that never trade. */
export class Rester {
  readonly actor: Actor;
  /** Orders that should be resting. The set is corrected after each crash. */
  readonly live = new Set<string>();
  #market: Market;

  constructor(actor: Actor, market: Market) {
    this.actor = actor;
    this.#market = market;
  }

  next(random: SeededRandom): Pick<Sent, 'kind' | 'cloids'> & { action: JsonObject } {
    if (this.live.size > LIVE_MAX || (this.live.size > 5 && random.next() < 0.3)) {
      const cloids = Array.from({ length: 1 + random.below(2) }, () => random.pick([...this.live]));
      for (const cloid of cloids) this.live.delete(cloid);
      const cancels = cloids.map((cloid) => ({ asset: this.#market.id, cloid }));
      return { kind: 'cancel', cloids, action: cancelByCloidAction(...cancels) };
    }
    const count = random.next() < 0.4 ? 3 : 1;
    const cloids = Array.from({ length: count }, newCloid);
    const market = this.#market;
    const orders = cloids.map((cloid) => {
      const price = market.ticks(market.at(-3000), -random.below(1000));
      return order({ market, side: 'buy', price, size: market.worth(20), cloid });
    });
    return { kind: count === 3 ? 'batch' : 'order', cloids, action: orderAction(...orders) };
  }
}

/** Sends orders that trade around the mark. */
export class Crosser {
  readonly actor: Actor;
  #market: Market;

  constructor(actor: Actor, market: Market) {
    this.actor = actor;
    this.#market = market;
  }

  next(random: SeededRandom): Pick<Sent, 'kind' | 'cloids'> & { action: JsonObject } {
    const market = this.#market;
    const cloid = newCloid();
    const action = orderAction(
      order({
        market,
        side: random.pick(['buy', 'sell']),
        price: market.ticks(market.at(0), random.below(7) - 3),
        size: market.worth(12 + random.below(20)),
        tif: random.pick(['Gtc', 'Gtc', 'Ioc']),
        cloid,
      }),
    );
    return { kind: 'trade', cloids: [cloid], action };
  }
}

/** Runs all clients until the connection breaks. */
export async function runClients(
  client: Client,
  clients: readonly (Rester | Crosser)[],
  load: Load,
  random: SeededRandom,
): Promise<void> {
  const workers = clients.flatMap((one) => Array.from({ length: IN_FLIGHT }, () => one));
  await Promise.all(
    workers.map(async (one) => {
      while (await sendNext(client, one, load, random));
    }),
  );
}

/** Sends the next request. Returns false if the venue is down. */
async function sendNext(
  client: Client,
  one: Rester | Crosser,
  load: Load,
  random: SeededRandom,
): Promise<boolean> {
  const { kind, cloids, action } = one.next(random);
  const confirm = random.next() < 0.5;
  const signed = await one.actor.sign(action);
  const record: Sent = { actor: one.actor, kind, signed, confirm, cloids };
  load.sent.push(record);
  let reply;
  try {
    reply = confirm ? await client.executed(signed) : await client.exchange(signed);
  } catch {
    return false;
  }
  // A reply truncated by the kill is not an acknowledgement.
  if (reply.json === undefined) return false;
  if (reply.json.status !== 'ok') {
    load.surprises.push(`${kind} of ${one.actor.name}: ${reply.status} ${reply.text}`);
    return true;
  }
  record.acknowledged = reply.json;
  load.acknowledgedCount += 1;
  load.onAcknowledged?.();
  if (confirm) load.height = Math.max(load.height, reply.json.height);
  if (one instanceof Rester && kind !== 'cancel') for (const cloid of cloids) one.live.add(cloid);
  return true;
}

let cloidCount = 0;

function newCloid(): string {
  return cloidOf(`crash ${(cloidCount += 1)}`);
}
