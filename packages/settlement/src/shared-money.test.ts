import { randomInt } from 'node:crypto';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { ChainClient } from '@oddlot/custody/chain';
import { Relayer } from '@oddlot/custody/relayer';
import { bridgeWorld, ModelChain } from '@oddlot/testing/custody';
import { type Command, grantedMicroUsdc, owedMicroUsdc } from '@oddlot/engine';
import type { RecordStore } from '@oddlot/host/durable';
import { address, hash } from '@oddlot/units';
import { encodeFunctionData, type Hex, keccak256, toHex } from 'viem';
import { testTimeoutMs } from '@oddlot/testing/host';
import { beforeAll, describe, expect, test } from 'vitest';
import { RecordStream } from '@oddlot/cluster/shared-records';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { hasNatsServer } from '@oddlot/testing/venue/nats/has-nats-server';
import { withNatsServer } from '@oddlot/testing/venue/nats/with-nats-server';
import {
  accountOf,
  addressOf,
  CHAIN_ID,
  CONTRACTS,
  key,
  KEYS,
  remembered,
  validatorOf,
} from '@oddlot/testing/venue/payout-people';
import { DepositWatcher } from './deposit-watcher.ts';
import { FaucetBacking } from './faucet-backing.ts';
import { PayoutWorker } from './payout/payout-worker.ts';

/**
 * Tests R-deposit and R-withdraw in a cluster: the holder of the settlement lease terminates or is
 * suspended at each of its steps in turn: before and after every chain query, every record it
 * writes, every signature and every command. Another replica then takes over the records and
 * continues. Each run has a deposit, a withdrawal, and a grant of test funds to back.
 */

const server = withNatsServer();
const START_MS = 1_800_000_000_000;
const USER = address(addressOf(key('alice')));
const DESTINATION = addressOf(key('destination of a cluster'));
const NAMES = ['payouts', 'watched', 'relayer', 'minter'] as const;
const ROUNDS_MAX = 40;
const MICRO = 1_000_000;
const FEE = 100_000;

/**
 * A long run covers all of the several hundred steps; a normal run covers every eighth.
 * `STEPS_FROM=3` reruns one offset.
 */
const EVERY = process.env['TEST_LONG'] === undefined ? 8 : 1;
const FIRST = Number(process.env['STEPS_FROM'] ?? randomInt(EVERY));

beforeAll(() => {
  process.stdout.write(`steps of a holder: STEPS_FROM=${FIRST}, every ${EVERY}\n`);
});

class EndedError extends Error {}

/** Counts the steps of a holder; `at` is called at the chosen step and at all later ones. */
class Steps {
  #left: number;
  readonly #at: () => Promise<void>;
  /** True if no step is performed after the chosen one. */
  readonly isLast: boolean;

  constructor(left: number, at: () => Promise<void>, isLast = false) {
    this.#left = left;
    this.#at = at;
    this.isLast = isLast;
  }

  async pass(): Promise<void> {
    this.#left -= 1;
    if (this.isReached) await this.#at();
  }

  get isReached(): boolean {
    return this.#left < 0;
  }
}

type Holder = {
  round(): Promise<void>;
  /** Returns true if the holder can do nothing more. */
  hasEnded(): boolean;
  readonly watcher: DepositWatcher;
};

class World {
  nowMs = START_MS;
  readonly replica = new TestReplica();
  readonly chain: ModelChain<unknown>;
  readonly #stream: RecordStream;
  #terms = 0;
  #sent = 0;

  private constructor(stream: RecordStream) {
    this.#stream = stream;
    const world = bridgeWorld({
      contracts: CONTRACTS,
      chainId: CHAIN_ID,
      validators: KEYS.validators.map(addressOf),
      guardian: addressOf(KEYS.guardian),
      minter: addressOf(KEYS.minter),
      everybody: 10n ** 15n,
    });
    const everything = { ...world, codeOf: (): Hex => '0x' };
    this.chain = new ModelChain(everything, () => this.nowMs) as unknown as ModelChain<unknown>;
    const { bridge, token } = CONTRACTS;
    const contracts = { bridge: address(bridge), token: address(token) };
    this.replica.apply({ type: 'openBridge', chainId: CHAIN_ID, ...contracts });
    this.replica.credit(USER);
  }

  static async open(cluster: string): Promise<World> {
    const options = { cluster, replica: 'a', replicas: 1 };
    return new World(await RecordStream.open(server.connection, options));
  }

  /** Returns another replica, with the records left by earlier ones. */
  async hold(steps = new Steps(Infinity, async () => undefined)): Promise<Holder> {
    this.#terms += 1;
    const term = { number: this.#terms, isOver: () => false };
    const taken = NAMES.map(async (name) => {
      const store = await this.#stream.take(name, { term, onLost: () => undefined });
      return [name, mortal(store, steps)] as const;
    });
    const files = Object.fromEntries(await Promise.all(taken)) as Record<
      (typeof NAMES)[number],
      RecordStore
    >;
    const client = new ChainClient({
      endpoints: [
        {
          name: 'model',
          request: async (method, params) => {
            await steps.pass();
            const answer = await this.chain.rpc(method, params);
            await steps.pass();
            return answer;
          },
        },
      ],
      chainId: CHAIN_ID,
      confirmations: 1,
    });
    return this.#holder(client, files, steps);
  }

  #holder(
    client: ChainClient,
    files: Record<(typeof NAMES)[number], RecordStore>,
    steps: Steps,
  ): Holder {
    const now = (): number => this.nowMs;
    const state = () => this.replica.state;
    const relayer = new Relayer({
      client,
      account: accountOf(KEYS.relayer),
      file: files.relayer,
      now,
    });
    const minter = new Relayer({
      client,
      account: accountOf(KEYS.minter),
      file: files.minter,
      now,
    });
    const propose = async (command: Command) => {
      await steps.pass();
      const done = await this.replica.propose(command);
      await steps.pass();
      return done;
    };
    const watcher = new DepositWatcher({
      client,
      contracts: CONTRACTS,
      fromBlock: 0,
      rules: {
        minMicroUsdc: 5 * MICRO,
        isMinter: true,
        operators: new Set([address(addressOf(KEYS.minter))]),
        formerBridges: new Set(),
      },
      file: files.watched,
      state,
      propose,
    });
    const payouts = new PayoutWorker({
      client,
      contracts: CONTRACTS,
      fromBlock: 0,
      file: files.payouts,
      state,
      propose,
      now,
      relayer,
      validators: KEYS.validators.map((secret) => {
        const validator = validatorOf(secret);
        return {
          name: validator.name,
          sign: async (request, signal) => {
            await steps.pass();
            return remembered(validator, request, signal);
          },
        };
      }),
      patienceMs: 120_000,
      retryMs: 1_000,
    });
    const backing = new FaucetBacking({ state, watcher, minter, contracts: CONTRACTS });
    const round = async (): Promise<void> => {
      for (const part of [minter, watcher, backing, relayer, payouts]) await part.step();
    };
    return { round, watcher, hasEnded: () => steps.isReached && steps.isLast };
  }

  act(): void {
    this.nowMs += 60_000;
    this.replica.nowMs = this.nowMs;
    this.#sent += 1;
    const args = [CONTRACTS.bridge, BigInt(5 * MICRO + this.#sent)] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'transfer', args });
    this.chain.act({ from: USER as Hex, to: CONTRACTS.token, data });
    this.chain.mine();
    this.replica.apply({
      type: 'withdraw',
      authority: {
        signer: USER,
        nonce: this.nowMs,
        txHash: hash(keccak256(toHex(`withdraw ${this.nowMs}`))),
      },
      destination: address(DESTINATION),
      amountMicroUsdc: 3 * MICRO,
    });
    this.replica.apply({
      type: 'creditFaucet',
      account: USER,
      subAccount: 'perp',
      amountMicroUsdc: 7 * MICRO,
    });
  }

  async balanceOf(owner: Hex): Promise<bigint> {
    const call = { abi: TEST_USDC_ABI, functionName: 'balanceOf', args: [owner] } as const;
    const params = [{ to: CONTRACTS.token, data: encodeFunctionData(call) }, 'latest'];
    return BigInt((await this.chain.rpc('eth_call', params)) as Hex);
  }

  isDone({ watcher }: Holder): boolean {
    const { block, book, head, isCurrent } = watcher.status;
    const isBacked = BigInt(book.minted) === grantedMicroUsdc(this.replica.state);
    const isPaid = this.replica.state.withdrawals.size === 0;
    return isCurrent && block === head && isBacked && isPaid;
  }

  /** Runs rounds until no work is left. Throws any error that a round reports. */
  async finish(holder: Holder): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await holder.round();
      if (holder.hasEnded()) throw new EndedError('it has ended');
      this.chain.mine();
      this.nowMs += 1_000;
      if (this.isDone(holder)) return;
    }
    const { book, ...status } = holder.watcher.status;
    const left = [...this.replica.state.withdrawals.keys()];
    const snapshot = { ...status, book, left };
    throw new Error(`something is stuck: ${JSON.stringify(snapshot)}`);
  }

  async expectOnce(): Promise<void> {
    const times = this.#sent;
    const paid = BigInt(times * (3 * MICRO - FEE));
    expect(await this.balanceOf(DESTINATION)).toBe(10n ** 15n + paid);
    const deposited = BigInt((times * (times + 1)) / 2 + times * 5 * MICRO);
    expect(this.replica.state.bridge?.creditedTotal).toBe(deposited);
    // Liabilities include withdrawal fees.
    const minted = grantedMicroUsdc(this.replica.state);
    expect(owedMicroUsdc(this.replica.state)).toBe(deposited + minted - paid);
    expect(await this.balanceOf(CONTRACTS.bridge)).toBe(10n ** 15n + deposited + minted - paid);
  }
}

function mortal(store: RecordStore, steps: Steps): RecordStore {
  return {
    name: store.name,
    read: () => store.read(),
    append: async (records) => {
      await steps.pass();
      await store.append(records);
      await steps.pass();
    },
    replace: (records) => store.replace(records),
    shorten: (records) => store.shorten(records),
    setAside: () => store.setAside(),
    close: () => store.close(),
  };
}

describe.skipIf(!hasNatsServer)("the holder of a cluster's settlement chain", () => {
  test(
    'if a holder terminates at any step, the next holder credits, pays and mints the remainder exactly once',
    async () => {
      const world = await World.open('ends');
      let isWhole = false;
      for (let step = FIRST; !isWhole; step += EVERY) {
        const end = (): Promise<void> => Promise.reject(new EndedError('it has ended'));
        const steps = new Steps(step, end, true);
        const holder = await world.hold(steps);
        world.act();
        isWhole = await world.finish(holder).then(
          () => true,
          () => false,
        );
        expect(isWhole).toBe(!steps.isReached);
        await world.finish(await world.hold());
        await world.expectOnce();
      }
    },
    testTimeoutMs(300_000),
  );

  test(
    'if a holder is suspended at any step and resumes while another holder is working, nothing happens twice',
    async () => {
      const world = await World.open('frozen');
      let isWhole = false;
      for (let step = FIRST; !isWhole; step += EVERY) {
        const frozen = Promise.withResolvers<void>();
        const awake = Promise.withResolvers<void>();
        const steps = new Steps(step, () => {
          frozen.resolve();
          return awake.promise;
        });
        const zombie = await world.hold(steps);
        world.act();
        const going = world.finish(zombie).catch(() => undefined);
        await Promise.race([frozen.promise, going]);
        isWhole = !steps.isReached;
        const next = await world.hold();
        await world.finish(next);
        awake.resolve();
        // The suspended holder completes its round, and performs another as if nothing had
        // happened.
        await going;
        await zombie.round().catch(() => undefined);
        world.chain.mine();
        await world.finish(next);
        await world.expectOnce();
      }
    },
    testTimeoutMs(300_000),
  );
});
