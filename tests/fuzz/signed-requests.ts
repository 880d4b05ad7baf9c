import type { Actor, World } from '../support/actors.ts';
import { directAction, isDirect, signDirect, signMultiSig } from '../support/direct.ts';
import { act, succeeded, type Operator } from '../support/perps.ts';
import type { SeededRandom } from '../support/seeded.ts';
import { addressOf, keyOf, nextNonce } from '../support/wallet.ts';
import type { JsonObject, Signed } from '../support/wallet.ts';
import { textOf, treeOf, type Tree } from './json-tree.ts';
import { mutateTree, nudgeTree } from './mutate.ts';
import type { Sent } from './pipeline.ts';
import { JSON_HEADERS } from './requests.ts';
import { directActions, tradingActions } from './samples.ts';

/** Mutates actions and then signs them with the keys of existing accounts. */

const SIGNERS = [keyOf('malicious signer 1'), keyOf('malicious signer 2')] as const;
const VAULT = addressOf(keyOf('malicious vault'));
const PEOPLE = 8;

export class SignedRequests {
  readonly #random: SeededRandom;
  readonly #people: readonly Actor[];
  /** A multi-sig account with two signers. */
  readonly #shared: Actor;
  readonly #samples: readonly Tree[];

  private constructor(world: World, people: readonly Actor[], shared: Actor, random: SeededRandom) {
    this.#people = people;
    this.#shared = shared;
    this.#random = random;
    this.#samples = [...tradingActions(world.btc), ...directActions(0)]
      // The conversion is left out, because a converted account's key can no longer sign.
      .filter(({ type }) => type !== 'convertToMultiSigUser')
      .map(treeOf);
  }

  static async begin(
    world: World,
    operator: Operator,
    random: SeededRandom,
  ): Promise<SignedRequests> {
    const people: Actor[] = [];
    for (let count = 0; count < PEOPLE; count++) people.push(await world.resident('mallory'));
    const registerVault = { vault: VAULT, leader: people[0]!.address, name: 'vault' };
    succeeded(await act(operator.actor, { type: 'venueAdmin', registerVault }));
    const shared = await world.resident('shared');
    const nonce = nextNonce();
    const signers = { authorizedUsers: SIGNERS.map(addressOf).toSorted(), threshold: 2 };
    const fields = { signers: JSON.stringify(signers) };
    const convert = directAction('convertToMultiSigUser', nonce, fields);
    succeeded(await world.client.executed(await signDirect(shared.key, convert, { nonce })));
    return new SignedRequests(world, people, shared, random);
  }

  async next(): Promise<Sent> {
    for (;;) {
      const body = await this.#body(this.#mutated());
      if (body !== undefined) return { path: '/exchange', headers: JSON_HEADERS, body };
    }
  }

  /**
   * Returns undefined if no client could sign the text, because it is not an object, has a field of
   * the wrong type, or is nested too deeply.
   */
  async #body(text: string): Promise<Buffer | undefined> {
    const confirm = this.#random.below(2) === 0 ? { confirm: 'executed' } : {};
    try {
      const action = JSON.parse(text);
      if (typeof action !== 'object' || action === null || Array.isArray(action)) return undefined;
      const { envelope } = await this.#signed(action);
      return Buffer.from(JSON.stringify({ ...envelope, ...confirm }));
    } catch {
      return undefined;
    }
  }

  #mutated(): string {
    const random = this.#random;
    const sample = random.pick(this.#samples);
    const isShaped = random.below(10) < 6;
    return textOf(isShaped ? nudgeTree(sample, random) : mutateTree(sample, this.#samples, random));
  }

  async #signed(action: JsonObject): Promise<Signed> {
    const nonce = nextNonce();
    const isOwn = isDirect(action['type']);
    const dated = isOwn ? { ...action, nonce } : action;
    const actor = this.#random.pick(this.#people);
    const way = this.#random.below(10);
    if (way === 0) return this.#wrapped(dated, nonce);
    if (isOwn) return signDirect(actor.key, dated, { nonce });
    return actor.sign(dated, way === 1 ? { nonce, vaultAddress: VAULT } : { nonce });
  }

  async #wrapped(action: JsonObject, nonce: number): Promise<Signed> {
    const [outerKey] = SIGNERS;
    const multiSigUser = this.#shared.address;
    return signMultiSig(action, { nonce, multiSigUser, outerKey, innerKeys: SIGNERS });
  }
}
