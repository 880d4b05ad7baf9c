import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NETWORKS } from '@oddlot/protocol';
import { createRelayClient } from '@oddlot/sdk';
import { type Hex, pad } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { TOKEN } from '../support/relay/model-chain.ts';
import { ModelWorld } from '../support/model-world.ts';
import { startRelay, type StartedRelay } from '../support/relay.ts';
import { temporaryData } from '../support/venue-process.ts';

/**
 * Goal: each transfer to a relay withdrawal address is paid once, and payments never exceed the
 * address's balance, despite new transfers and kills of the relay at any time. Method: a relay
 * process with its own files runs between a venue and chains that record every request. Any request
 * may trigger another transfer, and some are the last request before a kill.
 */

const TRANSFERS = Number(process.env['RELAY_TRANSFERS'] ?? 60);
/**
 * The number of requests between kills, and before the first kill. Starting also takes some
 * requests.
 */
const KILL_AFTER = { least: 60, most: 700, first: 300 };
const SEED = 'test test test test test test test test test test test junk';
const FLOAT = mnemonicToAccount(SEED).address.toLowerCase() as Hex;
const ALICE: Hex = `0x${'a1'.repeat(20)}`;
const RECEIVERS: readonly Hex[] = [`0x${'d1'.repeat(20)}`, `0x${'d2'.repeat(20)}`];
const FEE = 100_000n;
const LEAST = 2_000_000n;
const RICH = 10n ** 15n;
const BLOCK_MS = 100;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Returns a deterministic random generator. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function configFile(world: ModelWorld): Promise<string> {
  const data = await temporaryData();
  const file = join(data, 'relay.toml');
  const chain = (name: 'base' | 'arbitrum'): string =>
    `[[chains]]\nname = "${name}"\nrpc = ["${world.urls[name]}"]\ntoken = "${TOKEN}"\nconfirmations = 1\n`;
  const own = `venue = "${world.urls.venue}"\noperations = "${world.urls.venue}"\ndata = "${data}/book"\n`;
  const pace = `port = 0\neveryMs = 50\nlimits = false\nlogLevel = "silent"\nseed = "env:SEED"\n`;
  const name = `serviceNetwork = "${NETWORKS.testnet.serviceNetwork}"\n`;
  await writeFile(file, `${own}${pace}${name}${chain('arbitrum')}${chain('base')}`);
  return file;
}

async function paymentsTo(world: ModelWorld, receiver: Hex): Promise<readonly bigint[]> {
  const { base } = world.chains;
  const range = { fromBlock: '0x0', toBlock: `0x${base.head.toString(16)}` };
  const filter = { ...range, topics: [TRANSFER, null, pad(receiver)] };
  const logs = (await base.rpc('eth_getLogs', [filter])) as readonly { readonly data: Hex }[];
  return logs.map(({ data }) => BigInt(data));
}

test(
  `R-conservation: ${TRANSFERS} transfers to relay withdrawal addresses, amid new rows and kills, are each paid once`,
  async () => {
    const world = await new ModelWorld([{ owner: FLOAT, usdc: RICH }]).open();
    world.venue.give(ALICE, RICH);
    const flags = ['--config', await configFile(world)];
    const start = (): Promise<StartedRelay> => startRelay(flags, { SEED });
    const random = seededRandom(TRANSFERS);
    const sent: bigint[][] = RECEIVERS.map(() => []);
    const count = (): number => sent.flat().length;
    let pegs: Hex[] = [];
    const send = (): void => {
      const to = Math.floor(random() * RECEIVERS.length);
      const amount = LEAST + BigInt(count());
      sent[to]!.push(amount);
      world.venue.send(ALICE, pegs[to]!, amount);
    };
    let relay = await start();
    const client = createRelayClient({ url: relay.url });
    for (const dstAddr of RECEIVERS) {
      const ends = { srcChain: 'oddlot', dstChain: 'base', asset: 'USDC' } as const;
      pegs = [...pegs, (await client.pegAddress({ ...ends, dstAddr })).pegAddress as Hex];
    }
    while (count() < (TRANSFERS * 2) / 3) send();
    const nextKill = (): number =>
      Math.floor(KILL_AFTER.least + random() * (KILL_AFTER.most - KILL_AFTER.least));
    let left = Math.min(nextKill(), KILL_AFTER.first);
    let kills = 0;
    let dying: Promise<void> | undefined;
    world.onRequest = async (effect) => {
      if (dying !== undefined) return false;
      if (count() < TRANSFERS && random() < 0.2) send();
      left -= 1;
      if (left > 0) return true;
      kills += 1;
      dying = relay.end('SIGKILL');
      if (random() < 0.5) await effect().catch(() => undefined);
      return false;
    };
    const payable = (at: number): bigint =>
      sent[at]!.reduce((sum, amount) => sum + amount - FEE, 0n);
    const isOver = (): boolean =>
      count() === TRANSFERS &&
      pegs.every((peg) => world.venue.balanceOf(peg) === 0n) &&
      RECEIVERS.every((receiver, at) => world.chains.base.usdcOf(receiver) >= payable(at));
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, BLOCK_MS));
      if (dying !== undefined) {
        await dying;
        left = nextKill();
        dying = undefined;
        relay = await start();
      }
      world.chains.base.mine();
      for (const [at, receiver] of RECEIVERS.entries()) {
        expect(world.chains.base.usdcOf(receiver)).toBeLessThanOrEqual(payable(at));
      }
      // A client's query makes the relay check its addresses sooner.
      const own = createRelayClient({ url: relay.url, retriesMax: 0 });
      await own.transfers({ user: ALICE, pageSize: 1 }).catch(() => undefined);
      for (const peg of pegs)
        await own.transfers({ user: peg, pageSize: 1 }).catch(() => undefined);
    }
    world.onRequest = async () => true;
    await relay.end();
    relay = await start();
    for (let blocks = 0; blocks < 10; blocks++) {
      await new Promise((resolve) => setTimeout(resolve, BLOCK_MS));
      world.chains.base.mine();
    }
    for (const [at, receiver] of RECEIVERS.entries()) {
      const paid = (await paymentsTo(world, receiver)).toSorted((a, b) => Number(a - b));
      expect(paid).toEqual(sent[at]!.map((amount) => amount - FEE));
    }
    expect(kills).toBeGreaterThan(0);
    await relay.end();
    world.close();
  },
  60_000 + 1_000 * TRANSFERS,
);
