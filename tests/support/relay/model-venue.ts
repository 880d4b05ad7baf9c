import {
  bytesToHex,
  encodeMsgpack,
  hashEnvelope,
  createHasher,
  NETWORKS,
  recoverSigner,
  type SignatureHex,
  type StructValues,
} from '@oddlot/protocol';
import { formatMoney, parseExact } from '@oddlot/units';
import type { Hex } from 'viem';
import { BRIDGE, type ModelChain, TOKEN } from './model-chain.ts';

/** A minimal venue with balances, signed transfers, receipts and on-chain deposits. */

type Receipt = { readonly error: string | undefined };
type Row = { readonly time: number; readonly hash: string; readonly delta: object };
type Envelope = {
  readonly action: StructValues & {
    readonly destination: Hex;
    readonly amount: string;
    readonly fromAccountType: string;
    readonly toAccountType: string;
  };
  readonly signature: SignatureHex;
  readonly nonce: number;
};

export class ModelVenue {
  onLedgerQuestion: ((user: Hex) => void) | undefined = undefined;
  readonly #balances = new Map<string, bigint>();
  readonly #rows = new Map<string, Row[]>();
  readonly #receipts = new Map<string, Receipt>();
  readonly #credited = new Set<string>();
  readonly #hasher = createHasher(NETWORKS.testnet);
  #time = 0;

  balanceOf(user: Hex, sub = 'perp'): bigint {
    return this.#balances.get(`${user} ${sub}`) ?? 0n;
  }

  give(user: Hex, amount: bigint): void {
    this.#add(user, 'perp', amount);
  }

  credit(chain: ModelChain, confirmations: number): void {
    for (const { hash, usd, user } of chain.deposits(confirmations)) {
      if (this.#credited.has(hash)) continue;
      this.#credited.add(hash);
      this.deposit(user, hash, usd);
    }
  }

  deposit(user: Hex, hash: Hex, usd: bigint): void {
    this.#add(user, 'perp', usd);
    this.#note(user, hash, { type: 'deposit', amount: formatMoney(usd), token: 'USDC' });
  }

  send(from: Hex, to: Hex, amount: bigint, subs = { from: 'perp', to: 'perp' }): void {
    const hash = `0x${(++this.#time).toString(16).padStart(64, '0')}`;
    this.#transfer({ from, to, amount, hash, subs });
  }

  async post(path: string, text: string): Promise<Record<string, unknown>> {
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (path === '/exchange') return this.#exchange(body as unknown as Envelope);
    const { accountType, txHash, type, user } = body;
    switch (type) {
      case 'userNonFundingLedgerUpdates':
        return this.#ledger(body);
      case 'clearinghouseState':
        return ok({ withdrawable: formatMoney(this.balanceOf(user as Hex, String(accountType))) });
      case 'actionStatus': {
        const receipt = this.#receipts.get(String(txHash));
        if (receipt === undefined) return ok({ status: 'unknown' });
        return ok({ status: receipt.error === undefined ? 'executed' : 'failed' });
      }
      case 'settings':
        return ok(SETTINGS);
      case 'agentOwner':
        return ok({ owner: null });
      default:
        throw new Error(`no such query: ${String(type)}`);
    }
  }

  /**
   * Returns a page of the ledger by offset or by cursor. The cursor is the number of older rows.
   */
  #ledger(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const user = String(query['user']);
    this.onLedgerQuestion?.(user as Hex);
    const rows = this.#rows.get(user) ?? [];
    const { cursor, limit, offset = 0 } = query;
    const end = typeof cursor === 'string' ? Number(cursor) : rows.length - Number(offset);
    const start = Math.max(0, end - Number(limit));
    const data = rows.slice(start, Math.max(0, end)).reverse();
    return { ...ok(data), nextCursor: start === 0 ? null : String(start) };
  }

  #exchange({ action, nonce, signature }: Envelope): Record<string, unknown> {
    const msgpack = encodeMsgpack(action);
    const envelope = { nonce, signature };
    const { digest, txHash } = hashEnvelope({ msgpack, action, envelope }, this.#hasher);
    const hash = bytesToHex(txHash);
    const known = this.#receipts.get(hash);
    if (known !== undefined) return executed(known.error);
    const from = recoverSigner(digest, signature) as Hex;
    const amount = parseExact(action.amount, 6) ?? 0n;
    const subs = { from: action.fromAccountType, to: action.toAccountType };
    if (this.balanceOf(from, subs.from) < amount) {
      return { status: 'err', code: 10010, name: 'MARGIN', message: 'Insufficient balance' };
    }
    // Some requests are rejected in their block, as on a halted venue. They get a receipt but have
    // no effect.
    const isRefused = nonce % 7 === 3;
    this.#receipts.set(hash, { error: isRefused ? 'Trading is halted' : undefined });
    if (!isRefused) this.#transfer({ from, to: action.destination, amount, hash, subs });
    return executed(isRefused ? 'Trading is halted' : undefined);
  }

  #transfer(move: {
    readonly from: Hex;
    readonly to: Hex;
    readonly amount: bigint;
    readonly hash: string;
    readonly subs: { readonly from: string; readonly to: string };
  }): void {
    const { amount, from, hash, subs, to } = move;
    this.#add(from, subs.from, -amount);
    this.#add(to, subs.to, amount);
    const kinds = { fromAccountType: subs.from, toAccountType: subs.to };
    const delta = { amount: formatMoney(amount), user: from, destination: to, ...kinds };
    this.#note(from, hash, { type: 'send', ...delta });
    this.#note(to, hash, { type: 'receive', ...delta });
  }

  #add(user: Hex, sub: string, amount: bigint): void {
    this.#balances.set(`${user} ${sub}`, this.balanceOf(user, sub) + amount);
  }

  #note(user: Hex, hash: string, delta: object): void {
    const rows = this.#rows.get(user) ?? [];
    this.#rows.set(user, [...rows, { time: this.#time, hash, delta }]);
  }
}

function ok(data: unknown): Record<string, unknown> {
  return { success: true, code: 0, data };
}

function executed(error: string | undefined): Record<string, unknown> {
  const statuses = [error === undefined ? 'success' : { error }];
  return { status: 'ok', code: 0, data: { type: 'tokenSend', data: { statuses } } };
}

/** Settings for a relay that reaches the model by URL. */
const SETTINGS = {
  service_network: NETWORKS.testnet.serviceNetwork,
  chain_id: NETWORKS.testnet.chainId,
  api_version: NETWORKS.testnet.apiVersion,
  chain_name: 'oddlot',
  settlement_chain_id: 421_614,
  bridge2_contract_address: BRIDGE,
  usdc_contract_address: TOKEN,
};

export const FACTS = {
  network: NETWORKS.testnet,
  chainName: 'oddlot',
  settlementChainId: 421_614,
  bridge: BRIDGE,
  token: TOKEN,
  settlementRpcUrl: undefined,
} as const;
