import { MONEY_DECIMALS, parseExact } from '@oddlot/units';
import { type RecoveredRequest, recoverRequest } from './recover-request.ts';
import { SigningRefusal } from './signing-refusal.ts';
import type { OwedWithdrawal, VenueLedger } from './venue-ledger.ts';
import { isSignerSetSound, type MultiSigSigners, parseMultiSigSigners } from '@oddlot/protocol';

/** What a payout rests on: the request that its account signed, and the changes of who signs for it up to then. */
type Evidence = { readonly request: string; readonly signerChanges: readonly string[] };

type PayoutRequestsOptions = {
  readonly ledger: Pick<VenueLedger, 'request' | 'requestsOf' | 'signerChanges'>;
  /** The name of the venue that requests are signed for. */
  readonly serviceNetwork: string;
  /** Signers that its operator vouches for, of accounts whose first changes nobody can show. */
  readonly vouched?: ReadonlyMap<string, SignerSet> | undefined;
  /** What a venue may keep of a withdrawal, in micro-USDC. */
  readonly feeMax: bigint;
};

/** What is known from before: hashes that were paid on, and changes of signers that were seen. */
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
 * Finds the `withdraw3` that asked for a payout, and recovers by itself who signed it for whom, where to and how much
 * (R-withdraw). A venue that was broken into can show what it likes; it cannot sign for its users. Of the venue is only that
 * the request was executed, that it took place now, and that nobody changed the signers of the account since.
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

  /** All that were seen once are still there: a change cannot be hidden afterwards. */
  async #signerChanges(user: string, known: Known): Promise<readonly string[]> {
    const told = await this.#options.ledger.signerChanges(user);
    const seen = known.signerChangesOf(user);
    if (seen.every((each, at) => told[at] === each)) return told;
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

/** Who signs for an account: its own key where there is no set. */
type SignerSet = MultiSigSigners | undefined;

/**
 * The signers of an account after all changes of them, each of which those before it have signed: the first one is by the
 * account's own key (R-multisig), or by the set that the validator's operator vouches for. So nobody can name signers
 * for an account who could not sign for it.
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

/** Whether a request is by those who sign for the account; else a SigningRefusal. */
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
