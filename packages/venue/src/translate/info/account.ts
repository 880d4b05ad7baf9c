import {
  agentOwner as findAgentOwner,
  agentsOf,
  perpView,
  tradeCapacity,
  type PerpDefinition,
  type State,
} from '@oddlot/engine';
import type { ActiveAssetData, AgentOwner, ApprovedAgent } from '@oddlot/protocol';
import { formatMoney, formatPrice, formatSize } from '../format.ts';
import { answer, perpOf, type InfoHandler } from './handler.ts';

export const approvedAgents: InfoHandler<'approvedAgents', ApprovedAgent[]> = (
  { state },
  { user },
) => {
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

export const agentOwner: InfoHandler<'agentOwner', AgentOwner> = ({ state }, { agent }) => {
  const found = findAgentOwner(state, agent);
  return answer({ agent, owner: found?.owner ?? null, agentName: found?.label ?? null });
};

export const activeAssetData: InfoHandler<'activeAssetData', ActiveAssetData> = (
  { state },
  { user, coin },
) => {
  const found = perpOf(state, coin);
  if (!found.ok) return found;
  const { perp } = found;
  const capacity = tradeCapacity(state, user, perp.instrumentId);
  const mark = perpView(state, perp.instrumentId)?.mark;
  const value = capacity?.leverage ?? defaultLeverage(state, perp);
  return answer({
    user,
    coin: perp.name,
    leverage: { mode: 'OneWay', type: 'Cross', value, rawUsd: '' },
    maxTradeSzs: [
      formatSize(perp, capacity?.maxBuy ?? 0),
      formatSize(perp, capacity?.maxSell ?? 0),
    ],
    availableToTrade: [
      formatMoney(capacity?.availableToBuy ?? 0),
      formatMoney(capacity?.availableToSell ?? 0),
    ],
    markPx: mark === undefined ? '' : formatPrice(perp, mark),
    onlyIsolated: perp.onlyIsolated,
  });
};

/** R-leverage: of an instrument that nobody set. */
export function defaultLeverage(state: State, perp: PerpDefinition): number {
  const most = perp.tiers[0]?.maxLeverage ?? 1;
  return Math.min(state.parameters?.defaultLeverage ?? most, most);
}
