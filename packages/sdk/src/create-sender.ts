import { ValidationError } from './errors.ts';
import type { ExchangeContext } from './exchange/send-action.ts';
import { queryInfo, type InfoContext } from './info/query-info.ts';
import { checkNamed, hasherSource, networkCheck, type NetworkName } from './signing-network.ts';
import { SHARED_NONCES, type NonceSource } from './nonce.ts';
import { HttpTransport, type Fetch } from './transport/http.ts';
import { VenueClock } from './transport/venue-clock.ts';
import type { Network } from '@oddlot/protocol';
import type { Wallet } from './wallet.ts';

/** Options for `createSender`, with the same meanings as in `createClient`. */
export type SenderOptions = {
  readonly url: string;
  readonly wallet: Wallet;
  readonly network?: NetworkName | Network | undefined;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retriesMax?: number | undefined;
  readonly orderLifeMs?: number | undefined;
  readonly nonces?: Pick<NonceSource, 'next'> | undefined;
  readonly checkNetwork?: boolean | undefined;
};

/**
 * A sender created by `createSender`: the first parameter of the actions of `@oddlot/sdk/actions`.
 */
export type Sender = ExchangeContext & InfoContext;

/**
 * Creates a sender, the first parameter of the actions in `@oddlot/sdk/actions`. Use it in programs
 * that send only a few kinds of actions and need a small bundle; `createClient` has all actions,
 * queries and streams.
 */
export function createSender(options: SenderOptions): Sender {
  const { network, nonces = SHARED_NONCES, orderLifeMs, wallet } = options;
  if (!URL.canParse(options.url)) throw new ValidationError(`Not an address: ${options.url}`);
  const url = options.url.replace(/\/+$/, '');
  checkNamed(network, url);
  const clock = new VenueClock();
  const http = new HttpTransport({ ...options, url, clock });
  const settings = () => queryInfo({ http }, { type: 'settings' });
  const hasher = hasherSource(network, { url, settings });
  return {
    http,
    clock,
    nonces,
    orderLifeMs,
    wallet,
    hasher,
    networkCheck: options.checkNetwork === false ? undefined : networkCheck(hasher, settings),
  };
}
