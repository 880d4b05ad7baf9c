import { spawn } from 'node:child_process';
import { createRelayClient, type RelayChainRow, type RelayClient } from '@oddlot/sdk';
import type { Hex, PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Chain, chainAt, post } from './chain.ts';
import { programFile } from './program-file.ts';
import { NODE, REPOSITORY, START_MS_MAX } from './venue-process.ts';

/** A relay started by a venue, as its users see it. */
export type RelayView = {
  readonly url: string;
  readonly client: RelayClient;
  chain(name: string): Promise<Chain>;
  /** Creates a key with test USDC and ether on the second chain. */
  rich(): Promise<{ readonly key: Hex; readonly account: PrivateKeyAccount }>;
};

export type StartedRelay = {
  readonly url: string;
  readonly address: Hex;
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

export async function startRelay(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<StartedRelay> {
  const child = spawn(NODE, [programFile('relay'), ...flags], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end: StartedRelay['end'] = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline && child.exitCode === null) {
    const [, url, address] = /serving at (\S+) \(address (0x\w+)\)/.exec(output) ?? [];
    if (url !== undefined) return { url, address: address as Hex, end };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await end();
  throw new Error('the relay did not serve');
}

/** Waits until the relay named in the venue's settings responds. */
export async function relayOf(venueUrl: string): Promise<RelayView> {
  let [url, rows]: [string, readonly RelayChainRow[]] = ['', []];
  // The relay starts slowly, because the venue runs it at a lower priority.
  const deadline = Date.now() + 2 * START_MS_MAX;
  while (rows.length === 0) {
    if (Date.now() > deadline) throw new Error('the relay did not serve in time');
    const { data } = await post(venueUrl, '/info', { type: 'settings' });
    url = data.relay_url;
    rows =
      url === ''
        ? []
        : await createRelayClient({ url, retriesMax: 0 })
            .chains()
            .catch(() => []);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const client = createRelayClient({ url });
  return {
    url,
    client,
    async chain(name) {
      const row = rows.find((each) => each.chain === name);
      const token = row?.token as Hex;
      return chainAt({ id: row!.chainId!, rpcUrl: row!.rpcUrl!, token, bridge: token });
    },
    async rich() {
      const key = generatePrivateKey();
      const account = privateKeyToAccount(key);
      const fund = { chain: 'base', user: account.address };
      const answer = await post(url, '/api/v1/bridge/request-fund', fund);
      if (answer['success'] !== true) throw new Error('the second chain has no faucet');
      return { key, account };
    },
  };
}
