import { type Exchange, gateRefusal, hasAccount, type State } from '@oddlot/engine';
import { type Endpoint, infoRefusal, infoReply } from '@oddlot/host/http';
import { MESSAGES, parseServiceRequest, type AccountStatus } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { Replica } from '../../replica/replica.ts';
import { GATE_TEXTS } from '../../translate/rejects/account.ts';

/** POST /account-status: whether an address may trade. The binding check is that of /exchange. */
export function accountStatusEndpoint({ replica }: { readonly replica: Replica }): Endpoint {
  return {
    surface: 'info',
    refuse: infoRefusal,
    handle: ({ body }) => {
      const parsed = parseServiceRequest('accountStatus', body);
      if (!parsed.ok) return infoRefusal(parsed.error);
      const { user, channel } = parsed.request;
      const exists = hasAccount(replica.state, user);
      const reason = reasonAgainst(replica.state, user, channel);
      const eligible = reason === undefined;
      const status: AccountStatus = { user, channel, exists, checked: true, eligible };
      return infoReply(eligible ? status : { ...status, reason });
    },
  };
}

/** The first thing that keeps an address from trading: the channel, its gate, a missing account. */
function reasonAgainst(state: State, user: Address, channel: number): string | undefined {
  if (!isExchange(channel)) return MESSAGES.unknownChannel();
  const gate = gateRefusal(state, channel, user);
  if (gate !== undefined) return MESSAGES[GATE_TEXTS[gate]]();
  return hasAccount(state, user) ? undefined : MESSAGES.noTradingAccount();
}

/** 0 is the main exchange, 1 that of outcome markets. */
function isExchange(channel: number): channel is Exchange {
  return channel === 0 || channel === 1;
}
