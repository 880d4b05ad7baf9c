import { MONEY_DECIMALS, parseExact } from '@oddlot/units';
import { type RecoveredRequest, recoverRequest } from './recover-request.ts';
import { SigningRefusal } from './signing-refusal.ts';
import type { OwedWithdrawal, VenueLedger } from './venue-ledger.ts';
import { isSignerSetSound, type MultiSigSigners, parseMultiSigSigners } from '@oddlot/protocol';

/**
 * The evidence for a payout: the request signed by its account, and all earlier changes to the
 * account's signers.
 */
type Evidence = { readonly request: string; readonly signerChanges: readonly string[] };

type PayoutRequestsOptions = {
  readonly ledger: Pick<VenueLedger, 'request' | 'requestsOf' | 'signerChanges'>;
  /** The network name for which requests are signed. */
  readonly serviceNetwork: string;
  /**
   * Signer sets that the validator's operator vouches for, used for accounts whose first changes
   * are no longer available.
   */
  readonly vouched?: ReadonlyMap<string, SignerSet> | undefined;
  /** The highest fee that a venue can charge for a withdrawal, in micro-USDC. */
  readonly feeMax: bigint;
};

/**
 * Facts from earlier payouts: the requests that were paid, and the signer changes that were
 * observed.
 */
type Known = {
  payoutBy(request: string): string | undefined;
  signerChangesOf(user: string): readonly string[];
};

type Payment = {
  readonly withdrawalId: string;
  readonly user: string;
  readonly destination: string;
  readonly usd: bigint;
};

/**
 * Finds the `withdraw3` request of a payout, and recovers its signer, account, destination and
 * amount from the signature (R-withdraw). A compromised venue can show arbitrary data, but cannot
 * sign for its users. The venue is trusted only to report that the request was executed, its time,
 * and that the signers of the account have not changed since.
 */
export class PayoutRequests {
  readonly #options: PayoutRequestsOptions;

  constructor(options: PayoutRequestsOptions) {
    this.#options = options;
  }

  async evidenceFor(payment: Payment, owed: OwedWithdrawal, known: Known): Promise<Evidence> {
    const { ledger } = this.#options;
    const { user, withdrawalId } = payment;
    const hashes = await ledger.requestsOf(user, owed);
    const fresh = hashes.filter((hash) => (known.payoutBy(hash) ?? withdrawalId) === withdrawalId);
    const [first] = fresh;
    if (first === undefined) {
      const why = hashes.length === 0 ? 'no request was found' : 'the request was already paid';
      throw new SigningRefusal(409, `withdrawal ${withdrawalId}: ${why}`);
    }
    const signerChanges = await this.#signerChanges(user, known);
    const changes = await Promise.all(signerChanges.map((each) => this.#get(each)));
    const set = signersAfter(user, changes, this.#options.vouched?.get(user));
    const request = await this.#get(first);
    assertSigned(request, { user, set });
    this.#assertTerms(request, payment);
    return { request: request.txHash, signerChanges };
  }

  /**
   * Returns the changes to an account's signers. Every change observed before must still be
   * reported, so that none can be hidden later.
   */
  async #signerChanges(user: string, known: Known): Promise<readonly string[]> {
    const changes = await this.#options.ledger.signerChanges(user);
    const seen = known.signerChangesOf(user);
    if (seen.every((each, at) => changes[at] === each)) return changes;
    throw new SigningRefusal(409, `the venue withholds signer changes of ${user}`);
  }

  async #get(txHash: string): Promise<RecoveredRequest> {
    const { ledger, serviceNetwork } = this.#options;
    const shown = await ledger.request(txHash);
    if (shown === undefined) throw new SigningRefusal(503, `the venue does not return ${txHash}`);
    const recovered = recoverRequest(shown, serviceNetwork);
    if (recovered.txHash === txHash) return recovered;
    throw new SigningRefusal(409, `the venue returns another request as ${txHash}`);
  }

  #assertTerms({ action, txHash }: RecoveredRequest, { destination, usd }: Payment): void {
    const refuse = (why: string): SigningRefusal => new SigningRefusal(409, `${txHash} ${why}`);
    if (action['type'] !== 'withdraw3') throw refuse('is not a withdrawal');
    const to = String(action['destination']).toLowerCase();
    if (to !== destination) throw refuse(`goes to ${to}`);
    const amount = parseExact(String(action['amount']), MONEY_DECIMALS);
    const fee = amount === undefined ? undefined : amount - usd;
    if (fee === undefined || fee < 0n || fee > this.#options.feeMax) {
      throw refuse(`is for ${String(action['amount'])} USDC`);
    }
  }
}

/** The signers of an account; undefined if the account's own key is the only signer. */
type SignerSet = MultiSigSigners | undefined;

/**
 * Returns an account's signers after all changes. Each change must be signed by the previous
 * signers. The first change is signed by the account's own key (R-multisig), or by the set that the
 * validator's operator vouches for. New signers can therefore be appointed only by the previous
 * ones.
 */
function signersAfter(
  user: string,
  changes: readonly RecoveredRequest[],
  before?: SignerSet,
): SignerSet {
  let set = before;
  for (const change of changes) {
    const { action, txHash } = change;
    if (action['type'] !== 'convertToMultiSigUser') {
      throw new SigningRefusal(409, `${txHash} does not change signers`);
    }
    assertSigned(change, { user, set });
    const next = parseMultiSigSigners(String(action['signers']));
    if (next === undefined || (next !== null && !isSignerSetSound(next))) {
      throw new SigningRefusal(409, `${txHash} contains no signers`);
    }
    set = next ?? undefined;
  }
  return set;
}

/** Throws a SigningRefusal unless the request is signed by the account's signers. */
function assertSigned(
  { account, txHash, wrapped }: RecoveredRequest,
  { set, user }: { readonly user: string; readonly set: SignerSet },
): void {
  const refuse = (why: string): SigningRefusal => new SigningRefusal(409, `${txHash} ${why}`);
  if (account !== user) throw refuse(`was made by ${account}, not by ${user}`);
  if (set === undefined) {
    if (wrapped !== undefined) throw refuse(`has a multi-sig wrapper, but ${user} has no signers`);
    return;
  }
  if (wrapped === undefined)
    throw refuse(`was made only by ${user}, although the account has signers`);
  const own = new Set(set.authorizedUsers.map((each) => each.toLowerCase()));
  const count = [...wrapped.signers].filter((each) => own.has(each)).length;
  if (!own.has(wrapped.sender))
    throw refuse(`was sent by ${wrapped.sender}, who is not a signer of the account`);
  if (count < set.threshold) {
    throw refuse(`has ${count} of the ${set.threshold} signatures that ${user} needs`);
  }
}
