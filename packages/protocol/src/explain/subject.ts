import type { SignatureHex } from '../signature-schema.ts';
import type { ActionHash, ActionToHash } from '../signing/hash-envelope.ts';
import type { Keccak } from '../signing/typed-data.ts';
import type { Network } from '../version.ts';
import type { Recipe } from './recipe.ts';

/** What the venue knows beside the request: what else a client may have signed for. */
export type ExplainContext = {
  readonly otherNetworks: readonly Network[];
  readonly settlementChainId: number;
  /** Registered vaults. */
  readonly vaults: readonly string[];
};

/** A signed request whose mistake is looked for. */
export type Subject = {
  readonly scheme: ActionHash['scheme'];
  readonly request: ActionToHash;
  readonly signature: SignatureHex;
  /** What the venue hashes. */
  readonly base: Recipe;
  readonly network: Network;
  readonly context: ExplainContext;
  readonly keccak: Keccak;
};

/** One way in which the client may have signed. */
export type Candidate = {
  readonly variant: string;
  /** What the client should change. */
  readonly hint: string;
  /** The recipe that was signed; the venue's when left out. */
  readonly recipe?: Recipe;
  /** The signature that was meant; the received one when left out. */
  readonly signature?: SignatureHex;
};

/** The candidates of one mistake, made as they are asked for. */
export type Candidates = (subject: Subject) => Iterable<Candidate>;
