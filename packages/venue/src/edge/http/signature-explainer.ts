import {
  jsonRefusal,
  LIMITS,
  NETWORKS,
  parseAction,
  parseEnvelope,
  type ExplainedSignature,
  type Explanation,
  type InfoQueryOf,
  type Network,
} from '@oddlot/protocol';
import type { Replica } from '../../replica/replica.ts';
import type { InfoAnswer, InfoSettings } from '../../translate/answer-info.ts';
import { explainJob } from '../explain-job.ts';
import { MultiSigSigners } from '../multi-sig-signers.ts';
import type { RecoverPool } from '../recover-pool.ts';
import { signerRole, type Signer } from '../signer-role.ts';
import { recovering } from './recovering.ts';

/**
 * The query explainSignature: what an envelope's signature is over, whose it is, and when it is
 * nobody's, which mistake of the client explains it. Hashing and recovery run in the recover
 * threads; here it is decided who the recovered addresses are.
 */

type ExplainOptions = {
  readonly replica: Replica;
  readonly pool: Pick<RecoverPool, 'explain'>;
  readonly network: Network;
  /** What else a client may have signed for: the networks by default. */
  readonly otherNetworks?: readonly Network[];
  readonly settings: Pick<InfoSettings, 'settlementChainId'>;
};

/** Answers the query; `text` is the body that it came in. */
export type SignatureExplainer = (
  query: InfoQueryOf<'explainSignature'>,
  text: string,
  client?: string,
) => Promise<InfoAnswer<ExplainedSignature>>;

export function signatureExplainer(options: ExplainOptions): SignatureExplainer {
  const { replica, pool, network, settings } = options;
  const multiSigSigners = new MultiSigSigners(replica);
  const isOther = (each: Network): boolean => each.serviceNetwork !== network.serviceNetwork;
  const otherNetworks = (options.otherNetworks ?? Object.values(NETWORKS)).filter(isOther);
  const { settlementChainId } = settings;
  return async ({ envelope, expect: expected }, text, client) => {
    const enveloped = parseEnvelope(envelope);
    if (!enveloped.ok) return enveloped;
    const parsed = parseAction(enveloped.envelope.action);
    if (!parsed.ok) return parsed;
    const vaults = [...replica.state.vaults.keys()].slice(0, LIMITS.explainVaultsMax);
    const job = explainJob({ otherNetworks, settlementChainId, vaults }, text);
    const { explanation, fault, at } = await recovering(pool.explain(job, client));
    if (explanation === undefined) {
      return { ok: false, error: jsonRefusal(text, { message: fault ?? '', at: at ?? 0 }) };
    }
    const question = {
      actionType: parsed.action.type,
      scheme: explanation.facts.scheme,
      expected,
      isMultiSigSigner: multiSigSigners.has.bind(multiSigSigners),
    };
    // All addresses are judged by one state: that of the newest block.
    const data = judged(explanation, (address) => signerRole(replica.state, address, question));
    return { ok: true, data };
  };
}

type Address = Explanation['facts']['signer'];

function judged(
  { facts, attempts }: Explanation,
  roleOf: (address: Address) => Signer,
): ExplainedSignature {
  const { role, owner, agentName } = roleOf(facts.signer);
  const answer: ExplainedSignature = { ...facts, role, owner, agentName, tried: [], match: null };
  if (role !== 'none') return answer;
  for (const { mistake, variant, hint, signer } of attempts) {
    const found = roleOf(signer);
    answer.tried.push({ mistake, variant, signer, role: found.role });
    if (signer === null || found.role === 'none') continue;
    answer.match = { mistake, variant, signer, role: found.role, owner: found.owner, hint };
    break;
  }
  return answer;
}
