import { BRIDGE_ABI } from '@oddlot/contracts';
import {
  addressOfTopic,
  type BridgeContracts,
  DEPOSIT_TOPIC,
  FAILED_PERMIT_TOPIC,
  type Permit,
  type PermitDomain,
  permitSigner,
  type PermitState,
  readPermitDomain,
  readPermitState,
  tryPermit,
} from '@oddlot/custody/bridge-contract';
import {
  type ChainClient,
  ChainDisagreementError,
  type ChainReceipt,
  ChainRevertError,
  ChainUnavailableError,
} from '@oddlot/custody/chain';
import type { Relayer } from '@oddlot/custody/relayer';
import { type InfoQueryOf, LIMITS, refusal, type WireError } from '@oddlot/protocol';
import { encodeFunctionData, encodePacked, type Hex, keccak256 } from 'viem';

type PermitDepositsOptions = {
  readonly client: ChainClient;
  readonly relayer: Relayer;
  readonly contracts: BridgeContracts;
  /** Returns the time used to check deadlines, in milliseconds. */
  readonly now: () => number;
  /**
   * Returns true if crediting has stopped, in which case no user funds may be sent to the bridge.
   */
  readonly isStopped?: () => boolean;
  readonly waitMs?: number;
};

export type PermitAnswer =
  | { readonly ok: true; readonly data: { readonly txHash: string } }
  | { readonly ok: false; readonly error: WireError };

const WAIT_MS = 30_000;
/**
 * The maximum number of pending transactions, so that a few users cannot consume the relayer's
 * ether.
 */
const WAITING_MAX = 200;
/** The contract itself requires 400,000 gas before it begins. */
const GAS = 700_000n;
const USD_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const MS_PER_SECOND = 1_000;
const HTTP_UNAVAILABLE = 503;

/**
 * Implements `depositWithPermit`, which submits permits to the bridge on behalf of users without
 * ether. A given permit always refers to the same transaction, whatever its result.
 */
export class PermitDeposits {
  readonly #options: PermitDepositsOptions;
  readonly #sending = new Map<Hex, string>();
  #domain: PermitDomain | undefined = undefined;

  constructor(options: PermitDepositsOptions) {
    this.#options = options;
  }

  async deposit(query: InfoQueryOf<'depositWithPermit'>): Promise<PermitAnswer> {
    try {
      return await this.#deposit(query);
    } catch (error) {
      const isChain =
        error instanceof ChainUnavailableError || error instanceof ChainDisagreementError;
      if (!isChain) throw error;
      return { ok: false, error: unavailable('the settlement chain is not responding') };
    }
  }

  async #deposit(query: InfoQueryOf<'depositWithPermit'>): Promise<PermitAnswer> {
    if (this.#options.isStopped?.() === true) {
      return { ok: false, error: unavailable('deposits are stopped') };
    }
    const permit = permitOf(query);
    const { failed, key } = await this.#turnOf(permit);
    if (this.#options.relayer.find(key) === undefined) {
      const error = this.#checkTerms(permit) ?? (await this.#send(key, permit));
      if (error !== undefined) return { ok: false, error: failed ?? error };
    }
    return query.waitForReceipt ? this.#receiptOf(key, permit) : this.#broadcast(key);
  }

  /**
   * Finds the transaction of a permit: its last one, or a new one if that one failed permanently. A
   * permit that the chain rejected, for example during a pause, remains valid until its deadline,
   * so it is checked again.
   */
  async #turnOf(permit: Permit): Promise<{ readonly key: string; readonly failed?: WireError }> {
    const { client, relayer } = this.#options;
    const first = keyOf(permit);
    for (let turn = 1, failed: WireError | undefined = undefined; ; turn++) {
      const key = turn === 1 ? first : `${first}:${turn}`;
      const mined = relayer.find(key)?.mined;
      if (mined?.isConfirmed !== true) return failed === undefined ? { key } : { key, failed };
      const receipt = await client.receipt(mined.txHash);
      if (receipt === undefined || hasDeposit(receipt, permit)) return { key };
      failed = refusal('permitFailed', [], { got: mined.txHash });
    }
  }

  /**
   * Sends a permit. Each user can have only one permit in progress, from the first check until it
   * is recorded.
   */
  async #send(key: string, permit: Permit): Promise<WireError | undefined> {
    const { contracts, relayer } = this.#options;
    const { user } = permit;
    const before = this.#sending.get(user);
    if (before !== undefined && before !== key) {
      return unavailable('another permit of this user is being processed');
    }
    this.#sending.set(user, key);
    try {
      const error = await this.#checkPermit(permit);
      if (error !== undefined) return relayer.find(key) === undefined ? error : undefined;
      await relayer.submit({ key, to: contracts.bridge, data: batchData(permit), gas: GAS });
      return undefined;
    } finally {
      this.#sending.delete(user);
    }
  }

  /** Checks a permit's amount, then its deadline. */
  #checkTerms({ deadline, usd }: Permit): WireError | undefined {
    const { depositMicroMin, permitDeadlineSecondsMax, permitDeadlineSecondsMin } = LIMITS;
    if (usd < BigInt(depositMicroMin)) {
      return refusal('depositBelowMin', [], {
        field: 'usd',
        got: String(usd),
        allowed: { min: depositMicroMin },
      });
    }
    if (usd > USD_MAX) {
      const allowed = { max: Number(USD_MAX) };
      return refusal('wrongType', ['usd'], { field: 'usd', got: String(usd), allowed });
    }
    const nowSeconds = Math.floor(this.#options.now() / MS_PER_SECOND);
    const min = nowSeconds + permitDeadlineSecondsMin;
    const max = nowSeconds + permitDeadlineSecondsMax;
    if (deadline >= BigInt(min) && deadline <= BigInt(max)) return undefined;
    const details = { field: 'deadline', got: String(deadline), allowed: { min, max } };
    return refusal('deadlineOutOfRange', [], details);
  }

  /**
   * Verifies the signature and simulates the result, so that the relayer's ether is not spent on
   * transactions that the chain would reject, or on a user's concurrent permits, of which only one
   * can be valid.
   */
  async #checkPermit(permit: Permit): Promise<WireError | undefined> {
    const { client, contracts, relayer } = this.#options;
    const waiting = relayer.waiting().filter(({ mined }) => mined === undefined);
    if (waiting.length >= WAITING_MAX) return unavailable('too many deposits are pending');
    const isBusy = waiting.some(({ key }) => key.startsWith(keysOf(permit.user)));
    if (isBusy) return unavailable('another permit of this user is being processed');
    this.#domain ??= await readPermitDomain(client, contracts.token);
    const domain = this.#domain;
    const state = await readPermitState(client, contracts, permit.user);
    // Another sender may already have submitted the permit to the token, so the bridge also accepts
    // the previous nonce.
    const nonces = state.nonce === 0n ? [state.nonce] : [state.nonce, state.nonce - 1n];
    const signers = await Promise.all(
      nonces.map((each) =>
        permitSigner(permit, { domain, nonce: each, spender: contracts.bridge }),
      ),
    );
    const nonce = nonces[signers.indexOf(permit.user)];
    if (nonce === undefined) {
      return refusal('signerNotUser', [], { field: 'signature', got: signers[0] ?? null });
    }
    return this.#foresee(permit, { ...state, signed: nonce });
  }

  async #foresee(
    permit: Permit,
    state: PermitState & { readonly signed: bigint },
  ): Promise<WireError | undefined> {
    const { allowance, balance, nonce, signed, unused } = state;
    const isHandedIn = signed < nonce;
    if (signed < unused) {
      return refusal('permitFailed', [], {
        field: 'signature',
        why: 'the permit was already used',
      });
    }
    const available = isHandedIn && allowance < balance ? allowance : balance;
    if (available < permit.usd) {
      const details = { field: 'usd', required: String(permit.usd), available: String(available) };
      return refusal('permitFailed', [], details);
    }
    try {
      await tryPermit(this.#options.client, this.#options.contracts, { permit, isHandedIn });
    } catch (error) {
      if (!(error instanceof ChainRevertError)) throw error;
      return refusal('permitFailed', [], { why: error.message });
    }
    return undefined;
  }

  #broadcast(key: string): PermitAnswer {
    const record = this.#options.relayer.find(key);
    const txHash = record?.mined?.txHash ?? record?.attempts.at(-1)?.txHash;
    if (txHash === undefined)
      return { ok: false, error: unavailable('the transaction was not sent') };
    return { ok: true, data: { txHash } };
  }

  async #receiptOf(key: string, permit: Permit): Promise<PermitAnswer> {
    const { client, relayer, waitMs = WAIT_MS } = this.#options;
    void relayer.step().catch(() => undefined);
    const record = await relayer.whenMined(key, AbortSignal.timeout(waitMs));
    const txHash = record?.mined?.txHash;
    if (txHash === undefined) {
      const sent = record?.attempts.at(-1)?.txHash ?? 'nothing';
      return {
        ok: false,
        error: unavailable(`${sent} is not in a block yet; send the request again`),
      };
    }
    const receipt = await client.receipt(txHash);
    if (receipt === undefined)
      return { ok: false, error: unavailable(`${txHash} is no longer in a block`) };
    if (hasDeposit(receipt, permit)) return { ok: true, data: { txHash } };
    return { ok: false, error: refusal('permitFailed', [], { got: txHash }) };
  }
}

/**
 * Returns true if the bridge received the funds. A failure is reported by an event in the same
 * transaction.
 */
function hasDeposit({ logs, succeeded }: ChainReceipt, { user, usd }: Permit): boolean {
  if (!succeeded) return false;
  const own = logs.filter(({ topics }) => {
    const [topic = '0x', who = '0x'] = topics;
    return (
      (topic === DEPOSIT_TOPIC || topic === FAILED_PERMIT_TOPIC) && addressOfTopic(who) === user
    );
  });
  return own.some(({ data, topics }) => topics[0] === DEPOSIT_TOPIC && BigInt(data) === usd);
}

function permitOf({ deadline, signature, usd, user }: InfoQueryOf<'depositWithPermit'>): Permit {
  const { r, s, v } = signature;
  return {
    user: user.toLowerCase() as Hex,
    usd: BigInt(usd),
    deadline: BigInt(deadline),
    signature: { r: word(r), s: word(s), v },
  };
}

function word(text: string): Hex {
  return `0x${text.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;
}

/** Returns a key that is the same for each permit, regardless of who sends it and how often. */
function keyOf({ deadline, signature, usd, user }: Permit): string {
  const { r, s, v } = signature;
  const packed = encodePacked(
    ['address', 'uint256', 'uint256', 'bytes32', 'bytes32', 'uint8'],
    [user, usd, deadline, r, s, v],
  );
  return `${keysOf(user)}${keccak256(packed)}`;
}

const keysOf = (user: Hex): string => `permit:${user}:`;

function batchData({ deadline, signature, usd, user }: Permit): Hex {
  const { r, s, v } = signature;
  const parts = { r: BigInt(r), s: BigInt(s), v };
  return encodeFunctionData({
    abi: BRIDGE_ABI,
    functionName: 'batchedDepositWithPermit',
    args: [[{ user, usd, deadline, signature: parts }]],
  });
}

function unavailable(why: string): WireError {
  return refusal('unavailable', [], { why }, HTTP_UNAVAILABLE);
}
