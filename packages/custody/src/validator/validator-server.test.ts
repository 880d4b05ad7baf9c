import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as ask } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createLogger } from '@oddlot/host/log';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROOF_HEADER, proofOf } from '../signing/validator-wire.ts';
import { type RunningValidator, startValidator } from './start-validator.ts';
import { readValidatorSettings } from './validator-settings.ts';

/**
 * Untrusted clients can reach a validator's port, so the work that they cause is bounded before
 * they are authenticated.
 */

const KEY: Hex = `0x${'51'.repeat(32)}`;
const RELAYER = privateKeyToAccount(`0x${'e1'.repeat(32)}`);
const OTHER_ACCOUNT = privateKeyToAccount(`0x${'e2'.repeat(32)}`);
const BRIDGE = `0x${'b1'.repeat(20)}`;

let folder = '';
let logged = '';
let running: RunningValidator;
let finding: string | null = null;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oddlot-validator-'));
  logged = '';
  finding = null;
  const places = ['--key', 'env:KEY', '--chain-id', '421614', '--bridge', BRIDGE, '--port', '0'];
  const names = ['--host-names', 'validator.example.internal'];
  const named = ['--service-network', 'example.org-3fa9c1d2', '--relayer', RELAYER.address];
  const venue = ['--venues', 'http://127.0.0.1:1', '--data', join(folder, 'book')];
  const config = readValidatorSettings([...places, ...named, ...venue, ...names]);
  const destination = new Writable({
    write(chunk, _, done) {
      logged += String(chunk);
      done();
    },
  });
  const log = createLogger({ level: 'trace', destination });
  const openLedger = async () => ({
    assertPayable: () => Promise.resolve(),
    unpaidWithdrawal: () => Promise.reject(new Error('not asked here')),
    evidenceFor: () => Promise.reject(new Error('not asked here')),
    health: () => ({ height: 7, finding }),
    stop: () => Promise.resolve(),
  });
  running = await startValidator(config, { env: { KEY }, log, now: () => 1, openLedger });
});
afterEach(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends the path unchanged, because `fetch` would normalize it. */
async function statusOf(path: string): Promise<number | undefined> {
  const sent = ask(running.url, { path, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
  return response.statusCode;
}

test('requests with invalid paths get status 404', async () => {
  for (const path of ['//', '//[', '/sign', '*', '/healthz/', 'http://[/']) {
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  }
  expect(await statusOf('/healthz?now')).toBe(200);
});

test('a validator that has found the log of its venue to be wrong is unhealthy and reports the reason', async () => {
  const healthz = async (): Promise<unknown> => {
    const response = await fetch(`${running.url}/healthz`);
    return { status: response.status, body: await response.json() };
  };
  expect(await healthz()).toMatchObject({
    status: 200,
    body: { ok: true, replica: { height: 7, finding: null } },
  });
  finding = 'block 7: a deposit that the chain does not have';
  expect(await healthz()).toMatchObject({
    status: 503,
    body: { ok: false, replica: { height: 7, finding } },
  });
});

test('a request without a proof is answered before its body is read, and is not logged', async () => {
  const sent = ask(running.url, {
    path: '/sign',
    method: 'POST',
    agent: false,
    headers: { 'content-length': 100, [PROOF_HEADER]: '0x12' },
  });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  sent.destroy();
  const body = JSON.stringify({ type: 'payout', told: 'to be written down' });
  const headers = { [PROOF_HEADER]: await proofOf(OTHER_ACCOUNT, body) };
  expect((await fetch(`${running.url}/sign`, { method: 'POST', headers, body })).status).toBe(401);
  expect(logged).not.toContain('to be written down');
  // Requests from the venue are logged.
  const known = { [PROOF_HEADER]: await proofOf(RELAYER, body) };
  const refused = await fetch(`${running.url}/sign`, { method: 'POST', headers: known, body });
  expect(refused.status).toBe(400);
  expect(logged).toContain('to be written down');
});

test('the list of signatures is available only to clients on the same machine and to the venue', async () => {
  const signed = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${running.url}/signed`, { headers })).status;
  const elsewhere = { 'x-forwarded-for': '203.0.113.7' };
  expect(await signed({})).toBe(200);
  expect(await signed(elsewhere)).toBe(401);
  expect(await signed({ forwarded: 'for=203.0.113.7' })).toBe(401);
  expect(await signed({ 'x-real-ip': '203.0.113.7' })).toBe(401);
  expect(await signed({ via: '1.1 proxy' })).toBe(401);
  const unauthorized = await proofOf(OTHER_ACCOUNT, '/signed');
  expect(await signed({ ...elsewhere, [PROOF_HEADER]: unauthorized })).toBe(401);
  const venue = await proofOf(RELAYER, '/signed');
  expect(await signed({ ...elsewhere, [PROOF_HEADER]: venue })).toBe(200);
});

test("requests from other origins' pages are rejected", async () => {
  const statusFor = async (headers: Record<string, string>, path: string): Promise<unknown> => {
    const sent = ask(running.url, { path, agent: false, headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await text(response);
    return response.statusCode;
  };
  for (const path of ['/healthz', '/signed']) {
    expect(await statusFor({ host: 'localhost:8695' }, path)).toBe(200);
    expect(await statusFor({ host: 'validator.example.internal' }, path)).toBe(200);
    expect(await statusFor({ host: 'evil.example:8695' }, path)).toBe(403);
    expect(await statusFor({ origin: 'https://evil.example' }, path)).toBe(403);
  }
});

test('a single client can use only a share of the connections', async () => {
  const { hostname, port } = new URL(running.url);
  const sockets: Socket[] = [];
  for (let times = 0; times < 128; times++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    await once(socket, 'connect');
  }
  const last = connect(Number(port), hostname);
  expect(await text(last)).toMatch(/^HTTP\/1.1 (429|503) /);
  for (const socket of sockets) socket.destroy();
});
