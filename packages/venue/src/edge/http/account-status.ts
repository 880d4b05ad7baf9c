import { hasAccount } from '@oddlot/engine';
import { MESSAGES, parseServiceRequest, type AccountStatus } from '@oddlot/protocol';
import type { Replica } from '../../replica/replica.ts';
import { infoRefusal, infoReply, type Endpoint } from './reply.ts';

/** Channel 0 is the main exchange, 1 the outcome one; there are no gates on either. */
const CHANNELS = new Set([0, 1]);

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
      const reason = CHANNELS.has(channel)
        ? exists
          ? undefined
          : MESSAGES.noTradingAccount()
        : MESSAGES.unknownChannel();
      const eligible = reason === undefined;
      const status: AccountStatus = { user, channel, exists, checked: true, eligible };
      return infoReply(eligible ? status : { ...status, reason });
    },
  };
}
