import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BRIDGE_ABI } from '@oddlot/contracts';
import { createWalletClient, defineChain, type Hex, http, type PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Chain, chainOf, fundedOnChain } from '../../support/chain.ts';
import type { Venue } from '../../support/venue-process.ts';

const MINE_EVERY_MS = 200;

/** The guardian of a local chain's bridge. It has enough ether to mine blocks. */
export class ChainOperator {
  readonly chain: Chain;
  readonly #keys: { readonly guardian: Hex };
  readonly #rich: PrivateKeyAccount;

  private constructor(chain: Chain, venue: Venue, rich: PrivateKeyAccount) {
    this.chain = chain;
    this.#rich = rich;
    this.#keys = JSON.parse(readFileSync(join(venue.data, 'settlement/keys.json'), 'utf8'));
  }

  static async of(venue: Venue): Promise<ChainOperator> {
    const chain = await chainOf(venue.url);
    return new ChainOperator(chain, venue, await fundedOnChain(venue.url));
  }

  /** Sends an amount in micro-USDC on the chain. Like any transaction, this mines a block. */
  async give(user: Hex, amount: bigint): Promise<void> {
    await this.chain.wallet(this.#rich).transfer(user, amount);
  }

  async pause(isPaused: boolean): Promise<void> {
    await this.chain.wallet(privateKeyToAccount(this.#keys.guardian)).pause(isPaused);
  }

  async cancel(id: number): Promise<void> {
    const at = { address: this.chain.bridge, abi: BRIDGE_ABI } as const;
    const sent = this.#sender(this.#keys.guardian).writeContract({
      ...at,
      functionName: 'cancelQueued',
      args: [BigInt(id)],
    });
    await this.chain.reader.waitForTransactionReceipt({ hash: await sent });
  }

  /** Mines blocks until a promise resolves, so that pending transactions are confirmed. */
  async mineUntil<Result>(done: Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const end = done.finally(() => over.abort());
    while (!over.signal.aborted) {
      await this.give(this.#rich.address, 1n);
      const pause = new Promise((resolve) => setTimeout(resolve, MINE_EVERY_MS));
      await Promise.race([pause, end.catch(() => undefined)]);
    }
    return end;
  }

  #sender(key: Hex) {
    const here = this.chain.reader.chain;
    const rpcUrls = { default: { http: [here?.rpcUrls.default.http[0] ?? ''] } };
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const chain = defineChain({ id: here?.id ?? 0, name: 'settlement', nativeCurrency, rpcUrls });
    return createWalletClient({ account: privateKeyToAccount(key), chain, transport: http() });
  }
}
