import {
  agentOwner as findAgentOwner,
  agentsOf,
  approvedBuilders as findApprovedBuilders,
  builderState as findBuilderState,
  gateStatus,
  multiSigSigners as findMultiSigSigners,
} from '@oddlot/engine';
import type {
  AccessCodeStatus,
  AgentOwner,
  ApprovedAgent,
  ApprovedBuilder,
  BuilderState,
  GateLists,
  InfoQuery,
  MultiSigSignerSet,
  Warning,
} from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import { answer, type InfoContext, type InfoHandler, type StateQueries } from './info-context.ts';

const approvedAgents: InfoHandler<'approvedAgents', ApprovedAgent[]> = ({ state }, { user }) => {
  const agents = agentsOf(state, user);
  return answer(
    agents.map(({ agent, label, createdMs, updatedMs }) => ({
      agentAddress: agent,
      agentName: label,
      createTime: createdMs,
      updateTime: updatedMs,
      validUntil: null,
    })),
  );
};

const agentOwner: InfoHandler<'agentOwner', AgentOwner> = ({ state }, { agent }) => {
  const found = findAgentOwner(state, agent);
  return answer({ agent, owner: found?.owner ?? null, agentName: found?.label ?? null });
};

const approvedBuilders: InfoHandler<'approvedBuilders', ApprovedBuilder[]> = (
  { state },
  { user },
) =>
  answer(
    findApprovedBuilders(state, user).map(({ builder, maxFeeText, updatedMs }) => ({
      builder,
      maxFeeRate: maxFeeText,
      updateTime: updatedMs,
    })),
  );

const builderState: InfoHandler<'builderState', BuilderState> = ({ state }, { user }) => {
  // A venue has no parameters or rewards before its first block.
  if (state.parameters === undefined) return answer({ ...NOTHING_EARNED, builder: user });
  const view = findBuilderState(state, user);
  return answer({
    builder: view.builder,
    unclaimedRewards: formatMoney(view.unclaimed),
    totalEarned: formatMoney(view.earned),
    totalClaimed: formatMoney(view.claimed),
    perpAccountBalance: formatMoney(view.perpBalance),
    minPerpBalance: formatMoney(view.minPerpBalance),
    eligible: view.isEligible,
  });
};

const NOTHING_EARNED: Omit<BuilderState, 'builder'> = {
  unclaimedRewards: '0',
  totalEarned: '0',
  totalClaimed: '0',
  perpAccountBalance: '0',
  minPerpBalance: '0',
  eligible: false,
};

const multiSigSigners: InfoHandler<'multiSigSigners', MultiSigSignerSet> = (
  { state },
  { user },
) => {
  const set = findMultiSigSigners(state, user);
  return answer(
    set === undefined ? null : { authorizedUsers: [...set.users], threshold: set.threshold },
  );
};

const accessCodeStatus: InfoHandler<'accessCodeStatus', AccessCodeStatus> = (
  { state },
  { user, channel },
) => {
  const { code, granted, grantedMs, required } = gateStatus(state, channel, user);
  return answer({
    user,
    channel,
    required,
    granted,
    accessCode: code === undefined ? null : maskedCode(code),
    grantedTime: grantedMs ?? null,
  });
};

/**
 * Warns if the queried address is an agent. Agents have no balances, so the client probably meant
 * the agent's owner.
 */
export function agentWarning({ state }: InfoContext, query: InfoQuery): Warning | undefined {
  if (!('user' in query) || query.user === undefined) return undefined;
  const found = findAgentOwner(state, query.user);
  if (found === undefined) return undefined;
  const details = { agent: query.user, owner: found.owner };
  return {
    code: 'AGENT_ADDRESS',
    message: `${query.user} is an agent of ${found.owner}`,
    details,
  };
}

const SHOWN_MAX = 1_000;

/**
 * Lists the addresses on a gate's lists. They are public, because every request that changed them
 * is a public transaction.
 */
const gateLists: InfoHandler<'gateLists', GateLists> = ({ state }, { channel }) => {
  const { blacklist, codes, grants, whitelist } = state.gates[channel];
  return answer({
    channel,
    whitelist: newest(whitelist),
    blacklist: newest(blacklist),
    accessCodes: newest(codes).map(([code, { maxUses, uses }]) => ({
      accessCode: maskedCode(code),
      maxUses,
      uses,
    })),
    grants: newest(grants).map(([user, { code, grantedMs }]) => ({
      user,
      accessCode: maskedCode(code),
      grantedTime: grantedMs,
    })),
  });
};

function newest<Entry>(list: Iterable<Entry>): Entry[] {
  return [...list].slice(-SHOWN_MAX).reverse();
}

const SHOWN_CHARACTERS = 2;

/**
 * Masks an access code. Users who have the code can recognise it, but the masked code cannot be
 * used.
 */
export function maskedCode(code: string): string {
  return `${[...code].slice(0, SHOWN_CHARACTERS).join('')}****`;
}

export const ACCESS_QUERIES = {
  approvedAgents: { answer: approvedAgents },
  agentOwner: { answer: agentOwner },
  approvedBuilders: { answer: approvedBuilders },
  builderState: { answer: builderState },
  multiSigSigners: { answer: multiSigSigners },
  accessCodeStatus: { answer: accessCodeStatus },
  gateLists: { answer: gateLists },
} as const satisfies StateQueries;
