import { MONEY_DECIMALS, formatDecimal } from '@oddlot/units';
import type { Hex } from 'viem';
import { RETURN_ID_MIN } from '../settlement/return-id.ts';
import { requestOf, SignRequest } from '../settlement/validator-wire.ts';
import {
  type BridgeDomain,
  keyValidator,
  type Signed,
  type Validator,
} from '../settlement/validators.ts';
import { OtherTermsError, type SignedBook, type SignedRecord } from './signed-book.ts';
import { SigningRefusal } from './signing-refusal.ts';
import type { VenueLedger } from './venue-ledger.ts';

export type SignerOptions = {
  readonly key: Hex;
  /** The only chain and the only bridge that it signs for. */
  readonly domain: BridgeDomain;
  readonly book: SignedBook;
  readonly ledger: Pick<VenueLedger, 'openWithdrawal'>;
  readonly now: () => number;
  /** Micro-USDC that it signs in 24 hours at most; no limit where it is absent. */
  readonly perDayMax?: bigint | undefined;
};

/**
 * Signs a payout that the venues owe, and no other (R-withdraw): once written down, a withdrawal is signed in the
 * same terms for ever. It does not sign rotations, the lifting of pauses or returns: people do, by `npm run bridge`.
 */
export class Signer {
  readonly #options: SignerOptions;
  readonly #validator: Validator;

  constructor(options: SignerOptions) {
    this.#options = options;
    this.#validator = keyValidator(options.key, options.domain);
  }

  /** Its own address. */
  get address(): string {
    return this.#validator.name;
  }

  /** Throws a SigningRefusal with what is wrong. */
  async sign(body: unknown, signal: AbortSignal): Promise<Signed> {
    const parsed = SignRequest.safeParse(body);
    if (!parsed.success) {
      const { message, path } = parsed.error.issues[0] ?? { message: 'invalid', path: [] };
      throw new SigningRefusal(400, `${path.join('.') || 'request'}: ${message}`);
    }
    const asked = parsed.data;
    this.#assertPlace(asked);
    const record = recordOf(asked, this.#options.now());
    try {
      if (!this.#options.book.has(record)) {
        await this.#assertOwed(asked);
        // Somebody else may have asked meanwhile; the book looks again.
        if (!this.#options.book.has(record)) this.#assertLimit(asked);
        this.#options.book.add(record);
      }
    } catch (error) {
      if (error instanceof OtherTermsError) throw new SigningRefusal(409, error.message);
      throw error;
    }
    return await this.#validator.sign(requestOf(asked), signal);
  }

  #assertPlace({ bridge, chainId, withdrawalId }: SignRequest): void {
    const { domain } = this.#options;
    if (chainId !== domain.chainId) {
      throw new SigningRefusal(403, `it signs for chain ${domain.chainId}, not for ${chainId}`);
    }
    if (bridge !== domain.bridge) {
      throw new SigningRefusal(403, `it signs for bridge ${domain.bridge}, not for ${bridge}`);
    }
    if (withdrawalId >= RETURN_ID_MIN) {
      throw new SigningRefusal(403, 'returns of deposits are signed by hand');
    }
    if (withdrawalId > BigInt(Number.MAX_SAFE_INTEGER - 1)) {
      throw new SigningRefusal(404, `there is no withdrawal ${withdrawalId}`);
    }
  }

  async #assertOwed(asked: SignRequest): Promise<void> {
    const { user, withdrawalId } = asked;
    const owed = await this.#options.ledger.openWithdrawal(user, Number(withdrawalId));
    if (asked.type === 'cancellation') return;
    if (owed.destination !== asked.destination) {
      throw new SigningRefusal(409, `withdrawal ${withdrawalId} goes to ${owed.destination}`);
    }
    if (owed.usd === asked.usd) return;
    const amount = dollars(owed.usd);
    throw new SigningRefusal(409, `of withdrawal ${withdrawalId} ${amount} USDC are to be paid`);
  }

  /** Bounds what a venue that was broken into can have signed until somebody notices. */
  #assertLimit(asked: SignRequest): void {
    const { book, now, perDayMax } = this.#options;
    if (asked.type === 'cancellation' || perDayMax === undefined) return;
    const signed = book.signedInDay(now());
    if (signed + asked.usd <= perDayMax) return;
    throw new SigningRefusal(
      503,
      `it signs ${dollars(perDayMax)} USDC a day at most, and has signed ${dollars(signed)}`,
    );
  }
}

function dollars(micro: bigint): string {
  return formatDecimal(micro, MONEY_DECIMALS);
}

function recordOf(asked: SignRequest, timeMs: number): SignedRecord {
  const { bridge, chainId, user } = asked;
  const place = { timeMs, chainId, bridge, withdrawalId: String(asked.withdrawalId), user };
  if (asked.type === 'cancellation') return { ...place, type: asked.type, reason: asked.reason };
  const { destination, type, usd } = asked;
  return { ...place, type, destination, usd: String(usd) };
}
