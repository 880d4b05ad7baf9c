import {
  ERROR_CODES,
  parseServiceRequest,
  refusal,
  type FaucetGrant,
  type WireError,
} from '@oddlot/protocol';
import type { CreditFaucetCommand, Reject, SubAccount } from '@oddlot/engine';
import { GrantedRecentlyError, Grants } from '@oddlot/host/grants';
import {
  type EdgeRequest,
  type Endpoint,
  infoRefusal,
  infoReply,
  type Reply,
  UnavailableError,
} from '@oddlot/host/http';
import { clientKey, isLoopback } from '@oddlot/host/ports';
import { type Address, address, formatMoney } from '@oddlot/units';
import { FaucetGrants } from '@oddlot/history/shared-models';
import type { Replica } from '@oddlot/replica/replica';
import type { MoneySide } from '@oddlot/settlement/money-side';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import { rejectToWire } from '@oddlot/translate/reject-to-wire';

/**
 * Pays test funds, once per hour and address and once per hour and client (POST /request-fund).
 * After a restart, the payouts per address are restored from blocks and chain transactions; the
 * payouts per client are not.
 */

type OnChain = NonNullable<MoneySide['backing']>;

type FaucetOptions = {
  readonly replica: Replica;
  readonly now: () => number;
  /**
   * Records which addresses were credited, if another component already reads the blocks and
   * snapshots.
   */
  readonly grants?: FaucetGrants;
  readonly amountMicroUsdc?: number;
  readonly intervalMs?: number;
  /** Returns why payouts are currently suspended, or undefined if they are not. */
  readonly restricted?: () => WireError | undefined;
  /**
   * Pays test funds on the settlement chain; undefined if the chain does not belong to the venue.
   */
  readonly onChain?: OnChain | undefined;
};

const AMOUNT_MICRO_USDC = 1_000_000_000;
const INTERVAL_MS = 3_600_000;
const HTTP_TOO_MANY = 429;
const NO_CHAIN: [name: string, why: string] = ['onChain', 'there is no local settlement chain'];

const NO_ACCOUNT: [name: string, why: string] = ['accountType', 'the chain has no sub-accounts'];
const ZERO_ADDRESS = address('0x0000000000000000000000000000000000000000');

export class Faucet {
  readonly #replica: Replica;
  readonly #now: () => number;
  readonly #amount: number;
  readonly #intervalMs: number;
  readonly #restricted: () => WireError | undefined;
  readonly #onChain: FaucetOptions['onChain'];
  /** Records which addresses were credited, for components that read the blocks and snapshots. */
  readonly grants: FaucetGrants;
  readonly #byAddress: Grants;
  /** Payouts made on the chain. They are not part of the venue's blocks. */
  readonly #onChainByAddress: Grants;
  readonly #byClient: Grants;

  constructor(options: FaucetOptions) {
    this.#replica = options.replica;
    this.#now = options.now;
    this.#amount = options.amountMicroUsdc ?? AMOUNT_MICRO_USDC;
    this.#intervalMs = options.intervalMs ?? INTERVAL_MS;
    this.#onChain = options.onChain;
    this.#restricted = options.restricted ?? ((): undefined => undefined);
    this.grants = options.grants ?? new FaucetGrants(this.#intervalMs);
    this.#byAddress = this.grants.byAddress;
    this.#byClient = new Grants(this.#intervalMs);
    this.#onChainByAddress = new Grants(this.#intervalMs);
    for (const { atMs, user } of options.onChain?.funded() ?? []) {
      this.#onChainByAddress.add(user, atMs);
    }
  }

  /** Returns the time of the client's next payout, or undefined if one is available now. */
  nextTimeOfClient(ip: string): number | undefined {
    return this.#byClient.nextTime(clientKey(ip), this.#now());
  }

  endpoint(): Endpoint {
    return {
      surface: 'info',
      refuse: infoRefusal,
      handle: (request) => this.#grant(request),
    };
  }

  async #grant({ body, ip, isForwarded = false }: EdgeRequest): Promise<Reply> {
    const parsed = parseServiceRequest('requestFund', body);
    if (!parsed.ok) return infoRefusal(parsed.error);
    const { user, accountType, onChain = false } = parsed.request;
    // A payout in the venue does not replace a payout on the chain.
    const chain = onChain ? this.#onChain : undefined;
    if (onChain && chain === undefined)
      return infoRefusal(refusal('invalidValue', NO_CHAIN, { field: 'onChain' }));
    const nowMs = this.#now();
    // A request forwarded by a local proxy does not count as local.
    const isLimited = isForwarded || !isLoopback(ip);
    const client = clientKey(ip);
    const byAddress = chain === undefined ? this.#byAddress : this.#onChainByAddress;
    const addressMs = Math.max(
      this.#byAddress.nextTime(user, nowMs) ?? 0,
      this.#onChainByAddress.nextTime(user, nowMs) ?? 0,
    );
    const clientMs = isLimited ? (this.#byClient.nextTime(client, nowMs) ?? 0) : 0;
    const nextMs = Math.max(addressMs, clientMs);
    if (nextMs > nowMs) return limitReached(nextMs, nowMs);
    const restricted = this.#restricted();
    if (restricted !== undefined) return infoRefusal(restricted);
    const { reject } = this.#replica.check(this.#command(user, accountType));
    if (chain === undefined && reject !== undefined) return this.#refuse(reject);
    const unfit = chain === undefined ? undefined : this.#unfit(chain, user, accountType);
    if (unfit !== undefined) return unfit;
    // The payout is recorded before its block exists, because a second request could arrive in the
    // meantime.
    byAddress.add(user, nowMs);
    if (isLimited) this.#byClient.add(client, nowMs);
    try {
      return chain === undefined
        ? await this.#credit(user, accountType)
        : await this.#fund(chain, user, nowMs);
    } catch (cause) {
      byAddress.remove(user);
      this.#byClient.remove(client);
      if (cause instanceof GrantedRecentlyError) return limitReached(cause.nextMs, nowMs);
      throw new UnavailableError('the grant could not be logged', { cause });
    }
  }

  /**
   * Rejects the zero address, the contracts, and a sub-account that does not exist on the chain.
   */
  #unfit(chain: OnChain, user: Address, accountType: SubAccount): Reply | undefined {
    if (accountType !== 'perp') {
      return infoRefusal(refusal('invalidValue', NO_ACCOUNT, { field: 'accountType' }));
    }
    const isInvalid = user === ZERO_ADDRESS || chain.contracts.includes(user as `0x${string}`);
    return isInvalid ? this.#refuse({ reason: 'addressInvalid', address: user }) : undefined;
  }

  async #credit(user: Address, subAccount: SubAccount): Promise<Reply> {
    const command = this.#command(user, subAccount);
    const { block, outcome } = await this.#replica.propose(command);
    if (outcome.reject !== undefined) {
      this.#byAddress.remove(user);
      return this.#refuse(outcome.reject);
    }
    const data: FaucetGrant = {
      user,
      amount: formatMoney(this.#amount),
      token: 'USDC',
      // The response contains the block hash, because the payout has no signature and therefore no
      // transaction hash.
      txHash: block.hash,
      nextRequestTime: block.timeMs + this.#intervalMs,
    };
    return infoReply(data);
  }

  /** Pays on the chain. The payout is its own idempotency key, so it is sent only once. */
  async #fund(chain: OnChain, user: Address, nowMs: number): Promise<Reply> {
    const amount = BigInt(this.#amount);
    const txHash = await chain.fund({
      user: user as `0x${string}`,
      amount,
      atMs: nowMs,
    });
    const data: FaucetGrant = {
      user,
      amount: formatMoney(this.#amount),
      token: 'USDC',
      txHash,
      nextRequestTime: nowMs + this.#intervalMs,
    };
    return infoReply(data);
  }

  #command(account: Address, subAccount: SubAccount): CreditFaucetCommand {
    return { type: 'creditFaucet', account, subAccount, amountMicroUsdc: this.#amount };
  }

  #refuse(reject: Reject): Reply {
    const instruments = instrumentLookup(() => this.#replica.state);
    return infoRefusal(rejectToWire(reject, { instruments, command: 'creditFaucet' }));
  }
}

function limitReached(nextMs: number, nowMs: number): Reply {
  const refused = refusal('faucetLimit', [], { allowed: { min: nextMs } }, HTTP_TOO_MANY);
  const reply = infoRefusal({ ...refused, code: ERROR_CODES.INVALID });
  return { ...reply, retryAfterSeconds: Math.max(1, Math.ceil((nextMs - nowMs) / 1000)) };
}
