import {
  approvedBuilders as findApprovedBuilders,
  builderState as findBuilderState,
  gateStatus,
  multiSigSigners as findMultiSigSigners,
} from '@oddlot/engine';
import type {
  AccessCodeStatus,
  ApprovedBuilder,
  BuilderState,
  MultiSigSignerSet,
} from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import { answer, type InfoHandler } from './handler.ts';
import { maskedCode } from '../masked-code.ts';

/** Who may charge an account, sign for it, or is let in; and what builders earned. */

export const approvedBuilders: InfoHandler<'approvedBuilders', ApprovedBuilder[]> = (
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

export const builderState: InfoHandler<'builderState', BuilderState> = ({ state }, { user }) => {
  // Before its first block a venue has no parameters, and nobody has earned.
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

export const multiSigSigners: InfoHandler<'multiSigSigners', MultiSigSignerSet> = (
  { state },
  { user },
) => {
  const set = findMultiSigSigners(state, user);
  return answer(
    set === undefined ? null : { authorizedUsers: [...set.users], threshold: set.threshold },
  );
};

export const accessCodeStatus: InfoHandler<'accessCodeStatus', AccessCodeStatus> = (
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
