import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from 'viem';
import { type Permit, permitSigner } from '../../bridge-contract/permit.ts';

/**
 * A chain with a bridge as a test sees it: transactions say outright what they do, blocks are lists of them,
 * and the newest blocks can be replaced. It knows nothing of the code that it is a model for.
 */

export const MODEL_CHAIN_ID = 421_614;
export const MODEL_BRIDGE: Hex = `0x${'b1'.repeat(20)}`;
export const MODEL_TOKEN: Hex = `0x${'70'.repeat(20)}`;
/** Addresses from here on have code. */
export const CONTRACT_SENDER: Hex = `0x${'cc'.repeat(20)}`;

/** What a transaction does, said so that a person can check it. */
export type Doing =
  | { readonly does: 'transfer'; readonly from: Hex; readonly amount: bigint }
  | { readonly does: 'depositFor'; readonly from: Hex; readonly user: Hex; readonly amount: bigint }
  | { readonly does: 'permits'; readonly permits: readonly Permit[] }
  | { readonly does: 'nothing' };

export type ModelTransaction = {
  readonly hash: Hex;
  readonly doing: Doing;
  /** Of those that were signed: what a block needs to take them. */
  readonly signed?: { readonly from: Hex; readonly nonce: number; readonly maxFee: bigint };
};

/** Money that reached the bridge: what a naive reader of the chain's book would write down. */
type Received = {
  readonly user: Hex;
  readonly amount: bigint;
  readonly kind: 'event' | 'plain';
};

type ModelLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
};

export type ModelReceipt = {
  readonly transaction: ModelTransaction;
  readonly received: readonly Received[];
  readonly logs: readonly ModelLog[];
  readonly firstLog: number;
};

export type ModelBlock = {
  readonly number: number;
  readonly hash: Hex;
  readonly timeSeconds: number;
  readonly receipts: readonly ModelReceipt[];
  /** Permits and nonces that are used up after it. */
  readonly permitNonces: ReadonlyMap<Hex, bigint>;
  readonly nonces: ReadonlyMap<Hex, number>;
};

const DOMAIN = {
  name: 'USD Coin',
  version: '2',
  chainId: MODEL_CHAIN_ID,
  verifyingContract: MODEL_TOKEN,
} as const;

export class ModelChain {
  blocks: ModelBlock[] = [];
  readonly pool: ModelTransaction[] = [];
  baseFee = 10_000_000n;
  timeSeconds: number;
  #made = 0;

  constructor(timeSeconds: number) {
    this.timeSeconds = timeSeconds;
    const nothing = { receipts: [], permitNonces: new Map(), nonces: new Map() };
    this.blocks.push({ number: 0, hash: this.#newHash(), timeSeconds, ...nothing });
  }

  get head(): ModelBlock {
    return this.blocks.at(-1)!;
  }

  /** A transaction of somebody whose nonces are not at issue. */
  make(doing: Doing): ModelTransaction {
    return { hash: this.#newHash(), doing };
  }

  /** As a node takes it: what it answers where it does not. */
  async submit(raw: Hex): Promise<Hex> {
    const hash = keccak256(raw);
    const { data = '0x', maxFeePerGas: maxFee = 0n, nonce = 0 } = parseTransaction(raw);
    const from = (
      await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
    ).toLowerCase() as Hex;
    const isMined = this.blocks.some(({ receipts }) =>
      receipts.some(({ transaction }) => transaction.hash === hash),
    );
    if (isMined || this.pool.some((each) => each.hash === hash)) throw new Error('already known');
    if (nonce < (this.head.nonces.get(from) ?? 0)) throw new Error('nonce too low');
    if (maxFee < this.baseFee) throw new Error('max fee per gas less than block base fee');
    const signed = { from, nonce, maxFee };
    const before = this.pool.findIndex(
      (each) => each.signed?.from === from && each.signed.nonce === nonce,
    );
    const old = this.pool[before]?.signed?.maxFee;
    if (old !== undefined && maxFee * 10n < old * 11n) {
      throw new Error('replacement transaction underpriced');
    }
    if (before >= 0) this.pool.splice(before, 1);
    this.pool.push({ hash, doing: doingOf(data), signed });
    return hash;
  }

  /** A block of all that can go in. */
  async mine(more: readonly ModelTransaction[] = []): Promise<void> {
    const nonces = new Map(this.head.nonces);
    const ready: ModelTransaction[] = [...more];
    const byNonce = this.pool.toSorted((a, b) => (a.signed?.nonce ?? 0) - (b.signed?.nonce ?? 0));
    for (const each of byNonce) {
      if (each.signed !== undefined) {
        const { from, maxFee, nonce } = each.signed;
        if (nonce !== (nonces.get(from) ?? 0) || maxFee < this.baseFee) continue;
        nonces.set(from, nonce + 1);
      }
      ready.push(each);
    }
    await this.#seal(ready, nonces);
  }

  /** The newest blocks are replaced by these, and by one empty block more than there were. */
  async reorganise(depth: number, branch: readonly (readonly ModelTransaction[])[]): Promise<void> {
    const to = this.head.number - depth;
    const { number } = this.head;
    this.blocks = this.blocks.slice(0, to + 1);
    for (const transactions of branch) {
      const nonces = new Map(this.head.nonces);
      const fit = transactions.filter(({ signed }) => {
        if (signed === undefined) return true;
        if (signed.nonce !== (nonces.get(signed.from) ?? 0)) return false;
        nonces.set(signed.from, signed.nonce + 1);
        return true;
      });
      await this.#seal(fit, nonces);
    }
    while (this.head.number <= number) await this.#seal([], new Map(this.head.nonces));
  }

  async #seal(
    transactions: readonly ModelTransaction[],
    nonces: ReadonlyMap<Hex, number>,
  ): Promise<void> {
    const permitNonces = new Map(this.head.permitNonces);
    const receipts: ModelReceipt[] = [];
    let firstLog = 0;
    for (const transaction of transactions) {
      const at = this.pool.findIndex(({ hash }) => hash === transaction.hash);
      if (at >= 0) this.pool.splice(at, 1);
      const { logs, received } = await this.#run(transaction.doing, permitNonces);
      receipts.push({ transaction, received, logs, firstLog });
      firstLog += logs.length;
    }
    const number = this.head.number + 1;
    const timeSeconds = Math.max(this.timeSeconds, this.head.timeSeconds);
    const block = { number, hash: this.#newHash(), timeSeconds, receipts, permitNonces, nonces };
    this.blocks.push(block);
    for (const [from, nonce] of nonces) {
      for (const late of this.pool.filter(
        ({ signed }) => signed?.from === from && signed.nonce < nonce,
      )) {
        this.pool.splice(this.pool.indexOf(late), 1);
      }
    }
  }

  async #run(
    doing: Doing,
    permitNonces: Map<Hex, bigint>,
  ): Promise<{ readonly logs: readonly ModelLog[]; readonly received: readonly Received[] }> {
    const { does } = doing;
    if (does === 'nothing') return { logs: [], received: [] };
    if (does === 'transfer') {
      const { amount, from } = doing;
      return {
        logs: [transferred(from, amount)],
        received: [{ user: from, amount, kind: 'plain' }],
      };
    }
    if (does === 'depositFor') {
      const { amount, from, user } = doing;
      const logs = [transferred(from, amount), deposited('Deposit', user, amount)];
      return { logs, received: [{ user, amount, kind: 'event' }] };
    }
    const logs: ModelLog[] = [];
    const received: Received[] = [];
    for (const permit of doing.permits) {
      const { usd, user } = permit;
      const nonce = permitNonces.get(user) ?? 0n;
      const signer = await signerOf(permit, nonce);
      const isGood = signer === user && permit.deadline >= BigInt(this.timeSeconds);
      if (!isGood) {
        logs.push(deposited('FailedPermitDeposit', user, usd));
        continue;
      }
      permitNonces.set(user, nonce + 1n);
      logs.push(transferred(user, usd), deposited('Deposit', user, usd));
      received.push({ user, amount: usd, kind: 'event' });
    }
    return { logs, received };
  }

  #newHash(): Hex {
    this.#made += 1;
    return keccak256(toHex(`made ${this.#made}`));
  }
}

const signers = new Map<string, Promise<Hex | undefined>>();

/** The same permits are run on many branches; their signers are computed once. */
function signerOf(permit: Permit, nonce: bigint): Promise<Hex | undefined> {
  const key = `${permit.signature.r}:${permit.user}:${nonce}`;
  const known = signers.get(key);
  if (known !== undefined) return known;
  const found = permitSigner(permit, { domain: DOMAIN, nonce, spender: MODEL_BRIDGE });
  signers.set(key, found);
  return found;
}

function doingOf(data: Hex): Doing {
  if (data === '0x') return { does: 'nothing' };
  const { args, functionName } = decodeFunctionData({ abi: BRIDGE_ABI, data });
  if (functionName !== 'batchedDepositWithPermit') throw new Error(`not modelled: ${functionName}`);
  const permits = args[0].map(({ deadline, signature, usd, user }): Permit => ({
    user: user.toLowerCase() as Hex,
    usd,
    deadline,
    signature: { r: word(signature.r), s: word(signature.s), v: signature.v },
  }));
  return { does: 'permits', permits };
}

const word = (value: bigint): Hex => toHex(value, { size: 32 });

function transferred(from: Hex, amount: bigint): ModelLog {
  const args = { from, to: MODEL_BRIDGE };
  const topics = encodeEventTopics({ abi: TEST_USDC_ABI, eventName: 'Transfer', args }) as Hex[];
  return { address: MODEL_TOKEN, topics, data: word(amount) };
}

function deposited(
  eventName: 'Deposit' | 'FailedPermitDeposit',
  user: Hex,
  amount: bigint,
): ModelLog {
  const topics = encodeEventTopics({ abi: BRIDGE_ABI, eventName, args: { user } }) as Hex[];
  if (eventName === 'Deposit') return { address: MODEL_BRIDGE, topics, data: word(amount) };
  const types = [{ type: 'uint64' }, { type: 'uint32' }] as const;
  return { address: MODEL_BRIDGE, topics, data: encodeAbiParameters(types, [amount, 5]) };
}
