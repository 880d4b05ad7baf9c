import { formatDecimal, MONEY_DECIMALS } from '@oddlot/units';
import type { Hex } from 'viem';
import { chainFault } from '../chain/endpoints.ts';
import { RETURN_ID_MIN } from '../bridge-contract/deposit-logs.ts';
import { requestOf, SignRequest } from '../signing/validator-wire.ts';
import {
  type BridgeDomain,
  keyValidator,
  type Signed,
  type Validator,
} from '../signing/bridge-signatures.ts';
import type { Deposits } from './bridge-deposits.ts';
import type { PayoutRequests } from './payout-requests.ts';
import type { PayoutWitness } from './payout-witness.ts';
import { OtherTermsError, type PayoutRecord, type SignedBook } from './signed-book.ts';
import { SigningRefusal } from './signing-refusal.ts';
import type { OwedWithdrawal, VenueLedger } from './venue-ledger.ts';

type SignerOptions = {
  readonly key: Hex;
  /** The only chain and bridge that the signer signs for. */
  readonly domain: BridgeDomain;
  readonly book: SignedBook;
  readonly ledger: Pick<VenueLedger, 'assertPayable' | 'unpaidWithdrawal'>;
  /** Finds the request signed by the account itself. */
  readonly requests: Pick<PayoutRequests, 'evidenceFor'>;
  readonly limits: Pick<SigningLimits, 'refusal'>;
  /** The deposits by account; undefined if there are no chain endpoints. */
  readonly deposits?: Deposits | undefined;
  /** Called if the chain could not be queried for deposits. */
  readonly onChainUnavailable?: ((why: string) => void) | undefined;
  /** Verifies cancellations on the chain; undefined if they are signed manually. */
  readonly witness?: Pick<PayoutWitness, 'whyHopeless'> | undefined;
  readonly now: () => number;
};

/**
 * Signs a payout only if the venues owe it and the account itself has requested it (R-withdraw).
 * Once a withdrawal has been recorded, it is always signed on the same terms. A cancellation is
 * signed only after the signer has verified that the payout cannot succeed, so that no requester
 * can end another account's withdrawal. Rotations, lifting of pauses and returns are signed
 * manually with `oddlot bridge`.
 */
export class Signer {
  readonly #options: SignerOptions;
  readonly #validator: Validator;

  constructor(options: SignerOptions) {
    this.#options = options;
    this.#validator = keyValidator(options.key, options.domain);
  }

  get address(): string {
    return this.#validator.name;
  }

  /** Returns a signature, or throws a SigningRefusal with the reason. */
  async sign(body: unknown, signal: AbortSignal): Promise<Signed> {
    const parsed = SignRequest.safeParse(body);
    if (!parsed.success) {
      const { message, path } = parsed.error.issues[0] ?? { message: 'invalid', path: [] };
      throw new SigningRefusal(400, `${path.join('.') || 'request'}: ${message}`);
    }
    const asked = parsed.data;
    this.#assertPlace(asked);
    try {
      if (asked.type === 'payout') await this.#writePayout(asked);
      else await this.#writeCancellation(asked);
    } catch (error) {
      if (error instanceof OtherTermsError) throw new SigningRefusal(409, error.message);
      throw error;
    }
    return await this.#validator.sign(requestOf(asked), signal);
  }

  #assertPlace({ bridge, chainId, withdrawalId }: SignRequest): void {
    const { domain } = this.#options;
    if (chainId !== domain.chainId) {
      throw new SigningRefusal(
        403,
        `this validator signs for chain ${domain.chainId}, not for ${chainId}`,
      );
    }
    if (bridge !== domain.bridge) {
      throw new SigningRefusal(
        403,
        `this validator signs for bridge ${domain.bridge}, not for ${bridge}`,
      );
    }
    if (withdrawalId >= RETURN_ID_MIN) {
      throw new SigningRefusal(
        403,
        'this validator does not sign returns of deposits; its operator signs them manually (oddlot ' +
          'bridge sign)',
      );
    }
    if (withdrawalId > BigInt(Number.MAX_SAFE_INTEGER - 1)) {
      throw new SigningRefusal(404, `unknown withdrawal ${withdrawalId}`);
    }
  }

  async #writePayout(asked: PayoutRequest): Promise<void> {
    const { book } = this.#options;
    const record = payoutRecord(asked, this.#options.now());
    if (book.has(record)) return;
    const owed = await this.#owed(asked);
    const { withdrawalId } = asked;
    if (owed.isReturned) {
      throw new SigningRefusal(409, `withdrawal ${withdrawalId} was returned`);
    }
    if (owed.destination !== asked.destination) {
      throw new SigningRefusal(409, `withdrawal ${withdrawalId} must go to ${owed.destination}`);
    }
    if (owed.usd !== asked.usd) {
      const amount = dollars(owed.usd);
      throw new SigningRefusal(
        409,
        `the amount to pay for withdrawal ${withdrawalId} is ${amount} USDC`,
      );
    }
    const { ledger, requests } = this.#options;
    await ledger.assertPayable();
    const payment = { ...asked, withdrawalId: record.withdrawalId };
    const evidence = await requests.evidenceFor(payment, owed, book);
    await this.#lookAtDeposits();
    // There is no await from here on. A concurrent request may have been recorded in the meantime,
    // so the journal is checked again.
    if (book.has(record)) return;
    const counted = this.#countedOf(asked);
    this.#assertLimit(asked.user, counted);
    const { account, all } = counted;
    book.add({ ...record, ...evidence, counted: String(account), countedInAll: String(all) });
    this.#options.deposits?.take(asked.user, asked.usd);
  }

  /** Records a cancellation. Neither the requester nor the reason it gives is trusted. */
  async #writeCancellation(asked: CancellationRequest): Promise<void> {
    const { book, now, witness } = this.#options;
    const timeMs = now();
    if (book.has({ ...placeOf(asked, timeMs), type: asked.type, reason: '' })) return;
    if (witness === undefined) {
      throw new SigningRefusal(
        403,
        'this validator has no chain endpoints; its operator signs cancellations (oddlot ' +
          'bridge cancel)',
      );
    }
    const owed = await this.#owed(asked);
    const destination = owed.destination as Hex;
    // A venue is refused if it reports terms that differ from those signed.
    book.has(payoutRecord({ ...asked, destination, usd: owed.usd }, timeMs));
    const terms = { ...owed, destination, user: asked.user as Hex };
    const reason = await witness.whyHopeless({
      ...terms,
      withdrawalId: Number(asked.withdrawalId),
    });
    book.add({ ...placeOf(asked, timeMs), type: asked.type, reason });
  }

  #owed({ user, withdrawalId }: SignRequest): Promise<OwedWithdrawal> {
    return this.#options.ledger.unpaidWithdrawal(user, Number(withdrawalId));
  }

  /** Updates the deposits. If the chain cannot be queried, no deposits are counted. */
  async #lookAtDeposits(): Promise<void> {
    const { deposits, onChainUnavailable } = this.#options;
    try {
      await deposits?.look();
    } catch (error) {
      onChainUnavailable?.(chainFault(error));
    }
  }

  /**
   * Returns two parts of a payout: the part not deposited by the account itself, and the part not
   * covered by any deposit.
   */
  #countedOf({ usd, user }: PayoutRequest): Counted {
    const { deposits } = this.#options;
    const beyond = (left = 0n): bigint => (left < usd ? usd - left : 0n);
    return { account: beyond(deposits?.leftOf(user)), all: beyond(deposits?.leftInAll()) };
  }

  #assertLimit(user: string, usd: Counted): void {
    const { limits, now } = this.#options;
    const why = limits.refusal(user, usd, now());
    if (why !== undefined) throw new SigningRefusal(503, why);
  }
}

function dollars(micro: bigint): string {
  return formatDecimal(micro, MONEY_DECIMALS);
}

type PayoutRequest = Extract<SignRequest, { readonly type: 'payout' }>;
type CancellationRequest = Extract<SignRequest, { readonly type: 'cancellation' }>;
type Place = Pick<SignRequest, 'bridge' | 'chainId' | 'user' | 'withdrawalId'>;

function placeOf({ bridge, chainId, user, withdrawalId }: Place, timeMs: number) {
  return { timeMs, chainId, bridge, withdrawalId: String(withdrawalId), user };
}

function payoutRecord(
  asked: Place & { readonly destination: string; readonly usd: bigint },
  timeMs: number,
): PayoutRecord {
  const { destination, usd } = asked;
  return { ...placeOf(asked, timeMs), type: 'payout', destination, usd: String(usd) };
}

/** The limits in micro-USDC per 24 hours. */
type LimitOptions = { readonly perDay: bigint; readonly perAccountDay: bigint };

/**
 * The amounts of a payout that count towards the limit of its account and towards the total limit,
 * in micro-USDC.
 */
export type Counted = { readonly account: bigint; readonly all: bigint };

const DAY_MS = 86_400_000n;
/** When there are this many accounts, those whose used amount is zero are dropped. */
const ACCOUNTS_MAX = 10_000;

/**
 * Limits the amount, in total and per account, that a compromised venue can get signed before this
 * is noticed. Capacity is released evenly over the day, so it never resets all at once, and users
 * wait only as long as their own amounts require. An account's own deposits do not count towards
 * its limit. The total limit counts only the net outflow, regardless of depositor and recipient.
 * Otherwise, an attacker could use up everyone's limit by repeatedly depositing, transferring to
 * another account and withdrawing the same funds.
 */
export class SigningLimits {
  readonly #options: LimitOptions;
  readonly #all: Draining;
  readonly #accounts = new Map<string, Draining>();

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#all = new Draining(options.perDay);
  }

  /** Returns which limit the amount currently exceeds, or undefined if none. */
  refusal(user: string, usd: Counted, nowMs: number): string | undefined {
    const { perAccountDay, perDay } = this.#options;
    const one = perAccountDay - (this.#accounts.get(user)?.at(nowMs) ?? 0n);
    if (usd.account > one) {
      const most = dollars(perAccountDay);
      return `the daily limit per account is ${most} USDC; ${dollars(notNegative(one))} USDC are left`;
    }
    const all = perDay - this.#all.at(nowMs);
    if (usd.all <= all) return undefined;
    return `the daily limit is ${dollars(perDay)} USDC; ${dollars(notNegative(all))} USDC are left`;
  }

  count(user: string, usd: Counted, timeMs: number): void {
    this.#all.add(usd.all, timeMs);
    const account = this.#accounts.get(user) ?? new Draining(this.#options.perAccountDay);
    account.add(usd.account, timeMs);
    this.#accounts.set(user, account);
    if (this.#accounts.size > ACCOUNTS_MAX) this.#forget(timeMs);
  }

  #forget(nowMs: number): void {
    for (const [user, account] of this.#accounts) {
      if (account.at(nowMs) === 0n) this.#accounts.delete(user);
    }
  }
}

/** A used amount that decreases continuously, by the daily maximum per day. */
class Draining {
  readonly #perDay: bigint;
  #amount = 0n;
  #timeMs = 0;

  constructor(perDay: bigint) {
    this.#perDay = perDay;
  }

  at(nowMs: number): bigint {
    // If the clock was set back, nothing is released.
    const sinceMs = BigInt(Math.max(0, Math.floor(nowMs - this.#timeMs)));
    return notNegative(this.#amount - (this.#perDay * sinceMs) / DAY_MS);
  }

  add(amount: bigint, timeMs: number): void {
    this.#amount = this.at(timeMs) + amount;
    this.#timeMs = Math.max(this.#timeMs, timeMs);
  }
}

function notNegative(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
