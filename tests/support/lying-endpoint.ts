import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { getAbiItem, toFunctionSelector, toHex } from 'viem';

/** What an endpoint says when it is asked whether the token would make a transfer. */
export type Lie = 'none' | 'refused' | 'taken';

const TRANSFER = toFunctionSelector(getAbiItem({ abi: TEST_USDC_ABI, name: 'transfer' }));

/** An endpoint that says of transfers what it is told to, and of everything else what another one says. */
export class LyingEndpoint {
  lie: Lie = 'none';
  url = '';
  /** How often it lied. */
  lied = 0;
  readonly #target: string;
  readonly #server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    response.setHeader('content-type', 'application/json');
    response.end(await this.#answer(body));
  });

  constructor(target: string) {
    this.#target = target;
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(body: string): Promise<string> {
    type Asked = { id: number; method: string; params?: [{ data?: string }] };
    const { id, method, params } = JSON.parse(body) as Asked;
    const isTransfer = method === 'eth_call' && params?.[0].data?.startsWith(TRANSFER) === true;
    if (!isTransfer || this.lie === 'none') {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(this.#target, { method: 'POST', headers, body })).text();
    }
    this.lied += 1;
    const error = { code: 3, message: 'execution reverted', data: '0x' };
    const told = this.lie === 'refused' ? { error } : { result: toHex(1, { size: 32 }) };
    return JSON.stringify({ jsonrpc: '2.0', id, ...told });
  }
}
