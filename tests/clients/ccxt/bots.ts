import type { TestVenue } from '@oddlot/testkit';
import { oddlot, oddlotPrediction } from '../../../packages/ccxt/src/index.ts';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect } from 'vitest';
import type { Json } from '../../support/client.ts';

const CLASSES = { oddlot, oddlotPrediction } as const;

type Bot = { readonly exchange: Json; readonly address: string; readonly privateKey: string };

/** Creates and closes ccxt exchanges for new accounts. */
export class Bots {
  readonly #venue: TestVenue;
  readonly #opened: Json[] = [];

  constructor(venue: TestVenue) {
    this.#venue = venue;
  }

  /** Creates an exchange for a new account with test funds. */
  async funded(name: keyof typeof CLASSES, config: object = {}): Promise<Bot> {
    const privateKey = generatePrivateKey();
    const address = privateKeyToAddress(privateKey);
    await this.#venue.fund(address, { perp: '60000', outcome: '5000' });
    const exchange = this.open(name, { privateKey, walletAddress: address, ...config });
    return { exchange, address, privateKey };
  }

  open(name: keyof typeof CLASSES, config: object): Json {
    const exchange = new CLASSES[name]({ url: this.#venue.url, ...config });
    this.#opened.push(exchange);
    return exchange;
  }

  async close(): Promise<void> {
    for (const exchange of this.#opened) await exchange.close();
  }
}

/** Names in `has` that describe a market or a transport rather than a method. */
const TRAITS = ['publicAPI', 'privateAPI', 'swap', 'prediction', 'ws'];

/** Checks that the drivers cover exactly the methods that an exchange declares. */
export function expectAllDriven(exchange: Json, drivers: object): void {
  const declared = Object.entries(exchange.has)
    .filter(([, value]) => value === true || value === 'emulated')
    .map(([name]) => name)
    .filter((name) => !TRAITS.includes(name));
  expect(Object.keys(drivers).toSorted()).toEqual(declared.toSorted());
  for (const name of declared) expect(exchange[name], name).toBeTypeOf('function');
}

/** Runs an action once a watch method has subscribed, and returns the watch method's result. */
export async function watched(
  exchange: Json,
  call: () => Promise<Json>,
  act: () => Promise<unknown>,
): Promise<Json> {
  const received = call();
  // The client must have subscribed before the event occurs.
  await expect
    .poll(
      () =>
        Object.values<Json>(exchange.clients).every(
          (client) => client.isConnected && Object.keys(client.subscriptions).length > 0,
        ) && Object.keys(exchange.clients).length > 0,
    )
    .toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await act();
  return received;
}

/** A stream counts as quiet once this much time has passed without a frame, in milliseconds. */
const QUIET_MS = 300;

/** Ends a subscription, and checks that the pending watch method rejects with an error. */
export async function unwatched(
  watch: () => Promise<Json>,
  end: () => Promise<Json>,
): Promise<void> {
  let waiting: Promise<Json>;
  let result: Json;
  do {
    waiting = watch().then(
      () => 'value',
      (error: Error) => error,
    );
    const quiet = new Promise((resolve) => setTimeout(() => resolve('quiet'), QUIET_MS));
    result = await Promise.race([waiting, quiet]);
  } while (result === 'value');
  expect(result).toBe('quiet');
  expect(await end()).toBe(true);
  expect((await waiting).constructor.name).toBe('UnsubscribeError');
}
