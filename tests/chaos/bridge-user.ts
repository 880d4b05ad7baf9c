import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, privateKeyWallet, type Client as SdkClient } from '@oddlot/sdk';
import {
  BaseError,
  createPublicClient,
  formatUnits,
  http,
  LimitExceededRpcError,
  type PublicClient,
} from 'viem';
import { expect } from 'vitest';
import { Client, eventually, type Json } from '../support/client.ts';
import { type MoneyWorld, type FundedUser, usdc } from '../support/money-world.ts';
import type { SeededRandom } from '../support/seeded.ts';

const RESTS_MS = 1_500;
const FEE = usdc('0.1');
const START = '100000';

/** A user who deposits from the settlement chain and withdraws to it throughout all faults. */
export class BridgeUser {
  readonly #who: FundedUser;
  readonly #chain: PublicClient;
  readonly #urls: () => readonly string[];
  readonly #random: SeededRandom;
  readonly #deposits: bigint[] = [];
  #attempts = 0;
  #acknowledged = 0;

  private constructor(
    { chainUrl, who }: { readonly who: FundedUser; readonly chainUrl: string },
    urls: () => readonly string[],
    random: SeededRandom,
  ) {
    this.#who = who;
    this.#chain = createPublicClient({ transport: http(chainUrl) }) as PublicClient;
    this.#urls = urls;
    this.#random = random;
  }

  static async open(
    world: MoneyWorld,
    urls: () => readonly string[],
    random: SeededRandom,
  ): Promise<BridgeUser> {
    const who = await world.fundedUser(START);
    return new BridgeUser({ who, chainUrl: world.url }, urls, random);
  }

  async bank(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      const amount = String(20 + this.#random.below(50));
      await this.#deposit(amount);
      this.#deposits.push(usdc(amount));
      await sleep(this.#random.below(RESTS_MS));
      await this.#withdraw();
      await sleep(this.#random.below(RESTS_MS));
    }
  }

  /**
   * The chain temporarily rejects clients that exceed its limit, such as a replica that was frozen.
   * All processes on this machine count as one client. If the chain did not respond, the sender's
   * nonce shows whether it accepted the transaction.
   */
  async #deposit(amount: string): Promise<void> {
    const { user: address } = this.#who;
    const count = (): Promise<number> =>
      untilAnswered(() => this.#chain.getTransactionCount({ address, blockTag: 'pending' }));
    const before = await count();
    do {
      try {
        await this.#who.transfer(amount);
        return;
      } catch (error) {
        if (!isRefusedForNow(error)) throw error;
        await sleep(RESTS_MS);
      }
    } while ((await count()) === before);
  }

  /**
   * A withdrawal that got no response may have been executed, so the result is checked at the end.
   */
  async #withdraw(): Promise<void> {
    const [first, ...others] = this.#urls();
    if (first === undefined) return;
    const wallet = privateKeyWallet(this.#who.key);
    const client: SdkClient = createClient({ url: first, replicas: others, wallet });
    const amount = String(2 + this.#random.below(10));
    this.#attempts += 1;
    try {
      const to = { destination: this.#who.user, amount };
      const reply = await client.exchange.withdraw3(to, { confirm: 'executed' });
      if (reply.status === 'executed') this.#acknowledged += 1;
    } catch {
      // The account has no balance to withdraw yet, or no replica responds.
    } finally {
      client.close();
    }
  }

  /**
   * Checks that every deposit was credited once, every acknowledged withdrawal was paid once, and
   * nothing else was paid.
   */
  async expectExact(url: string, waitMs: number): Promise<string> {
    const { user } = this.#who;
    const client = new Client(url);
    const withdrawals = await eventually(async () => {
      const rows = await allWithdrawals(client, user);
      // Whole rows are compared, so that a failure shows why a withdrawal is not complete.
      expect(rows.filter(({ status }) => status !== 'confirmed')).toEqual([]);
      return rows;
    }, waitMs);
    expect(withdrawals.length).toBeGreaterThanOrEqual(this.#acknowledged);
    expect(withdrawals.length).toBeLessThanOrEqual(this.#attempts);
    const deposited = sum(this.#deposits);
    const taken = sum(withdrawals.map(({ amount }) => usdc(amount)));
    await eventually(async () => {
      const { withdrawable } = await client.data({ type: 'clearinghouseState', user });
      expect(withdrawable).toBe(formatUnits(deposited - taken, 6));
    }, waitMs);
    const paid = taken - FEE * BigInt(withdrawals.length);
    expect(await this.#who.onChain()).toBe(usdc(START) - deposited + paid);
    return `${this.#deposits.length} deposits and ${withdrawals.length} withdrawals`;
  }
}

async function allWithdrawals(client: Client, user: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const before = rows.at(-1)?.id;
    const page: Json[] = await client.data({
      type: 'withdrawals',
      user,
      limit: 200,
      ...(before !== undefined && { before }),
    });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isRefusedForNow(error)) throw error;
      await sleep(RESTS_MS);
    }
  }
}

function isRefusedForNow(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  return error.walk((cause) => cause instanceof LimitExceededRpcError) !== null;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
