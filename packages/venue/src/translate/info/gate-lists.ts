import type { GateLists } from '@oddlot/protocol';
import { maskedCode } from '../masked-code.ts';
import { answer, type InfoHandler } from './handler.ts';

const SHOWN_MAX = 1_000;

/** Whom the lists of a gate name. Every request that changed them can be read as a transaction anyway. */
export const gateLists: InfoHandler<'gateLists', GateLists> = ({ state }, { channel }) => {
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
