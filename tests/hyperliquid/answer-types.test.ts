import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid';
import { startVenue } from '@oddlot/testkit';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CALLS } from '../../packages/hyperliquid/src/registry.ts';
import { eventually, type Json } from '../support/client.ts';
import { NODE, REPOSITORY } from '../support/venue-process.ts';

/**
 * Goal: every query and every channel on the port has exactly the fields that Hyperliquid clients
 * expect. Method: an account with positions, orders, funding and a liquidation sends every query
 * and subscription that the port serves. The compiler compares the responses with the types
 * declared in the library @nktkas/hyperliquid.
 */

const REPEATED_MAX = 6;

/** Returns a query's arguments; most queries need only an account or a coin. */
function argumentsOf(name: string, user: string, oid: number): object {
  const coin = 'BTC';
  const period = { user, startTime: 0 };
  const special: Readonly<Record<string, object>> = {
    candleSnapshot: { req: { coin, interval: '1m', startTime: 0 } },
    fundingHistory: { coin, startTime: 0 },
    marginTable: { id: 50 },
    maxBuilderFee: { user, builder: user },
    orderStatus: { user, oid },
    preTransferCheck: { user, source: user },
    userFillsByTime: period,
    userFunding: period,
    userNonFundingLedgerUpdates: period,
    userTwapSliceFillsByTime: period,
  };
  return special[name] ?? { user, coin };
}

const namesOf = (area: string): string[] =>
  CALLS.find(({ title }) => title === area)!
    .calls.filter(({ status }) => status !== 'refused')
    .map(({ name }) => name);

const typeOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

test('all answers and frames have the types that the Hyperliquid library declares', async () => {
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  await using venue = await startVenue({ time: hour, hyperliquid: true, usdc: '3000' });
  const url = venue.hyperliquidUrl;
  for (const market of ['BTC-USDC', 'ETH-USDC']) {
    await venue.fillBook(market, { levels: 5, size: market === 'BTC-USDC' ? '1' : '10' });
  }
  const { address: user, privateKey } = venue.accounts[0]!;
  const lines: string[] = [];
  const assign = (area: string, type: string, value: unknown): void => {
    lines.push(`export const v${lines.length}: ${area}.${type} = ${JSON.stringify(value)};`);
  };

  const seen = new Map<string, Set<string>>();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  socket.on('message', (text) => {
    const { channel, data } = JSON.parse(String(text)) as Json;
    if (channel === 'subscriptionResponse') return;
    const name = channel === 'user' ? 'userEvents' : channel;
    // Frames with the same fields are compared only once.
    const fields = JSON.stringify(data, (_, value) => (typeof value === 'object' ? value : null));
    const known = seen.get(name) ?? new Set();
    seen.set(name, known.add(fields));
    // Other clients read a payment's time, which the library does not declare.
    if (name === 'userEvents') delete data.funding?.time;
    if (known.size <= REPEATED_MAX) assign('Channels', `${typeOf(name)}Event`, data);
  });
  await once(socket, 'open');
  for (const type of namesOf('Channels')) {
    const subscription = { type, user, coin: 'BTC', interval: '1m' };
    socket.send(JSON.stringify({ method: 'subscribe', subscription }));
  }

  let nonce = venue.now;
  const exchange: Json = new ExchangeClient({
    transport: new HttpTransport({ isTestnet: true, apiUrl: url }),
    wallet: privateKeyToAccount(privateKey),
    nonceManager: () => (nonce = Math.max(nonce + 1, venue.now)),
  });
  const act = async (action: string, params: object): Promise<Json> => {
    const answer = await exchange[action](params);
    assign('Exchange', `${typeOf(action)}SuccessResponse`, answer);
    return answer;
  };
  const order = (fields: object): object => ({
    a: 1,
    b: true,
    p: '98000',
    s: '0.02',
    r: false,
    t: { limit: { tif: 'Ioc' } },
    ...fields,
  });
  const gtc = { t: { limit: { tif: 'Gtc' } } };
  const exit = (triggerPx: string, tpsl: string, isMarket: boolean): object =>
    order({ b: false, r: true, p: triggerPx, t: { trigger: { isMarket, triggerPx, tpsl } } });
  const place = (grouping: string, ...orders: object[]) => act('order', { orders, grouping });
  await place('na', order({}));
  await act('updateLeverage', { asset: 2, isCross: false, leverage: 5 });
  await place('na', order({ a: 2, s: '0.3', p: '3600' }));
  await act('updateIsolatedMargin', { asset: 2, isBuy: true, ntli: 10_000_000 });
  const rested = await place('na', order({ ...gtc, p: '95000', c: `0x${'12'.repeat(16)}` }));
  const { oid } = rested.response.data.statuses[0].resting;
  const bracket = [exit('99000', 'tp', true), exit('90000', 'sl', false)];
  await place('normalTpsl', order({ ...gtc, p: '95000' }), ...bracket);
  await place('positionTpsl', ...bracket);
  await act('usdSend', { destination: venue.accounts[1]!.address, amount: '5' });
  await act('approveAgent', { agentAddress: `0x${'ab'.repeat(20)}`, agentName: 'bot' });
  const builder = venue.accounts[1]!.address;
  await act('approveBuilderFee', { builder, maxFeeRate: '0.01%' });

  const askAll = async (): Promise<void> => {
    await venue.settled();
    for (const type of namesOf('Queries')) {
      const body = JSON.stringify({ type, ...argumentsOf(type, user, oid) });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/info`, { method: 'POST', headers, body });
      expect([type, answer.status]).toEqual([type, 200]);
      assign('Info', `${typeOf(type)}Response`, await answer.json());
    }
  };
  await askAll();
  await venue.setPrice('BTC', '96000');
  await venue.advance('2h');
  await askAll();
  await venue.setPrice('BTC', '85000');
  await venue.setPrice('ETH', '2500');
  await venue.advance('2m', { step: '5s' });
  await askAll();
  await eventually(() => expect([...seen.keys()].sort()).toEqual(namesOf('Channels').sort()));
  socket.terminate();

  const imports = [
    ['Info', 'info'],
    ['Exchange', 'exchange'],
    ['Channels', 'subscription'],
  ].map(([name, path]) => `import type * as ${name} from '@nktkas/hyperliquid/api/${path}';`);
  expect(await compilerErrors([...imports, ...lines])).toEqual([]);
});

/** Compiles the lines next to the library, and returns the errors along with their lines. */
async function compilerErrors(lines: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(REPOSITORY, 'node_modules/.cache/answer-types-'));
  try {
    const file = join(folder, 'answers.ts');
    writeFileSync(file, lines.join('\n'));
    const compiler = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const flags =
      '--noEmit --strict --skipLibCheck --module nodenext --target esnext --pretty false';
    const command = [compiler, ...flags.split(' '), '--ignoreConfig', file];
    const { stdout } = await promisify(execFile)(NODE, command).catch((error: Json) => error);
    return String(stdout)
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => {
        const at = Number(/\((\d+),/.exec(text)?.[1] ?? 0);
        return `${text} in ${lines[at - 1]?.slice(0, 60)}`;
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
