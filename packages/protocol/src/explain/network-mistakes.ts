import type { Network } from '../version.ts';
import { agentRecipe, type Recipe } from './recipe.ts';
import type { Candidate, Subject } from './subject.ts';

/** Mistakes in what binds a signature: the network, the chain, and the scheme as a whole. */

const ETHEREUM = 1;

export function* chainId(subject: Subject): Iterable<Candidate> {
  const { base, context, network, scheme } = subject;
  const others = context.otherNetworks.map((other) => other.chainId);
  const wallets = walletChains(subject);
  // The wallet's chain in the domain of an agent-signed action is a mistake of its own.
  const inDomain = scheme === 'agent' ? others : [...others, ...wallets, network.chainId];
  for (const id of new Set([...others, ...wallets, network.chainId])) {
    if (inDomain.includes(id)) yield domainOnly(subject, id);
    const values = { ...base.values, chainId: id };
    const expected = base.domain.chainId;
    const hint =
      `Sign chain id ${network.chainId} in the struct and ${expected} in the domain: ` +
      `you signed ${id} in both.`;
    const recipe = { ...base, values, domain: { ...base.domain, chainId: id } };
    yield { variant: `${id} in domain and struct`, hint, recipe };
  }
}

function domainOnly({ base, scheme }: Subject, id: number): Candidate {
  const expected = `Sign under chain id ${base.domain.chainId} in the domain`;
  const hint =
    scheme === 'agent'
      ? `${expected}: you signed under ${id}.`
      : `${expected}, or send signatureChainId ${id}: you signed under ${id}.`;
  return { variant: `${id} in the domain`, hint, recipe: underChain(base, id) };
}

export function* networkName(subject: Subject): Iterable<Candidate> {
  const { base, context, network } = subject;
  for (const other of [...namedByItself(subject), ...context.otherNetworks]) {
    const { serviceNetwork } = other;
    const hint = `Sign for ${network.serviceNetwork}, which serves here: you signed for ${serviceNetwork}.`;
    const values = { ...base.values, serviceNetwork };
    const named = { ...base, values, domain: { ...base.domain, name: serviceNetwork } };
    yield { variant: `${serviceNetwork} in domain and struct`, hint, recipe: named };
    const { chainId: id } = other;
    const moved = { ...underChain(named, id), values: { ...values, chainId: id } };
    yield { variant: `${serviceNetwork} and ${id} in domain and struct`, hint, recipe: moved };
  }
}

/** A direct action, alone or wrapped, tells the name that its sender took the venue for. */
function namedByItself({ network, request }: Subject): readonly Network[] {
  const { payload } = request.action as { payload?: { action?: unknown } };
  const told = (payload?.action ?? request.action) as Partial<Record<keyof Network, unknown>>;
  const { chainId: id = network.chainId, serviceNetwork } = told;
  if (typeof serviceNetwork !== 'string' || typeof id !== 'number') return [];
  return serviceNetwork === network.serviceNetwork
    ? []
    : [{ ...network, serviceNetwork, chainId: id }];
}

export function* directSignedAsAgent(subject: Subject): Iterable<Candidate> {
  const { request, network, scheme, base } = subject;
  if (scheme === 'agent') return;
  const variant = 'hashed as an agent-signed action';
  const hint = `Sign the struct ${base.struct.name}: you signed Agent, as for a trading action.`;
  const recipe = agentRecipe(request, network);
  yield { variant, hint, recipe };
  const id = request.envelope.signatureChainId;
  if (id === null || id === undefined) return;
  yield { variant: `${variant} under chain id ${id}`, hint, recipe: underChain(recipe, id) };
}

export function* agentSignedAsDirect(subject: Subject): Iterable<Candidate> {
  const { base, network, scheme } = subject;
  if (scheme !== 'agent') return;
  for (const id of walletChains(subject).toReversed()) {
    const hint = `Sign Agent under the venue's chain id ${network.chainId}, not a wallet's: you signed under ${id}.`;
    yield { variant: `chain id ${id} in the domain`, hint, recipe: underChain(base, id) };
  }
}

/** The chains that a wallet may have been on, the least likely first. */
function walletChains({ request, context }: Subject): number[] {
  const { signatureChainId } = request.envelope;
  const sent = typeof signatureChainId === 'number' ? [signatureChainId] : [];
  return [ETHEREUM, context.settlementChainId, ...sent];
}

function underChain(recipe: Recipe, id: number): Recipe {
  return { ...recipe, domain: { ...recipe.domain, chainId: id } };
}
