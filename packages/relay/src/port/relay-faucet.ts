import { Grants } from '@oddlot/host/grants';
import {
  type EdgeRequest,
  ERROR_CODES,
  infoRefusal,
  infoReply,
  parseServiceRequest,
  refusal,
  type Reply,
} from '@oddlot/host/http';
import { clientKey, isLoopback } from '@oddlot/host/ports';
import type { FaucetGrant } from '@oddlot/sdk';
import { formatMoney } from '@oddlot/units';
import type { Hex } from 'viem';
import { GRANT_MICRO, type SecondChain } from '../chains/second-chain.ts';

const INTERVAL_MS = 3_600_000;
const HTTP_TOO_MANY = 429;

/**
 * Sends test funds on the second chain of a local relay, once per hour for each address and client.
 */
export class RelayFaucet {
  readonly #chain: SecondChain;
  readonly #name: string;
  readonly #now: () => number;
  readonly #byAddress = new Grants(INTERVAL_MS);
  readonly #byClient = new Grants(INTERVAL_MS);

  constructor(options: {
    readonly chain: SecondChain;
    readonly name: string;
    readonly now: () => number;
  }) {
    this.#chain = options.chain;
    this.#name = options.name;
    this.#now = options.now;
  }

  async grant({ body, ip, isForwarded = false }: EdgeRequest): Promise<Reply> {
    const parsed = parseServiceRequest('relayFund', body);
    if (!parsed.ok) return infoRefusal(parsed.error);
    const { chain, user } = parsed.request;
    if (chain.toLowerCase() !== this.#name) {
      const details = { field: 'chain', got: chain, allowed: [this.#name] };
      return infoRefusal(
        refusal('invalidValue', ['chain', 'has no faucet on this relay'], details),
      );
    }
    const nowMs = Math.floor(this.#now());
    const isLimited = isForwarded || !isLoopback(ip);
    const client = clientKey(ip);
    const nextMs = Math.max(
      this.#byAddress.nextTime(user, nowMs) ?? 0,
      isLimited ? (this.#byClient.nextTime(client, nowMs) ?? 0) : 0,
    );
    if (nextMs > nowMs) return limitReached(nextMs, nowMs);
    this.#byAddress.add(user, nowMs);
    if (isLimited) this.#byClient.add(client, nowMs);
    const txHash = await this.#chain.fund(user as Hex, `${user}:${nowMs}`);
    const data: FaucetGrant = {
      user,
      amount: formatMoney(GRANT_MICRO),
      token: 'USDC',
      txHash,
      nextRequestTime: nowMs + INTERVAL_MS,
    };
    return infoReply(data);
  }
}

function limitReached(nextMs: number, nowMs: number): Reply {
  const refused = refusal('faucetLimit', [], { allowed: { min: nextMs } }, HTTP_TOO_MANY);
  const reply = infoRefusal({ ...refused, code: ERROR_CODES.INVALID });
  return { ...reply, retryAfterSeconds: Math.max(1, Math.ceil((nextMs - nowMs) / 1000)) };
}
