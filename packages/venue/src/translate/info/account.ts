import {
  accountView,
  agentOwner as findAgentOwner,
  agentsOf,
  perpView,
  tradeCapacity,
  tradeCapacityAt,
  type PositionView,
  type State,
  type TradeCapacity,
} from '@oddlot/engine';
import type { ActiveAssetData, AgentOwner, ApprovedAgent, AssetLeverage } from '@oddlot/protocol';
import { type Address, formatMoney, type InstrumentId, present } from '@oddlot/units';
import { instrumentLookup } from '../actions/instrument-lookup.ts';
import { formatPrice, formatSize } from '../format.ts';
import { answer, perpOf, type InfoHandler } from './handler.ts';
import { limitPrices } from './limit-prices.ts';
import { outcomeAssetData } from './outcome-asset-data.ts';
import { rawUsd } from './position-record.ts';

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
  { user, coin, px },
) => {
  const instrument = instrumentLookup(() => state)(Number(coin));
  const read = px && instrument && limitPrices(state, instrument, px);
  if (read?.ok === false) return read;
  const shares = outcomeAssetData(state, user, Number(coin), read?.limits);
  if (shares !== undefined) return answer(shares);
  const found = perpOf(state, coin);
  if (!found.ok) return found;
  const { perp } = found;
  const at = perp.instrumentId;
  const asked =
    read === undefined
      ? tradeCapacity(state, user, at)
      : tradeCapacityAt(state, user, at, read.limits);
  const capacity = present(asked, 'a listed perp');
  const mark = perpView(state, perp.instrumentId)?.mark;
  return answer({
    user,
    coin: perp.name,
    ...leverages(state, user, perp.instrumentId, capacity),
    maxTradeSzs: [formatSize(perp, capacity.maxBuy), formatSize(perp, capacity.maxSell)],
    availableToTrade: [formatMoney(capacity.availableToBuy), formatMoney(capacity.availableToSell)],
    markPx: mark === undefined ? '' : formatPrice(perp, mark),
    onlyIsolated: perp.onlyIsolated,
  });
};

/** The short side is told apart only where it differs from the long one. */
function leverages(
  state: State,
  user: Address,
  instrumentId: InstrumentId,
  { isHedged, isIsolated, leverage, leverageShort }: TradeCapacity,
): Pick<ActiveAssetData, 'leverage' | 'leverageShort'> {
  const positions = accountView(state, user)?.positions ?? [];
  const own = positions.filter((position) => position.instrumentId === instrumentId);
  const side = (value: number, position: PositionView | undefined): AssetLeverage => ({
    mode: isHedged ? 'Hedge' : 'OneWay',
    type: isIsolated ? 'Isolated' : 'Cross',
    value,
    rawUsd: isIsolated ? (position === undefined ? '0' : rawUsd(position)) : '',
  });
  const long = side(leverage, isHedged ? own.find(({ size }) => size > 0) : own[0]);
  if (!isHedged || leverage === leverageShort) return { leverage: long };
  const short = own.find(({ size }) => size < 0);
  return { leverage: long, leverageShort: side(leverageShort, short) };
}
